import type { Evidence } from '../evidence.ts'
import type { Leaf } from '../leaves.ts'
import { NEGATIONS, STOP } from '../lexicon/words.ts'
import { hasSynonym, isKnown } from './known.ts'

const FLAG_WORDS: ReadonlySet<string> = new Set(
  'is has include included including enable enabled with show use allow should want only'.split(' '),
)

/** How far a flag is supported; too little to reject a call for, whatever it is. */
export function flagSupport({ value, name, defaults }: Leaf<boolean>, { all, userText }: Evidence): number {
  if (defaults.includes(value)) return 0.9
  const cues = name.filter((word) => !FLAG_WORDS.has(word) && !STOP.has(word))
  const isCued = cues.some((word) => isKnown(word, all) || hasSynonym(word, all))
  if (value) return isCued ? 0.8 : 0.4
  if (!isCued) return 0.5
  return userText()
    .match(/[a-z]+/g)
    ?.some((word) => NEGATIONS.has(word)) === true
    ? 0.8
    : 0.45
}
