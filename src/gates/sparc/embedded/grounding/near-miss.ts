import { distance } from '../../../../config/nearest.ts'
import type { Evidence, Said, Source } from './evidence.ts'
import { LONGEST_NAME, signsApart, signsOf } from './said/names.ts'
import { plainText, wordsIn } from './text.ts'

export interface NearMiss {
  readonly value: string
  readonly from: Source
}

/** Values that are compared letter by letter. */
const MOST_COMPARED = 60
const NEAR = 2
const SHORTEST = 5

/** What was said and differs in two letters at most: the one that was meant, if there is only one so near. */
export function nearMiss(value: string | number, evidence: Evidence): NearMiss | undefined {
  const wanted = plainText(String(value))
  if (wanted.length < SHORTEST || wanted.length > LONGEST_NAME) return undefined
  const near = new Map<string, NearMiss & { readonly far: number }>()
  for (const candidate of candidates(wanted, evidence)) {
    const far = distance(wanted, plainText(candidate.value))
    if (far <= NEAR && (typeof value === 'string' || /^\d+$/.test(candidate.value)))
      near.set(candidate.value, { ...candidate, far })
  }
  const ranked = [...near.values()].sort((a, b) => a.far - b.far)
  const [best, second] = ranked
  return best === undefined || best.far === second?.far ? undefined : { value: best.value, from: best.from }
}

/** Words that look like identifiers and have nearly the same signs, the last that were said first. */
function candidates(wanted: string, { said }: Evidence): readonly NearMiss[] {
  const found = new Map<string, NearMiss>()
  const signs = signsOf(wanted)
  for (const each of said.toReversed()) {
    for (let length = wanted.length - NEAR; length <= wanted.length + NEAR; length++) {
      for (const name of each.facts.names().get(length) ?? []) {
        // Each change takes one sign away at most, and brings another.
        if (signsApart(signs, name.signs) > 2 * NEAR || found.has(name.value) || repeats(each, name.value)) continue
        found.set(name.value, { value: name.value, from: each.from })
        if (found.size >= MOST_COMPARED) return [...found.values()]
      }
    }
  }
  return [...found.values()]
}

/** What a call was made with is no better for standing in its result. */
function repeats({ asked }: Said, value: string): boolean {
  return asked !== undefined && wordsIn(value).every((word) => asked.words.has(word))
}
