import { LIMITS } from './limits.ts'
import { MultiMap } from './multi-map.ts'
import type { NameKind } from './names.ts'
import type { RecentKeys, SessionRecord } from './record.ts'

/** Finds living sessions by the names and trace ids that they were seen with. */
export class Directory {
  readonly #names = new Map<string, SessionRecord>()
  readonly #traces = new MultiMap<SessionRecord>()

  named(key: string | undefined): SessionRecord | undefined {
    return key === undefined ? undefined : this.#names.get(key)
  }

  /** At most `max`, the one that came to it last first. */
  traced(key: string, max: number): SessionRecord[] {
    return this.#traces.newest(key, max)
  }

  /** A name that another session holds stays with it: one name never means two conversations, and nobody loses theirs. */
  bindName(record: SessionRecord, kind: NameKind, key: string): void {
    if ((this.#names.get(key) ?? record) !== record) return
    this.#names.set(key, record)
    const keys = kind === 'context' ? record.contexts : record.tasks
    const dropped = addBounded(keys, key, kind === 'context' ? LIMITS.contexts : LIMITS.tasks)
    if (dropped !== undefined) this.#names.delete(dropped)
  }

  /** Several sessions may share a trace id. */
  bindTrace(record: SessionRecord, key: string, spoken: boolean): void {
    const known = record.spokenTraces.has(key) || record.otherTraces.has(key)
    if (!known) this.#traces.add(key, record)
    if (known && !spoken) return
    record.otherTraces.delete(key)
    const keys = spoken ? record.spokenTraces : record.otherTraces
    const dropped = addBounded(keys, key, spoken ? LIMITS.spokenTraces : LIMITS.otherTraces)
    if (dropped !== undefined) this.#traces.remove(dropped, record)
  }

  forget(record: SessionRecord): void {
    for (const keys of [record.contexts, record.tasks]) {
      for (const key of keys.newestKeys()) this.#names.delete(key)
    }
    for (const keys of [record.spokenTraces, record.otherTraces]) {
      for (const key of keys.newestKeys()) this.#traces.remove(key, record)
    }
  }
}

/** Adds the key as the newest; the key that had to go for it, if any. */
function addBounded(keys: RecentKeys, key: string, max: number): string | undefined {
  keys.set(key, true)
  if (keys.size <= max) return undefined
  const dropped = keys.oldest()?.[0]
  if (dropped !== undefined) keys.delete(dropped)
  return dropped
}
