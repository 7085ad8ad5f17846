import { STOP } from '../lexicon/words.ts'
import { synonymsOf } from '../lexicon/synonyms.ts'
import { HEAD_LETTERS } from '../said/facts.ts'
import type { Among } from '../heard/among.ts'
import { stemOf } from '../stem.ts'
import { wantedWords, wordsIn } from '../text.ts'

/** Whether a word was said, in this form or one near it. */
export function isKnown(word: string, said: Among): boolean {
  if (said.hasWord(word)) return true
  if (!/^[a-z0-9]+$/.test(word)) return said.said().some(({ search }) => search.squashed.includes(word))
  const stem = stemOf(word)
  if (/^[a-z]/.test(word) && said.hasStem(stem)) return true
  return (
    /^[a-z]{5,}$/.test(word) &&
    said.index.wordsOfHead(word.slice(0, HEAD_LETTERS)).some((other) => isNear(word, other) && said.hasWord(other))
  )
}

const SHORTEST_HEAD = 5
const LONGEST_REST = 4
const SUBSTITUTED_FROM = 9

function isNear(word: string, other: string): boolean {
  return isLonger(word, other) || isLonger(other, word) || isMistyped(word, other)
}

function isLonger(longer: string, shorter: string): boolean {
  const more = longer.length - shorter.length
  return shorter.length >= SHORTEST_HEAD && more > 0 && more <= LONGEST_REST && longer.startsWith(shorter)
}

/** One letter too many or too few, or two that changed places; in long words one that is another. */
function isMistyped(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1 || b.length < SHORTEST_HEAD || /\d/.test(b)) return false
  let from = 0
  while (from < a.length && a[from] === b[from]) from++
  let back = 0
  while (back < Math.min(a.length, b.length) - from && a[a.length - 1 - back] === b[b.length - 1 - back]) back++
  const [leftA, leftB] = [a.length - from - back, b.length - from - back]
  if (leftA + leftB === 1) return true
  if (leftA === 1 && leftB === 1) return a.length >= SUBSTITUTED_FROM
  return leftA === 2 && leftB === 2 && a[from] === b[from + 1] && a[from + 1] === b[from]
}

/** The words of a value that mean something. */
export function contentWords(value: string): readonly string[] {
  const words = wordsIn(value)
  const content = words.filter((word) => !STOP.has(word))
  return content.length > 0 ? content : words
}

export function shareKnown(words: readonly string[], said: Among): number {
  return words.length === 0 ? 0 : words.filter((word) => isKnown(word, said)).length / words.length
}

export function hasSynonym(word: string, said: Among): boolean {
  return synonymsOf(stemOf(word)).some((stem) => said.hasStem(stem))
}

export function holdsAny(said: Among, words: readonly string[]): boolean {
  return said.holds(wantedWords(words))
}
