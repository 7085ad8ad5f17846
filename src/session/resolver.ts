import type { OutboundQuery, Resolution } from '../core/session.ts'
import { ambiguous, among, exact, nobody } from './candidates.ts'
import { publicId, readHandles } from './handle.ts'
import { LIMITS } from './limits.ts'
import { traceKey } from './names.ts'
import type { SessionRecord } from './record.ts'
import type { Store } from './store.ts'

/** Which session an outbound exchange belongs to. The first kind of evidence that there is decides. */
export function resolveOutbound(store: Store, query: OutboundQuery, lingerMs: number): Resolution {
  const nowMs = store.sweep()
  const resolution =
    byHandle(store, query) ?? byTrace(store, query) ?? byPresence(store, query.workload, nowMs - lingerMs)
  keepLingering(store, resolution, nowMs)
  return resolution.certainty === 'lost' ? resolution : { ...resolution, stray: straysOf(store, query.workload) }
}

/** Handles that contradict each other are as good as their weakest. */
function byHandle(store: Store, query: OutboundQuery): Resolution | undefined {
  const handles = readHandles(query.handles)
  if (handles.size === 0) return undefined
  const known: SessionRecord[] = []
  for (const handle of handles) {
    const record = store.population.get(publicId(handle))
    // Evicted, expired, of another process or another workload: there was a session, and it is not here.
    if (record?.workload !== query.workload) return nobody('lost', 'handle')
    known.push(record)
  }
  const [first, ...others] = known
  if (first === undefined) return undefined
  return others.length === 0 ? exact('handle', first) : ambiguous('handle', known)
}

function straysOf(store: Store, workload: string): NonNullable<Resolution['stray']> {
  return (call) => store.strays.recall(workload, call)
}

function byTrace(store: Store, query: OutboundQuery): Resolution | undefined {
  const key = traceKey(query.workload, query.traceId)
  if (key === undefined) return undefined
  const living = store.directory.traced(key, LIMITS.candidates)
  const [first, ...others] = living
  const someGone = store.tombstones.traced(key)
  if (first === undefined) return someGone ? nobody('lost', 'trace') : undefined
  // With a session gone that had this trace id too, the one that is left is likely, not certain.
  if (others.length === 0 && !someGone) return exact('trace', first)
  return ambiguous('trace', living)
}

function byPresence(store: Store, workload: string, lingeringSinceMs: number): Resolution {
  const activeSince = (sinceMs: number) => store.population.activeSince(workload, sinceMs, LIMITS.candidates)
  return (
    among('in_flight', activeSince(lingeringSinceMs)) ?? among('live', activeSince(-Infinity)) ?? nobody('none', 'none')
  )
}

/** Only certain use keeps a session at hand: a guess must not feed the next guess. */
function keepLingering(store: Store, resolution: Resolution, nowMs: number): void {
  if (resolution.certainty !== 'exact') return
  const [view] = resolution.candidates
  const record = view && store.population.get(view.id)
  if (record !== undefined) store.population.touch(record, nowMs)
}
