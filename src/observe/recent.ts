import type { ExchangeRecord } from '../core/record.ts'

/** Records of exchanges that ended lately, for whoever asks why. */
export interface Recent {
  /** `json`: the record as it was written; kept as text, which is small. */
  add(requestId: string, json: string): void
  /** Newest first. */
  last(count: number): readonly ExchangeRecord[]
  /** All of one id, newest first: clients may send one id twice. */
  of(requestId: string): readonly ExchangeRecord[]
}

/** Of all records together, whatever their number: one that quotes many verdicts is large. */
const RECENT_BYTES = 32 * 1024 * 1024

/** What a character takes at most. */
const CHARACTER_BYTES = 2

interface Kept {
  readonly requestId: string
  readonly json: string
}

/** Keeps the newest `most`, and fewer where they are large. */
export function createRecent(most: number, limitBytes = RECENT_BYTES): Recent {
  /** In the order of their coming. */
  const kept = new Set<Kept>()
  let bytes = 0
  const newestFirst = (): Kept[] => [...kept].reverse()
  return {
    add: (requestId, json) => {
      if (most === 0) return
      kept.add({ requestId, json })
      bytes += json.length * CHARACTER_BYTES
      for (const oldest of kept) {
        if (kept.size <= most && bytes <= limitBytes) return
        kept.delete(oldest)
        bytes -= oldest.json.length * CHARACTER_BYTES
      }
    },
    last: (count) => newestFirst().slice(0, count).map(read),
    of: (requestId) =>
      newestFirst()
        .filter((each) => each.requestId === requestId)
        .map(read),
  }
}

function read({ json }: Kept): ExchangeRecord {
  return JSON.parse(json) as ExchangeRecord
}
