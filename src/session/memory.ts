import type { Sessions } from '../core/session.ts'
import { nobody } from './candidates.ts'
import type { RandomBytes } from './handle.ts'
import { Inbound } from './inbound.ts'
import { hear, remember } from './lessons.ts'
import { Notes } from './notes.ts'
import type { Clock, SessionOptions } from './options.ts'
import { resolveOutbound } from './resolver.ts'
import { hasResults } from './shown-results.ts'
import { Store } from './store.ts'

export type { Clock, SessionOptions } from './options.ts'

/** Sessions in the memory of this process. A restart loses them; what that means is in `docs/sessions.md`. */
export function createSessions(options: SessionOptions, clock: Clock, random?: RandomBytes): Sessions {
  const store = new Store(options, clock, random)
  const inbound = new Inbound(store)
  const notes = new Notes(options.ttlMs)
  const disabled = nobody('none', 'disabled')

  return {
    peek: (query) => (options.enabled ? inbound.peek(query) : disabled),
    enter: (query) => (options.enabled ? inbound.enter(query) : undefined),
    resolve: (query) => (options.enabled ? resolveOutbound(store, query, options.lingerMs) : disabled),
    learn(sessionId, lessons, host, exchange, resultsBytes) {
      const record = store.population.get(sessionId)
      if (record === undefined) return undefined
      // `hear` takes no user's message: whatever the agent sends, it cannot speak for its user.
      for (const lesson of lessons) {
        hear(record, lesson)
        remember(record.conversations, lesson, exchange)
      }
      if (host !== undefined && host !== '') record.wentTo(host)
      return record.results.learn(lessons, host, resultsBytes) ? record.view : undefined
    },
    learnStray: (workload, lessons, exchange, candidates) => {
      if (!options.enabled) return
      store.strays.learn(workload, lessons, exchange, clock.nowMs())
      if (!lessons.some(hasResults)) return
      for (const id of candidates) store.population.get(id)?.results.miss()
    },
    note: (workload, keys) => {
      notes.plant(workload, keys, clock.nowMs())
    },
    notes: (workload) => ({ has: (key) => notes.has(workload, key, clock.nowMs()) }),
    stats() {
      store.sweep()
      const { population, tombstones } = store
      return { sessions: population.size, inFlight: population.inFlight, tombstones: tombstones.size }
    },
  }
}

/**
 * Ends sessions on time when nothing else happens, and spreads the work of it: otherwise the first exchange after a
 * pause would bury all that ended meanwhile. Returns its stop.
 */
export function sweepRegularly(sessions: Sessions, everyMs = 1_000): () => void {
  const timer = setInterval(() => sessions.stats(), everyMs)
  timer.unref()
  return () => {
    clearInterval(timer)
  }
}
