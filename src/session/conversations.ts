import type { ChatMessage, Conversation, ProposedCall, RecalledConversation } from '../core/session.ts'
import type { Total } from './total.ts'
import { LIMITS } from './limits.ts'
import { Proposals, type Call } from './proposals.ts'
import { SharedParts, type Part } from './shared-parts.ts'

/** What one request showed to a model, and what the answer proposed. */
interface Asked {
  /** Undefined: too large. A part of it would be worse than nothing, since what is missing would look invented. */
  readonly shown: Shown | undefined
  readonly proposals: Proposals
  /** Of what it shares with no other. */
  ownChars: number
}

interface Shown {
  readonly messages: readonly Part<ChatMessage>[]
  readonly tools: readonly Part<unknown>[]
  /** Always the same lists: who digests them needs to do so once. */
  readonly whole: Conversation
}

type Taken = Pick<Shown, 'messages' | 'tools'>

/** What the models that a session asked were shown, exchange by exchange. */
export class Conversations {
  /** Oldest first. */
  readonly #asked = new Map<string, Asked>()
  readonly #messages = new SharedParts<ChatMessage>()
  readonly #tools = new SharedParts<unknown>()
  readonly #total: Total
  readonly #maxExchanges: number
  #ownChars = 0
  /** As the total has it. */
  #chars = 0

  constructor(total: Total, maxExchanges: number = LIMITS.conversations) {
    this.#total = total
    this.#maxExchanges = maxExchanges
  }

  ask(exchange: string, messages: readonly ChatMessage[], tools: readonly unknown[]): void {
    this.#forget(exchange)
    const shown = this.#show(messages, tools)
    const asked: Asked = { shown, proposals: new Proposals(), ownChars: 0 }
    this.#asked.set(exchange, asked)
    this.#total.enter(asked, () => {
      this.#forget(exchange)
    })
    this.#charge(asked, shown === undefined ? 0 : parts(shown).length * LIMITS.referenceChars)
  }

  /** What is proposed to nobody's question is not remembered. */
  propose(exchange: string, calls: readonly ProposedCall[]): void {
    const asked = this.#asked.get(exchange)
    if (asked !== undefined) this.#charge(asked, asked.proposals.add(calls))
  }

  /**
   * The newest that proposed this call, by the tool's own name rather than by one that ends in it, else the newest that could have: agents also ask models for titles and the like,
   * without tools.
   */
  recall(call: Call): RecalledConversation | undefined {
    const newestFirst = [...this.#asked.values()].reverse()
    // `ask_refund` may be the tool `refund` of a server `issue`, or another tool.
    const proposing =
      newestFirst.find(({ proposals }) => proposals.hasByOwnName(call)) ??
      newestFirst.find(({ proposals }) => proposals.has(call))
    const shown = (proposing ?? newestFirst.find(couldPropose) ?? newestFirst[0])?.shown
    if (shown === undefined) return undefined
    return { ...shown.whole, proposedIt: proposing !== undefined }
  }

  /** The newest state of the one conversation that proposed this call; undefined when several did. */
  recallOnly(call: Call): Conversation | undefined {
    const shown = [...this.#asked.values()].filter(({ proposals }) => proposals.has(call)).map((asked) => asked.shown)
    const newest = shown.at(-1)
    if (newest === undefined) return undefined
    return shown.every((each) => each !== undefined && isBeginningOf(each, newest)) ? newest.whole : undefined
  }

  /** The session is over: nothing of it counts any more. Who still looks at it may go on. */
  release(): void {
    for (const exchange of this.#asked.keys()) this.#forget(exchange)
  }

  #show(messages: readonly ChatMessage[], tools: readonly unknown[]): Shown | undefined {
    const newest = [...this.#asked.values()].at(-1)?.shown
    const taken = {
      messages: this.#messages.takeAll(messages, newest?.messages ?? [], LIMITS.conversationChars),
      tools: this.#tools.takeAll(tools, newest?.tools ?? [], LIMITS.conversationChars),
    }
    const chars = parts(taken).reduce((sum, part) => sum + part.chars + LIMITS.referenceChars, 0)
    if (chars <= LIMITS.conversationChars) return { ...taken, whole: wholeOf(taken) }
    this.#giveBack(taken)
    return undefined
  }

  #giveBack({ messages, tools }: Taken): void {
    for (const part of messages) this.#messages.give(part)
    for (const part of tools) this.#tools.give(part)
  }

  #charge(asked: Asked, chars: number): void {
    asked.ownChars += chars
    this.#ownChars += chars
    this.#count()
    this.#trim()
    this.#total.trim()
  }

  #forget(exchange: string): void {
    const asked = this.#asked.get(exchange)
    if (asked === undefined) return
    this.#asked.delete(exchange)
    this.#total.leave(asked)
    if (asked.shown !== undefined) this.#giveBack(asked.shown)
    this.#ownChars -= asked.ownChars
    this.#count()
  }

  /** The newest stays, which fits: its conversation is what will be asked for. */
  #trim(): void {
    for (const oldest of this.#asked.keys()) {
      const fits = this.#asked.size <= this.#maxExchanges && this.#chars <= LIMITS.conversationChars
      if (fits || this.#asked.size === 1) return
      this.#forget(oldest)
    }
  }

  #count(): void {
    const chars = this.#messages.chars + this.#tools.chars + this.#ownChars
    this.#total.held += chars - this.#chars
    this.#chars = chars
  }
}

/** Equal parts are the same object. */
function isBeginningOf(earlier: Shown, later: Shown): boolean {
  return earlier.messages.every((part, at) => part === later.messages[at])
}

/** What was too large to keep may have had tools. */
function couldPropose({ shown }: Asked): boolean {
  return shown === undefined || shown.tools.length > 0
}

function wholeOf({ messages, tools }: Taken): Conversation {
  return { messages: messages.map(({ value }) => value), tools: tools.map(({ value }) => value) }
}

function parts({ messages, tools }: Taken): readonly Part<unknown>[] {
  return [...messages, ...tools]
}
