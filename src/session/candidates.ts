import type { Certainty, Resolution, SessionView } from '../core/session.ts'
import type { SessionRecord } from './record.ts'

export function exact(method: string, record: SessionRecord): Resolution {
  return { certainty: 'exact', method, candidates: [record.view] }
}

/** Nobody that could be named. */
export function nobody(certainty: Certainty & ('lost' | 'none'), method: string): Resolution {
  return { certainty, method, candidates: [] }
}

export function ambiguous(method: string, records: readonly SessionRecord[]): Resolution {
  return { certainty: 'ambiguous', method, candidates: ordered(records) }
}

/** No evidence names a session; these are all that it can be. */
export function among(method: string, records: readonly SessionRecord[]): Resolution | undefined {
  const [first, ...others] = records
  if (first === undefined) return undefined
  if (others.length > 0) return ambiguous(method, records)
  return { certainty: 'inferred', method, candidates: [first.view] }
}

/** Likeliest first: an open inbound exchange, then the newest user turn. */
function ordered(records: readonly SessionRecord[]): SessionView[] {
  return records
    .toSorted((a, b) => Number(b.open > 0) - Number(a.open > 0) || b.lastTurn - a.lastTurn)
    .map((record) => record.view)
}
