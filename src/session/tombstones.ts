import { LIMITS } from './limits.ts'
import { RecentMap } from './recent-map.ts'
import type { SessionRecord } from './record.ts'

/** What is left of a session that was evicted or expired: its handle and the keys it was found by. No text. */
export interface Tombstone {
  readonly handle: string
  readonly contexts: readonly string[]
  readonly tasks: readonly string[]
  readonly traces: readonly string[]
  readonly diedMs: number
}

export class Tombstones {
  readonly #stones = new RecentMap<string, Tombstone>()
  readonly #names = new Map<string, Tombstone>()
  /** How many stones there are for a trace id. */
  readonly #traces = new Map<string, number>()
  readonly #max: number
  readonly #ttlMs: number

  constructor(max: number, ttlMs: number) {
    this.#max = max
    this.#ttlMs = ttlMs
  }

  get size(): number {
    return this.#stones.size
  }

  bury(record: SessionRecord, diedMs: number): void {
    const stone: Tombstone = {
      handle: record.handle,
      contexts: record.contexts.newestKeys(LIMITS.tombstoneContexts),
      tasks: record.tasks.newestKeys(LIMITS.tombstoneTasks),
      traces: record.spokenTraces.newestKeys(LIMITS.tombstoneTraces),
      diedMs,
    }
    this.#stones.set(stone.handle, stone)
    for (const key of [...stone.contexts, ...stone.tasks]) this.#names.set(key, stone)
    for (const key of stone.traces) this.#countTrace(key, 1)
    while (this.#stones.size > this.#max) this.#removeOldest()
  }

  named(key: string | undefined): Tombstone | undefined {
    return key === undefined ? undefined : this.#names.get(key)
  }

  traced(key: string): boolean {
    return this.#traces.has(key)
  }

  /** Sessions die in the order of time, so the oldest stone is the first to crumble. */
  sweep(nowMs: number): void {
    for (let oldest = this.#stones.oldest(); oldest !== undefined; oldest = this.#stones.oldest()) {
      if (nowMs - oldest[1].diedMs <= this.#ttlMs) return
      this.remove(oldest[1])
    }
  }

  remove(stone: Tombstone): void {
    this.#stones.delete(stone.handle)
    for (const key of [...stone.contexts, ...stone.tasks]) {
      // A younger stone may have taken the name over.
      if (this.#names.get(key) === stone) this.#names.delete(key)
    }
    for (const key of stone.traces) this.#countTrace(key, -1)
  }

  #countTrace(key: string, change: 1 | -1): void {
    const count = (this.#traces.get(key) ?? 0) + change
    if (count === 0) this.#traces.delete(key)
    else this.#traces.set(key, count)
  }

  #removeOldest(): void {
    const oldest = this.#stones.oldest()
    if (oldest !== undefined) this.remove(oldest[1])
  }
}
