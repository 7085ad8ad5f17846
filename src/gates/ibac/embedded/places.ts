import type { Evidence, SeenLeaf } from './evidence.ts'
import { holds, placesIn, worthOf } from './find.ts'
import type { Ground } from './ground.ts'
import { rankOf, type Origin } from './origins.ts'
import { wordsOf } from './stem.ts'
import { nameParts, type Value } from './values.ts'

/** One place where a value stands. */
export interface Place {
  readonly origin: Origin
  readonly leaf: number
  readonly level: number
}

/** What only states or lists is looked at so often; a short number may stand in thousands of records. What tells somebody to act always is. */
const MOST_PLAIN = 300
/** A longer text is prose, of which the value is a part. */
const WHOLE_WORDS = 3

/** Where the tools' results say a value in this form, newest first. */
export function placesOf(value: Value, form: string, ground: Ground): readonly Place[] {
  const search = new Search(value, form, ground)
  let plain = 0
  for (const [leaf, at] of candidates(value, form, ground.evidence)) {
    const seen = ground.evidence.leaves[leaf]
    if (seen === undefined) continue
    if (seen.level === 0) plain += 1
    if (seen.level > 0 || plain <= MOST_PLAIN) search.lookAt(leaf, seen, at)
  }
  return search.places
}

/** Leaves that may hold the value, newest first, and where, if that is known. */
function* candidates(
  value: Value,
  form: string,
  evidence: Evidence,
): Iterable<readonly [leaf: number, at: number | undefined]> {
  if (value.kind === 'number') {
    const numbers = evidence.leavesWithNumber(worthOf(value.raw))
    for (let i = numbers.length - 1; i >= 0; i -= 1) yield numbers[i] ?? [-1, undefined]
    return
  }
  const leaves = leavesWithRarestWord(form, evidence)
  for (let i = leaves.length - 1; i >= 0; i -= 1) yield [leaves[i] ?? -1, undefined]
}

function leavesWithRarestWord(form: string, evidence: Evidence): readonly number[] {
  let rarest: readonly number[] | undefined
  for (const word of wordsOf(form)) {
    const leaves = evidence.leavesWithWord(word)
    if (rarest === undefined || leaves.length < rarest.length) rarest = leaves
    if (rarest.length === 0) break
  }
  return rarest ?? []
}

class Search {
  readonly places: Place[] = []
  readonly #value: Value
  readonly #form: string
  readonly #ground: Ground
  /** The user names a part of this mail address. */
  readonly #knownName: boolean
  readonly #echoes = new Map<number, boolean>()

  constructor(value: Value, form: string, ground: Ground) {
    this.#value = value
    this.#form = form
    this.#ground = ground
    this.#knownName = value.kind === 'mail' && nameParts(form).some((part) => holds(ground.user.text, part))
  }

  lookAt(leaf: number, seen: SeenLeaf, at: number | undefined): void {
    const spots = at === undefined ? placesIn(seen.text, this.#form) : [at]
    if (spots.length === 0 || this.#isEcho(seen.result)) return
    const level = seen.level === 0 ? 0 : Math.max(...spots.map((spot) => levelAt(seen, spot)))
    this.places.push({ leaf, level, origin: this.#originIn(seen, level) })
  }

  /** What the agent itself said is no news when it comes back. */
  #isEcho(result: number): boolean {
    let echo = this.#echoes.get(result)
    if (echo === undefined) {
      const passed = this.#ground.evidence.results[result]?.passed ?? []
      const isNumber = this.#value.kind === 'number'
      echo = passed.some((text) => (isNumber ? text === this.#form : holds(text, this.#form)))
      this.#echoes.set(result, echo)
    }
    return echo
  }

  #originIn(leaf: SeenLeaf, level: number): Origin {
    if (level === 2) return 'd2'
    const listed = this.#ground.attention.records.has(leaf.record)
    if (level > 0) return this.#isPointedAt(leaf, listed) && this.#mayBeTold() ? 'd1r' : 'd1'
    if (leaf.words > WHOLE_WORDS && leaf.text.trim() !== this.#form) return 'free'
    return listed || this.#knownName ? 'linked' : 'struct'
  }

  /** Its record is, or its result is as a whole: where the user points at some of the records, the others are not meant. */
  #isPointedAt({ result }: SeenLeaf, listed: boolean): boolean {
    const { results, resultsOfRecords } = this.#ground.attention
    return listed || (results.has(result) && !resultsOfRecords.has(result))
  }

  #mayBeTold(): boolean {
    const { user, asked, named } = this.#ground
    return user.delegates || user.delegatesValues || (asked && named)
  }
}

/** Sentences stand in their order. */
function levelAt({ sentences }: SeenLeaf, at: number): number {
  let low = 0
  let high = sentences.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sentences[middle]?.to ?? 0) <= at) low = middle + 1
    else high = middle
  }
  const sentence = sentences[low]
  return sentence !== undefined && at >= sentence.from ? sentence.level : 0
}

export function bestOf(places: readonly Place[]): Place | undefined {
  let best: Place | undefined
  for (const place of places) if (best === undefined || rankOf(place.origin) < rankOf(best.origin)) best = place
  return best
}
