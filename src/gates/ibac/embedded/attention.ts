import type { Evidence, TakenResult } from './evidence.ts'
import { holds } from './find.ts'
import { stemOf, wordsOf } from './stem.ts'
import type { UserFacts } from './user.ts'
import { bareUrl, hostOf } from './values.ts'

/** What the user's words point at, also by way of what they point at. */
export interface Attention {
  readonly records: ReadonlySet<number>
  readonly results: ReadonlySet<number>
  /** Of these, some records are pointed at. */
  readonly resultsOfRecords: ReadonlySet<number>
}

const FOLLOWED_CHARACTERS = 60_000
/** What is passed beyond this names nothing. */
const NAMING_CHARACTERS = 2000
const SHORTEST_BASE = 3

/** Follows what the user's words point at, result by result as they come. */
class Following implements Attention {
  readonly records = new Set<number>()
  readonly results = new Set<number>()
  readonly resultsOfRecords = new Set<number>()
  readonly #evidence: Evidence
  readonly #user: UserFacts
  /** How far each list of the index was read. */
  readonly #read = new Map<string, number>()
  #taken = 0
  /** The text of what is pointed at, as far as links are followed in it. */
  #text = ''

  constructor(evidence: Evidence, user: UserFacts) {
    this.#evidence = evidence
    this.#user = user
  }

  caughtUp(): Attention {
    const { results } = this.#evidence
    if (this.#taken === results.length) return this
    for (const stem of this.#user.rare) this.#readRecords(stem)
    for (; this.#taken < results.length; this.#taken += 1) {
      const result = results[this.#taken]
      if (result !== undefined && this.#pointsAt(result)) this.#follow(result)
    }
    return this
  }

  #readRecords(stem: string): void {
    const records = this.#evidence.recordsWithStem(stem)
    for (const record of records.slice(this.#read.get(stem) ?? 0)) {
      this.records.add(record)
      this.resultsOfRecords.add(this.#evidence.records[record]?.result ?? 0)
    }
    this.#read.set(stem, records.length)
  }

  #follow(result: TakenResult): void {
    this.results.add(this.#taken)
    this.#text = `${this.#text}\n${result.text}`.slice(-FOLLOWED_CHARACTERS)
  }

  #pointsAt({ passed }: TakenResult): boolean {
    return passed.some((text) => isPointedAt(text, this.#user, this.#text))
  }
}

const followings = new WeakMap<Evidence, WeakMap<UserFacts, Following>>()

export function attentionTo(evidence: Evidence, user: UserFacts): Attention {
  let known = followings.get(evidence)
  if (known === undefined) followings.set(evidence, (known = new WeakMap()))
  let following = known.get(user)
  if (following === undefined) known.set(user, (following = new Following(evidence, user)))
  return following.caughtUp()
}

/** The user names it, or what was read because of the user does. */
function isPointedAt(passed: string, user: UserFacts, read: string): boolean {
  if (passed === '') return false
  const isNamed = (name: string) => holds(user.text, name) || holds(read, name)
  if (isNamed(passed)) return true
  const bare = bareUrl(passed)
  const host = hostOf(bare)
  if (host.includes('.') && holds(user.text, host)) return true
  if (bare !== passed && holds(read, bare)) return true
  const base = passed.slice(passed.lastIndexOf('/') + 1)
  if (base !== passed && base.length >= SHORTEST_BASE && isNamed(base)) return true
  return wordsOf(passed.slice(0, NAMING_CHARACTERS)).some((word) => user.rare.has(stemOf(word)))
}
