import { changesBetween } from './changes.ts'
import type { Evidence } from './evidence.ts'
import type { Said, Source } from './heard/said.ts'
import { LONGEST_NAME, signsApart, signsOf, type NameSaid } from './said/names.ts'
import { firstWord, plainText, wordsIn } from './text.ts'

export interface NearMiss {
  readonly value: string
  readonly from: Source
}

interface Candidate extends NearMiss {
  readonly plain: string
}

/** Values that are compared letter by letter. */
const MOST_COMPARED = 60
const NEAR = 2
const SHORTEST = 5

/** What was said and differs in two letters at most: the one that was meant, if there is only one so near. */
export function nearMiss(value: string | number, evidence: Evidence): NearMiss | undefined {
  const wanted = plainText(String(value))
  if (wanted.length < SHORTEST || wanted.length > LONGEST_NAME) return undefined
  const near: (NearMiss & { readonly far: number })[] = []
  for (const candidate of candidates(wanted, evidence)) {
    const far = changesBetween(wanted, candidate.plain, NEAR)
    if (far !== undefined && (typeof value === 'string' || /^\d+$/.test(candidate.value)))
      near.push({ ...candidate, far })
  }
  const [best, second] = near.sort((a, b) => a.far - b.far)
  return best === undefined || best.far === second?.far ? undefined : { value: best.value, from: best.from }
}

/** Words that look like identifiers and have nearly the same signs, the last that were said first. */
function candidates(wanted: string, { all }: Evidence): readonly Candidate[] {
  const found = new Map<string, Candidate>()
  const signs = signsOf(wanted)
  for (const said of all.said().toReversed()) {
    for (let length = wanted.length - NEAR; length <= wanted.length + NEAR; length++) {
      for (const name of said.facts.names().get(length) ?? []) {
        // Each change takes one sign away at most, and brings another.
        if (signsApart(signs, name.signs) > 2 * NEAR || found.has(name.value) || repeats(said, name)) continue
        found.set(name.value, { value: name.value, plain: name.plain, from: said.from })
        if (found.size >= MOST_COMPARED) return [...found.values()]
      }
    }
  }
  return [...found.values()]
}

/** What a call was made with is no better for standing in its result. */
function repeats({ asked }: Said, { value, plain }: NameSaid): boolean {
  if (asked === undefined) return false
  // Most names are other ones from their first word on.
  const first = firstWord(plain)
  if (first !== undefined && !asked.search.words.has(first)) return false
  return wordsIn(value).every((word) => asked.search.words.has(word))
}
