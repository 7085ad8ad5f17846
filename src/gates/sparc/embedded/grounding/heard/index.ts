import { HEAD_LETTERS } from '../said/facts.ts'
import { stemOf } from '../stem.ts'
import { beginningsOf } from '../text.ts'
import { PlacesOf } from './places.ts'
import type { Asked, Said } from './said.ts'

/** Where everything stands that is looked for in a stock of texts. Each part is made when it is first asked for. */
export class Index {
  readonly words: PlacesOf<string, Said>
  /** How texts go on from the beginning of a word. */
  readonly beginnings: PlacesOf<number, Said>
  /** The same of what calls were made with. */
  readonly askedWords: PlacesOf<string, Asked>
  readonly askedBeginnings: PlacesOf<number, Asked>
  /** Words of some length among the first of a text. */
  readonly firstWords: PlacesOf<string, Said>
  /** Signs of scripts without blanks between their words. */
  readonly signs: PlacesOf<string, Said>
  /** Numbers of four and more digits that are written in groups. */
  readonly grouped: PlacesOf<string, Said>
  readonly numbers: PlacesOf<number, Said>
  readonly years: PlacesOf<number, Said>
  readonly days: PlacesOf<string, Said>
  readonly dated: PlacesOf<string, Said>
  /** `month` or `day` and its number, of each day. */
  readonly dayParts: PlacesOf<string, Said>
  readonly times: PlacesOf<number, Said>
  readonly #wordsOfStems = new Map<string, string[]>()
  readonly #wordsOfHeads = new Map<string, string[]>()
  readonly #newWords: string[] = []

  constructor(texts: readonly Said[], asks: readonly Asked[]) {
    this.words = new PlacesOf(
      texts,
      ({ search }) => search.words,
      (word) => this.#newWords.push(word),
    )
    this.beginnings = new PlacesOf(texts, ({ search }) => beginningsOf(search))
    this.askedWords = new PlacesOf(asks, ({ search }) => search.words)
    this.askedBeginnings = new PlacesOf(asks, ({ search }) => beginningsOf(search))
    this.firstWords = new PlacesOf(texts, firstWordsOf)
    this.signs = new PlacesOf(texts, ({ search }) => search.plain.match(UNSPACED) ?? NOTHING)
    this.grouped = new PlacesOf(texts, ({ search }) => search.plain.match(GROUPED) ?? NOTHING)
    this.numbers = new PlacesOf(texts, ({ facts }) => facts.numbers().values)
    this.years = new PlacesOf(texts, ({ facts }) => facts.moments().years)
    this.days = new PlacesOf(texts, ({ facts }) => facts.moments().keys)
    this.dated = new PlacesOf(texts, ({ facts }) => facts.moments().dated)
    this.dayParts = new PlacesOf(texts, dayPartsOf)
    this.times = new PlacesOf(texts, ({ facts }) => facts.moments().times)
  }

  wordsOfStem(stem: string): readonly string[] {
    this.#sortWords()
    return this.#wordsOfStems.get(stem) ?? NOTHING
  }

  /** Words with these first letters. */
  wordsOfHead(head: string): readonly string[] {
    this.#sortWords()
    return this.#wordsOfHeads.get(head) ?? NOTHING
  }

  #sortWords(): void {
    this.words.catchUp()
    for (const word of this.#newWords) {
      add(this.#wordsOfStems, stemOf(word), word)
      if (word.length >= HEAD_LETTERS) add(this.#wordsOfHeads, word.slice(0, HEAD_LETTERS), word)
    }
    this.#newWords.length = 0
  }
}

export const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu
const GROUPED = /(?<![\d,])\d{1,3}(?:,\d{3})+(?!\d|,\d)/g
const NOTHING: readonly never[] = []

function add(to: Map<string, string[]>, key: string, word: string): void {
  const known = to.get(key)
  if (known === undefined) to.set(key, [word])
  else known.push(word)
}

const MOST_FIRST_WORDS = 2000
const SHORTEST_FIRST_WORD = 4

function firstWordsOf({ facts }: Said): readonly string[] {
  const words = facts.order().slice(0, MOST_FIRST_WORDS)
  return words.filter((word) => word.length >= SHORTEST_FIRST_WORD)
}

function dayPartsOf({ facts }: Said): readonly string[] {
  return facts
    .moments()
    .days.flatMap(({ month, day }) => [
      ...(month === undefined ? [] : [`month ${month}`]),
      ...(day === undefined ? [] : [`day ${day}`]),
    ])
}
