import { clip } from './clip.ts'
import { LIMITS } from './limits.ts'

/**
 * What the user asked, message by message, kept apart from everything else that a session hears: no number of other
 * events can push it out.
 */
export class Intents {
  /** Newest last; each is the messages that count as one intent. */
  readonly #intents: string[][] = []

  /** `follows`: the message continues the newest intent instead of replacing it. A message without text says nothing. */
  say(text: string, follows: boolean): string | undefined {
    if (text.trim() === '') return undefined
    const said = clip(text, LIMITS.userTextChars)
    const newest = this.#intents.at(-1)
    if (follows && newest !== undefined) {
      newest.push(said)
      trim(newest)
    } else {
      this.#intents.push([said])
      if (this.#intents.length > LIMITS.intents) this.#intents.shift()
    }
    return said
  }

  newestFirst(turns: number): readonly string[] {
    return this.#intents
      .slice(-Math.max(1, turns))
      .reverse()
      .map((messages) => messages.join('\n'))
  }

  /** Every message that is still held, newest last. */
  messages(): readonly string[] {
    return this.#intents.flat()
  }
}

/** Drops from the second message on: the first is what was asked, the newest are what was answered last. */
function trim(messages: string[]): void {
  let chars = messages.reduce((sum, message) => sum + message.length, 0)
  while (messages.length > LIMITS.intentMessages || (chars > LIMITS.intentChars && messages.length > 2)) {
    const [dropped] = messages.splice(1, 1)
    chars -= dropped?.length ?? 0
  }
}
