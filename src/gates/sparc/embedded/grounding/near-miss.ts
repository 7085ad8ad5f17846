import { distance } from '../../../../config/nearest.ts'
import type { Evidence, Said, Source } from './evidence.ts'
import { plainText, wordsIn } from './text.ts'

export interface NearMiss {
  readonly value: string
  readonly from: Source
}

const SEARCHED_CHARACTERS = 100_000
const MOST_CANDIDATES = 2000
const NEAR = 2
const SHORTEST = 5
const LONGEST = 64

/** What was said and differs in two letters at most: the one that was meant, if there is only one so near. */
export function nearMiss(value: string | number, { said }: Evidence): NearMiss | undefined {
  const wanted = plainText(String(value))
  if (wanted.length < SHORTEST || wanted.length > LONGEST) return undefined
  const near = new Map<string, NearMiss & { readonly far: number }>()
  for (const candidate of candidates(wanted, said)) {
    const far = distance(wanted, plainText(candidate.value))
    if (far <= NEAR && (typeof value === 'string' || /^\d+$/.test(candidate.value)))
      near.set(candidate.value, { ...candidate, far })
  }
  const ranked = [...near.values()].sort((a, b) => a.far - b.far)
  const [best, second] = ranked
  return best === undefined || best.far === second?.far ? undefined : { value: best.value, from: best.from }
}

/** Words that look like identifiers, the last that were said first. */
function candidates(wanted: string, said: Evidence['said']): readonly NearMiss[] {
  const found = new Map<string, NearMiss>()
  let characters = 0
  for (const each of said.toReversed()) {
    const { from, text } = each
    for (const [word] of text.slice(0, SEARCHED_CHARACTERS - characters).matchAll(/[^\s"'`<>(){}[\],;]+/gu)) {
      if (word.length > LONGEST + 8) continue
      const value = word.replace(/^[.:!?*_-]+|[.:!?*_-]+$/g, '')
      const fits = Math.abs(value.length - wanted.length) <= NEAR && /[\p{N}@._/-]/u.test(value)
      if (fits && found.size < MOST_CANDIDATES && !repeats(each, value)) found.set(value, { value, from })
    }
    characters = Math.min(SEARCHED_CHARACTERS, characters + text.length)
  }
  return [...found.values()]
}

/** What a call was made with is no better for standing in its result. */
function repeats({ asked }: Said, value: string): boolean {
  return asked !== undefined && wordsIn(value).every((word) => asked.words.has(word))
}
