import { Directory } from './directory.ts'
import { newHandle, type RandomBytes } from './handle.ts'
import { LIMITS } from './limits.ts'
import type { Clock, SessionOptions } from './options.ts'
import { Population } from './population.ts'
import { SessionRecord, type Totals } from './record.ts'
import { Strays } from './strays.ts'
import { Tombstones, type Tombstone } from './tombstones.ts'
import { Total } from './total.ts'

/** The life of sessions: they start, start anew, expire, make room, and leave a tombstone. */
export class Store {
  readonly population = new Population()
  readonly directory = new Directory()
  readonly tombstones: Tombstones
  readonly strays: Strays
  readonly #totals: Totals = {
    heard: { chars: 0 },
    conversations: new Total(LIMITS.conversationCharsOverall),
    results: new Total(LIMITS.resultBytesOverall),
  }
  readonly #options: SessionOptions
  readonly #clock: Clock
  readonly #random: RandomBytes | undefined

  constructor(options: SessionOptions, clock: Clock, random: RandomBytes | undefined) {
    this.#options = options
    this.#clock = clock
    this.#random = random
    this.strays = new Strays(this.#totals.conversations, options.ttlMs)
    this.tombstones = new Tombstones(options.maxTombstones, options.tombstoneTtlMs)
  }

  nowMs(): number {
    return this.#clock.nowMs()
  }

  /** Buries what is over. Each session is buried once, so in the long run this costs nothing. Returns the time. */
  sweep(): number {
    const nowMs = this.#clock.nowMs()
    const lifeMs = Math.max(this.#options.ttlMs, this.#options.lingerMs)
    for (let oldest = this.population.idleLongest(); oldest !== undefined; oldest = this.population.idleLongest()) {
      if (nowMs - oldest.lastActiveMs <= lifeMs) break
      this.#bury(oldest, oldest.lastActiveMs + lifeMs)
    }
    this.tombstones.sweep(nowMs)
    this.strays.sweep(nowMs)
    return nowMs
  }

  /** A new session, its first exchange open; under the handle and keys of `stone` if there is one. Undefined: no room. */
  start(workload: string, stone: Tombstone | undefined): SessionRecord | undefined {
    const full = this.population.size >= this.#options.maxSessions
    const leaver = full ? this.population.idleLongest() : undefined
    if (full && leaver === undefined) return undefined
    const nowMs = this.#clock.nowMs()
    // Before the leaver's own stone, which might push this one out.
    if (stone !== undefined) this.tombstones.remove(stone)
    if (leaver !== undefined) this.#bury(leaver, nowMs)
    const handle = stone?.handle ?? newHandle(this.#random)
    const record = new SessionRecord(handle, workload, nowMs, this.#options.maxEvents, this.#totals)
    this.population.add(record)
    if (stone !== undefined) this.#restore(record, stone)
    return record
  }

  #restore(record: SessionRecord, stone: Tombstone): void {
    // What its tools answered before is gone.
    record.results.miss()
    for (const key of stone.contexts.toReversed()) this.directory.bindName(record, 'context', key)
    for (const key of stone.tasks.toReversed()) this.directory.bindName(record, 'task', key)
    for (const key of stone.traces.toReversed()) this.directory.bindTrace(record, key, true)
  }

  #bury(record: SessionRecord, diedMs: number): void {
    this.population.remove(record)
    this.directory.forget(record)
    record.release()
    this.tombstones.bury(record, diedMs)
  }
}
