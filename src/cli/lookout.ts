import { exchangeRoutes } from '../admin/exchanges.ts'
import { metricsRoute } from '../admin/metrics.ts'
import type { AdminRoute } from '../admin/server.ts'
import type { Config } from '../config/load.ts'
import type { ExchangeRecord } from '../core/record.ts'
import type { Telemetry } from '../core/telemetry.ts'
import { sparsely } from '../extproc/log.ts'
import type { Observer } from '../observe/log.ts'
import { createMetrics } from '../observe/metrics.ts'
import { createRecent } from '../observe/recent.ts'
import { together } from '../observe/together.ts'
import { version } from './version.ts'

/** What counts and keeps exchanges for an operator to see. It outlives a configuration. */
export interface Lookout {
  readonly telemetry: Telemetry
  record(record: ExchangeRecord): void
  reloaded(ok: boolean): void
  /** `figures`: the state of now, asked for at each scrape. */
  routes(figures: () => Readonly<Record<string, number>>): readonly AdminRoute[]
}

export interface LookoutOptions {
  readonly observer: Observer
  /** Whoever traces, where somebody does. */
  readonly traces: Telemetry | undefined
  /** Milliseconds, monotone. */
  readonly now: () => number
}

export function createLookout({ admin }: Config, { observer, traces, now }: LookoutOptions): Lookout {
  const metrics = createMetrics({ version: version(), now, clock: () => Date.now() })
  const recent = createRecent(admin.recent_exchanges)
  const warn = sparsely((facts, message) => observer.log.warn(facts, message))
  return {
    telemetry: together(traces === undefined ? [metrics] : [metrics, traces], (cause) => {
      warn({ err: cause }, 'an exchange could not be counted or traced')
    }),
    record: (record) => {
      recent.add(record.requestId, observer.record(record))
    },
    reloaded: (ok) => {
      metrics.reloaded(ok)
    },
    routes: (figures) => [metricsRoute(() => metrics.scrape(figures)), ...exchangeRoutes(recent)],
  }
}
