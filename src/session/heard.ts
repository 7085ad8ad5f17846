import { clip } from './clip.ts'
import { LIMITS } from './limits.ts'

/** Characters that all sessions hold together. */
export interface HeardTotal {
  chars: number
}

/** The texts that a session has seen, newest last: a ring that forgets the oldest. A text that comes again is held once. */
export class Heard {
  readonly #texts = new Set<string>()
  readonly #maxTexts: number
  readonly #total: HeardTotal
  #chars = 0

  constructor(maxTexts: number, total: HeardTotal) {
    this.#maxTexts = maxTexts
    this.#total = total
  }

  add(text: string): void {
    if (text === '') return
    const held = clip(text, LIMITS.heardTextChars)
    this.#drop(held)
    this.#texts.add(held)
    this.#count(held.length)
    this.#trim()
  }

  has(text: string): boolean {
    return this.#texts.has(text)
  }

  texts(): readonly string[] {
    return [...this.#texts]
  }

  /** The session is over: its texts no longer count. Who still looks at them may go on. */
  release(): void {
    this.#count(-this.#chars)
  }

  #trim(): void {
    const crowded = this.#total.chars > LIMITS.heardCharsOverall
    const maxChars = crowded ? LIMITS.heardCharsCrowded : LIMITS.heardChars
    for (const oldest of this.#texts) {
      if (this.#texts.size <= this.#maxTexts && this.#chars <= maxChars) return
      this.#drop(oldest)
    }
  }

  #drop(text: string): void {
    if (this.#texts.delete(text)) this.#count(-text.length)
  }

  #count(chars: number): void {
    this.#chars += chars
    this.#total.chars += chars
  }
}
