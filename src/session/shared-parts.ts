import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { LIMITS } from './limits.ts'

/** A value that may stand in several places. */
export interface Part<T> {
  readonly value: T
  readonly digest: string
  /** Of its JSON, and what holding it costs beside them. */
  readonly chars: number
  uses: number
}

/**
 * Holds equal values once. Each question of an agent loop repeats all messages before it, so without this a session
 * would grow with the square of its conversation.
 */
export class SharedParts<T> {
  readonly #parts = new Map<string, Part<T>>()
  /** Of every part, each once. */
  chars = 0

  /**
   * Stops behind the value with which they are more than `enoughChars`. `likely`: the parts that they most likely equal;
   * comparing is cheaper than digesting.
   */
  takeAll(values: readonly T[], likely: readonly Part<T>[], enoughChars: number): readonly Part<T>[] {
    const taken: Part<T>[] = []
    let chars = 0
    for (const [at, value] of values.entries()) {
      if (chars > enoughChars) break
      const part = this.#take(value, likely[at])
      taken.push(part)
      chars += part.chars
    }
    return taken
  }

  give(part: Part<T>): void {
    part.uses -= 1
    if (part.uses > 0) return
    this.#parts.delete(part.digest)
    this.chars -= part.chars
  }

  #take(value: T, likely: Part<T> | undefined): Part<T> {
    const part = likely !== undefined && isDeepStrictEqual(likely.value, value) ? likely : this.#find(value)
    part.uses += 1
    return part
  }

  #find(value: T): Part<T> {
    const json = JSON.stringify(value)
    const digest = hash('sha256', json, 'base64url')
    const known = this.#parts.get(digest)
    if (known !== undefined) return known
    const chars = json.length + LIMITS.partChars + valuesIn(value) * LIMITS.valueChars
    const part = { value, digest, chars, uses: 0 }
    this.#parts.set(digest, part)
    this.chars += part.chars
    return part
  }
}

/** A list of empty lists is a few characters of JSON, and many times that in memory. */
export function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const inner: unknown[] = Object.values(value)
  return inner.reduce((sum: number, each) => sum + valuesIn(each), inner.length)
}
