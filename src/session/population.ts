import { RecentMap } from './recent-map.ts'
import type { SessionRecord } from './record.ts'

/** Sessions by id, in the order of their last use. */
type Row = RecentMap<string, SessionRecord>

interface Workload {
  /** With an open inbound exchange; newest user turn or newest entry first. */
  readonly open: Row
  /** The rest; newest activity first. */
  readonly idle: Row
}

/** The living sessions, and which of them are in flight. Every step costs the same however many there are. */
export class Population {
  readonly #byId = new Map<string, SessionRecord>()
  readonly #idle: Row = new RecentMap()
  readonly #workloads = new Map<string, Workload>()

  get size(): number {
    return this.#byId.size
  }

  get inFlight(): number {
    return this.#byId.size - this.#idle.size
  }

  get(id: string): SessionRecord | undefined {
    return this.#byId.get(id)
  }

  has(record: SessionRecord): boolean {
    return this.#byId.get(record.id) === record
  }

  /** A new session, with its first exchange open. */
  add(record: SessionRecord): void {
    this.#byId.set(record.id, record)
    const row = this.#workloads.get(record.workload) ?? { open: new RecentMap(), idle: new RecentMap() }
    this.#workloads.set(record.workload, row)
    this.enter(record)
  }

  enter(record: SessionRecord): void {
    record.open += 1
    this.#idle.delete(record.id)
    const workload = this.#workloads.get(record.workload)
    workload?.idle.delete(record.id)
    workload?.open.set(record.id, record)
  }

  leave(record: SessionRecord, nowMs: number): void {
    record.open -= 1
    if (record.open > 0) return
    this.#workloads.get(record.workload)?.open.delete(record.id)
    this.#rest(record, nowMs)
  }

  /** It was active just now; one in flight is so anyway. */
  touch(record: SessionRecord, nowMs: number): void {
    if (record.open === 0) this.#rest(record, nowMs)
  }

  remove(record: SessionRecord): void {
    this.#byId.delete(record.id)
    this.#idle.delete(record.id)
    const workload = this.#workloads.get(record.workload)
    workload?.idle.delete(record.id)
    workload?.open.delete(record.id)
    if (workload?.idle.size === 0 && workload.open.size === 0) this.#workloads.delete(record.workload)
  }

  /** Of those that are not in flight; those that linger are the youngest of them. */
  idleLongest(): SessionRecord | undefined {
    return this.#idle.oldest()?.[1]
  }

  /** A workload's sessions in flight, then those that were active since `sinceMs`, newest first; at most `max`. */
  activeSince(workload: string, sinceMs: number, max: number): SessionRecord[] {
    const found: SessionRecord[] = []
    const rows = this.#workloads.get(workload)
    for (const record of rows?.open.newestFirst() ?? []) {
      if (found.length === max) return found
      found.push(record)
    }
    for (const record of rows?.idle.newestFirst() ?? []) {
      if (found.length === max || record.lastActiveMs < sinceMs) return found
      found.push(record)
    }
    return found
  }

  #rest(record: SessionRecord, nowMs: number): void {
    record.lastActiveMs = nowMs
    this.#idle.set(record.id, record)
    this.#workloads.get(record.workload)?.idle.set(record.id, record)
  }
}
