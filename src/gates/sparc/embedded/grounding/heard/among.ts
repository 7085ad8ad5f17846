import { lazily } from '../said/facts.ts'
import { holds, SHORTEST_SQUASHED, type Wanted } from '../text.ts'
import type { Index } from './index.ts'
import type { Places, PlacesOf } from './places.ts'
import type { Said } from './said.ts'

/** Some of the texts of a stock: those of one conversation, or of these the ones that a value may come from. */
export class Among {
  readonly index: Index
  /** In the order of the conversation; a text that was said twice stands there twice. */
  readonly said: () => readonly Said[]
  readonly #texts: readonly Said[]
  readonly #isIn: (id: number) => boolean

  constructor(index: Index, texts: readonly Said[], said: () => readonly Said[], isIn: (id: number) => boolean) {
    this.index = index
    this.said = said
    this.#texts = texts
    this.#isIn = isIn
  }

  only(keeps: (said: Said) => boolean): Among {
    const isKept = (id: number): boolean => {
      const said = this.#texts[id]
      return said !== undefined && this.#isIn(id) && keeps(said)
    }
    return new Among(
      this.index,
      this.#texts,
      lazily(() => this.said().filter(keeps)),
      isKept,
    )
  }

  /** Whether one of the places is a text of these. */
  any(places: Places | undefined): boolean {
    if (places === undefined) return false
    return typeof places === 'number' ? this.#isIn(places) : places.some(this.#isIn)
  }

  /** The key, if it stands in one of these. */
  has<K>(places: PlacesOf<K, Said>, key: K): boolean {
    return this.any(places.get(key))
  }

  /** All keys that stand in these. */
  *keys<K>(places: PlacesOf<K, Said>): Generator<K, void, undefined> {
    for (const key of places.keys()) if (this.has(places, key)) yield key
  }

  hasWord(word: string): boolean {
    return this.has(this.index.words, word)
  }

  hasStem(stem: string): boolean {
    return this.index.wordsOfStem(stem).some((word) => this.hasWord(word))
  }

  /** Whether the words of a value stand one after the other in one of the texts. */
  holds(wanted: Wanted): boolean {
    const { words, beginnings } = this.index
    return this.#some(mayHold(wanted, words, beginnings), ({ search }) => holds(search, wanted))
  }

  /** Whether one of the texts has all of the words, and passes a closer look. */
  someWithAll(words: readonly string[], test: (said: Said) => boolean): boolean {
    const places = words.map((word) => this.index.words.get(word))
    const known = places.filter((each) => each !== undefined)
    if (known.length < places.length) return false
    const [rarest] = known.sort((a, b) => countOf(a) - countOf(b))
    if (rarest === undefined) return this.said().some(test)
    return this.#some(rarest, (said) => words.every((word) => said.search.words.has(word)) && test(said))
  }

  #some(places: Places | undefined, test: (said: Said) => boolean): boolean {
    const isOne = (id: number): boolean => {
      const said = this.#isIn(id) ? this.#texts[id] : undefined
      return said !== undefined && test(said)
    }
    if (places === undefined) return false
    return typeof places === 'number' ? isOne(places) : places.some(isOne)
  }
}

/** Where a value may stand: in few texts, and often in none. */
export function mayHold<T extends { readonly id: number }>(
  { words: [first], squashed, hash }: Wanted,
  words: PlacesOf<string, T>,
  beginnings: PlacesOf<number, T>,
): Places | undefined {
  if (first === undefined) return undefined
  return squashed.length < SHORTEST_SQUASHED ? words.get(first) : beginnings.get(hash)
}

function countOf(places: Places): number {
  return typeof places === 'number' ? 1 : places.length
}
