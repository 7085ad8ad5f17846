import { searchText, wordsInOrder, type SearchText } from '../text.ts'
import type { DaySaid } from './days.ts'
import { readMoments, todayIn, type MomentsSaid } from './moments.ts'
import { readNames, type NameSaid } from './names.ts'
import { readNumbers, type NumbersSaid } from './numbers.ts'

/** What one text says. Each part is read when it is first asked for, and then kept with the text. */
export interface Facts {
  readonly text: string
  readonly search: SearchText
  /** Its words in their order; of a long text only the first. */
  readonly order: () => readonly string[]
  /** The first letters of its words, one after the other. */
  readonly initials: () => string
  /** What looks like an identifier in it, by its length. */
  readonly names: () => ReadonlyMap<number, readonly NameSaid[]>
  readonly numbers: () => NumbersSaid
  readonly moments: () => MomentsSaid
  /** What it says today is. */
  readonly today: () => Required<DaySaid> | undefined
}

/** A tool's longer result is data. */
const LONGEST_ANSWER = 400
const MOST_ORDERED = 20_000
export const HEAD_LETTERS = 3

export function factsOf(text: string, isTool: boolean): Facts {
  const isData = isTool && text.length > LONGEST_ANSWER
  const search = searchText(text)
  const order = lazily(() => wordsInOrder(search.plain.slice(0, MOST_ORDERED)))
  return {
    text,
    search,
    order,
    initials: lazily(() =>
      order()
        .map((word) => word.charAt(0))
        .join(''),
    ),
    names: lazily(() => readNames(text)),
    numbers: lazily(() => readNumbers(text, isData)),
    moments: lazily(() => readMoments(search.plain, isData)),
    today: lazily(() => todayIn(search.plain)),
  }
}

export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}
