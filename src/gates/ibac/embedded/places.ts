import type { Evidence, SeenLeaf } from './evidence.ts'
import { holds, placesIn, worthOf } from './find.ts'
import { isPointedAt, levelTo, mayBeTold, type Ground } from './ground.ts'
import { rankOf, type Origin } from './origins.ts'
import type { Level } from './sentences.ts'
import { stemOf, wordsOf } from './stem.ts'
import { nameParts, type Value } from './values.ts'

/** One place where a value stands. */
export interface Place {
  readonly origin: Origin
  readonly leaf: number
  readonly level: number
}

/** What only states or lists is looked at so often; a short number may stand in thousands of records. What tells somebody to act always is. */
export const MOST_PLAIN = 300
/** Where an id stands as often as that, it is no name of one thing. */
const MOST_LEAVES = 256
const ADDRESSES: ReadonlySet<Value['kind']> = new Set(['mail', 'url', 'account'])
/** A longer text is prose, of which the value is a part. */
const WHOLE_WORDS = 3

/** What the tools' results say of a value in one of its forms. */
export interface Found {
  readonly best: Place | undefined
  /** The newest in text that speaks to the agent. */
  readonly told: Place | undefined
  /** Of an id: the leaves that hold it, newest first, and no more than say what it stands for. */
  readonly leaves: readonly number[]
}

/** Looks at all that may hold the value, newest first. */
export function findPlaces(value: Value, form: string, ground: Ground): Found {
  const { evidence } = ground
  const search = new Search(value, form, ground)
  if (value.kind === 'number') {
    const numbers = evidence.leavesWithNumber(worthOf(value.raw))
    for (let i = numbers.length - 1; i >= 0; i -= 1) search.lookAt(numbers[i]?.[0] ?? -1, numbers[i]?.[1])
  } else {
    const leaves = leavesWithRarestWord(form, evidence)
    for (let i = leaves.length - 1; i >= 0; i -= 1) search.lookAt(leaves[i] ?? -1)
  }
  return search
}

/** All leaves that may hold a text. */
export function leavesWithRarestWord(form: string, evidence: Evidence): readonly number[] {
  let rarest: readonly number[] | undefined
  for (const word of wordsOf(form)) {
    const leaves = evidence.leavesWithWord(word)
    if (rarest === undefined || leaves.length < rarest.length) rarest = leaves
    if (rarest.length === 0) break
  }
  return rarest ?? []
}

class Search implements Found {
  best: Place | undefined
  told: Place | undefined
  readonly leaves: number[] = []
  readonly #value: Value
  readonly #form: string
  readonly #ground: Ground
  /** The user names a part of this mail address, by a word that means something: `and@…` is nobody. */
  readonly #knownName: boolean
  readonly #echoes = new Map<number, boolean>()
  #plain = 0
  /** What the agent passed on before is no news in later results. */
  readonly #knownSince: number

  constructor(value: Value, form: string, ground: Ground) {
    this.#value = value
    this.#form = form
    this.#ground = ground
    this.#knownSince = ground.evidence.passedSince(value.raw.toLowerCase())
    this.#knownName = value.kind === 'mail' && nameParts(form).some((part) => ground.user.rare.has(stemOf(part)))
  }

  lookAt(leaf: number, at?: number): void {
    const seen = this.#ground.evidence.leaves[leaf]
    if (seen === undefined || this.#isNoNews(seen)) return
    if (seen.level === 0) this.#plain += 1
    if (seen.level === 0 && this.#plain > MOST_PLAIN) return
    if (this.#mayMatter(seen)) this.#search(leaf, seen, at)
  }

  /** Nearly all results of a long session say no more of a value than what was found already. */
  #mayMatter(seen: SeenLeaf): boolean {
    if (this.#value.isId && this.leaves.length < MOST_LEAVES) return true
    if (seen.level === 2 && this.told === undefined) return true
    return this.best === undefined || rankOf(this.#stated(seen)) < rankOf(this.best.origin)
  }

  #search(leaf: number, seen: SeenLeaf, at: number | undefined): void {
    const spots = at === undefined ? placesIn(seen.text, this.#form) : [at]
    if (spots.length === 0) return
    const level = seen.level === 0 ? 0 : this.#highestAt(seen, spots)
    const place = { leaf, level, origin: this.#originIn(seen, level) }
    if (this.best === undefined || rankOf(place.origin) < rankOf(this.best.origin)) this.best = place
    if (level === 2) this.told ??= place
    if (this.#value.isId && this.leaves.length < MOST_LEAVES) this.leaves.push(leaf)
  }

  #highestAt(seen: SeenLeaf, spots: readonly number[]): Level {
    return spots.reduce<Level>((most, spot) => {
      const level = levelTo(levelAt(seen, spot), this.#ground)
      return level > most ? level : most
    }, 0)
  }

  /** Nothing new about the value; but to have an address looked up first must not hide who then speaks to the agent of it. */
  #isNoNews({ level, result }: SeenLeaf): boolean {
    if (level === 2 && ADDRESSES.has(this.#value.kind)) return false
    return result >= this.#knownSince || this.#isEcho(result)
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
    if (level === 0) return this.#stated(leaf)
    return isPointedAt(leaf, this.#ground) && mayBeTold(this.#ground) ? 'd1r' : 'd1'
  }

  /** The best that a leaf can make of a value: it tells nobody anything with it. */
  #stated({ record, words, text }: SeenLeaf): Origin {
    if (words > WHOLE_WORDS && text.trim() !== this.#form) return 'free'
    return this.#knownName || this.#ground.attention.records.has(record) ? 'linked' : 'struct'
  }
}

/** Sentences stand in their order. */
function levelAt({ sentences }: SeenLeaf, at: number): Level {
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
