import type { ChatMessage, Conversation, SeenResult, SessionView } from '../../../core/session.ts'
import { Evidence } from './evidence.ts'

/** What is known of the results of a session. */
export interface Known {
  readonly evidence: Evidence
  /** Something was not seen, cut or forgotten. */
  readonly incomplete: boolean
}

export interface Intake {
  /** Of a session, all its results taken in. */
  ofSession(session: SessionView): Known
  /** The same a piece at a time; undefined while there is more. */
  pieceOfSession(session: SessionView): Known | undefined
  /** The same, with what this conversation shows besides. */
  withConversation(session: SessionView, conversation: Conversation): Known
  /** Of a conversation alone, where nobody can say whose it is. */
  ofConversation(conversation: Conversation): Known
}

/** Takes in each result once, however often it is asked about. It holds on to nothing whose session is gone. */
export function createIntake(maxBytes: number): Intake {
  const sessions = new WeakMap<SessionView, Taken>()
  const conversations = new WeakMap<Conversation, Taken>()
  const takenOf = (session: SessionView): Taken => {
    let taken = sessions.get(session)
    if (taken?.isFull === true || taken === undefined) sessions.set(session, (taken = new Taken(maxBytes)))
    taken.add(session.results.list)
    return taken
  }
  return {
    ofSession: (session) => takenOf(session).known(session.results.incomplete),
    pieceOfSession: (session) => {
      const taken = takenOf(session)
      return taken.proceed(PIECE_CHARACTERS) ? taken.known(session.results.incomplete) : undefined
    },
    withConversation: (session, conversation) => {
      const taken = takenOf(session)
      taken.add(resultsIn(conversation))
      return taken.known(session.results.incomplete)
    },
    ofConversation: (conversation) => {
      let taken = conversations.get(conversation)
      if (taken === undefined) conversations.set(conversation, (taken = new Taken(maxBytes)))
      taken.add(resultsIn(conversation))
      return taken.known(false)
    },
  }
}

/** What was forgotten elsewhere stays here up to this many times the bound: to take it out would be to begin anew. */
const SLACK = 2

/** Some milliseconds of work: nobody waits for longer because another session has heard much. */
const PIECE_CHARACTERS = 8192

class Taken {
  readonly #maxBytes: number
  readonly #evidence = new Evidence()
  readonly #texts = new Set<string>()
  /** What is not begun, oldest first, and what is half taken. */
  readonly #waiting: SeenResult[] = []
  #begun: Generator<number, undefined> | undefined
  #seen: readonly SeenResult[] = []
  #upTo = 0
  #leftOut = false

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get isFull(): boolean {
    return this.#evidence.characters > SLACK * this.#maxBytes
  }

  /** Of all that was added: what still waits is taken in first. */
  known(incomplete: boolean): Known {
    this.proceed(Infinity)
    return { evidence: this.#evidence, incomplete: incomplete || this.#leftOut }
  }

  /** Takes in a piece of what waits. True: that was all. */
  proceed(characters: number): boolean {
    for (let left = characters; left > 0;) {
      this.#begun ??= this.#next()
      if (this.#begun === undefined) return true
      const piece = this.#begun.next()
      if (piece.done === true) this.#begun = undefined
      else left -= piece.value
    }
    return false
  }

  #next(): Generator<number, undefined> | undefined {
    const result = this.#waiting.shift()
    return result && this.#evidence.taking({ tool: result.tool, args: result.args, result: result.text })
  }

  /** The newest of a list as far as the bound goes. A list that only grew is not looked at again from its beginning. */
  add(list: readonly SeenResult[]): void {
    const from = list === this.#seen ? this.#upTo : 0
    if (from === list.length) return
    this.#seen = list
    this.#upTo = list.length
    const first = Math.max(from, this.#firstWithin(list))
    if (first > from) this.#leftOut = true
    for (const result of list.slice(first)) this.#addOne(result)
  }

  #firstWithin(list: readonly SeenResult[]): number {
    let bytes = 0
    let first = list.length
    while (first > 0 && bytes <= this.#maxBytes) {
      first -= 1
      bytes += list[first]?.text.length ?? 0
    }
    return bytes > this.#maxBytes ? first + 1 : first
  }

  #addOne(result: SeenResult): void {
    if (result.cut) this.#leftOut = true
    if (this.#texts.has(result.text)) return
    this.#texts.add(result.text)
    this.#waiting.push(result)
  }
}

/** The tool messages of a conversation, each with the call that it answers. */
function resultsIn({ messages }: Conversation): readonly SeenResult[] {
  const calls = new Map(messages.flatMap(({ toolCalls }) => toolCalls ?? []).map((call) => [call.id, call]))
  return messages.filter(isOfTool).map(({ text, toolCallId }) => {
    const call = toolCallId === undefined ? undefined : calls.get(toolCallId)
    return { tool: call?.tool ?? '', args: argumentsIn(call?.argumentsText), text, cut: false }
  })
}

const TOOL_ROLES: ReadonlySet<string> = new Set(['tool', 'function'])

function isOfTool({ role }: ChatMessage): boolean {
  return TOOL_ROLES.has(role)
}

function argumentsIn(text: string | undefined): unknown {
  if (text === undefined) return {}
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
