import type { ReflectedMessage } from '../../../reflector.ts'
import { countingIn, evidenceFrom, type Evidence } from '../evidence.ts'
import { charactersOf, Stock } from './stock.ts'

export interface StocksOptions {
  readonly mostConversations: number
  /** In all stocks together. The one in use may be larger, as long as nothing else is kept. */
  readonly mostCharacters: number
  /** In one stock that its conversation no longer has. */
  readonly mostUnused: number
}

interface Kept {
  stock: Stock
  last: { readonly messages: readonly ReflectedMessage[]; readonly evidence: Evidence } | undefined
}

/**
 * What was read of the conversations that were asked about last. Each question finds its own texts in the stock of its
 * conversation, one by one and as they stand: whatever else the stock holds is no evidence for it.
 */
export class Stocks {
  readonly #options: StocksOptions
  /** The one in use last is the last. */
  readonly #kept = new Map<string, Kept>()

  constructor(options: StocksOptions) {
    this.#options = options
  }

  evidenceOf(messages: readonly ReflectedMessage[], sessionId: string | undefined): Evidence {
    const key = keyOf(messages, sessionId)
    const kept = this.#kept.get(key) ?? { stock: new Stock(), last: undefined }
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    // All calls of an answer are looked for in one conversation.
    if (kept.last?.messages === messages) return kept.last.evidence
    const evidence = this.#read(messages, kept)
    kept.last = { messages, evidence }
    this.#shrink()
    return evidence
  }

  /** Figures for tests. */
  stats(): { readonly conversations: number; readonly characters: number } {
    return { conversations: this.#kept.size, characters: this.#characters() }
  }

  #read(messages: readonly ReflectedMessage[], kept: Kept): Evidence {
    const { texts, hasCalled } = countingIn(messages)
    const said = texts.map((text) => kept.stock.take(text))
    if (kept.stock.characters - charactersOf(texts) <= this.#options.mostUnused)
      return evidenceFrom(kept.stock, said, hasCalled, kept.last?.evidence)
    const fresh = new Stock()
    kept.stock = fresh
    return evidenceFrom(
      fresh,
      said.map((each) => fresh.adopt(each)),
      hasCalled,
      undefined,
    )
  }

  #shrink(): void {
    let characters = this.#characters()
    for (const [key, { stock }] of this.#kept) {
      const isTooMuch = this.#kept.size > this.#options.mostConversations || characters > this.#options.mostCharacters
      if (!isTooMuch || this.#kept.size === 1) return
      this.#kept.delete(key)
      characters -= stock.characters
    }
  }

  #characters(): number {
    let characters = 0
    for (const { stock } of this.#kept.values()) characters += stock.characters
    return characters
  }
}

const KEY_CHARACTERS = 200

/**
 * The session, and how its conversation begins: a session may have several, and what has no session still says the same
 * first words each time. Where two share a key they share a stock, and nothing else.
 */
function keyOf(messages: readonly ReflectedMessage[], sessionId = ''): string {
  const first = messages.find(({ role }) => role === 'user')?.content ?? ''
  return `${sessionId.length} ${sessionId} ${first.length} ${first.slice(0, KEY_CHARACTERS)}`
}
