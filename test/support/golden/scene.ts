import { buildChain } from '../../../src/config/chains.ts'
import { verdictDeadlines } from '../../../src/config/deadlines.ts'
import { readConfig } from '../../../src/config/load.ts'
import type { Direction } from '../../../src/core/exchange.ts'
import type { OpenExchange } from '../../../src/core/handler.ts'
import type { Chain } from '../../../src/core/plugin.ts'
import type { ExchangeRecord } from '../../../src/core/record.ts'
import { PLUGIN_TYPES } from '../../../src/cli/plugins.ts'
import { createPipeline } from '../../../src/pipeline/pipeline.ts'
import { createSessions } from '../../../src/session/memory.ts'
import { SILENT_LOG } from '../extproc/handlers.ts'
import { configOf } from './transcript.ts'

export interface Scene {
  readonly open: OpenExchange
  /** The plugins of each chain, in the order of the configuration. */
  readonly order: Readonly<Record<Direction, readonly string[]>>
  /** The record of the next exchange that ends. */
  nextRecord(): Promise<ExchangeRecord>
  /** Lets time pass for the sessions. */
  later(ms: number): void
}

/** Real parsers, gates and sessions of one configuration; `JUDGE` is where its judge answers. */
export function setScene(config: string, judgeUrl: string): Scene {
  const loaded = readConfig(configOf(config), `${config}.yaml`, {
    environment: { JUDGE: judgeUrl },
    types: PLUGIN_TYPES,
  })
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'))
  const { chains: plans, listener, session } = loaded.config
  const services = () => ({ log: SILENT_LOG, now: () => 0 })
  const chains = { inbound: buildChain(plans.inbound, services), outbound: buildChain(plans.outbound, services) }

  let clock = 0
  const records: ExchangeRecord[] = []
  const waiting: ((record: ExchangeRecord) => void)[] = []
  const pipeline = createPipeline({
    chains,
    sessions: createSessions(
      {
        enabled: session.enabled,
        ttlMs: session.ttl,
        maxEvents: session.max_events,
        maxSessions: session.max_sessions,
        lingerMs: session.linger,
        maxTombstones: session.max_tombstones,
        tombstoneTtlMs: session.tombstone_ttl,
      },
      { nowMs: () => clock },
    ),
    limits: {
      bodyBytes: listener.max_body_bytes,
      ratio: listener.max_body_ratio,
      verdictDeadlineMs: verdictDeadlines(chains, listener.verdict_deadline_ms),
    },
    log: SILENT_LOG,
    record: (record) => {
      const next = waiting.shift()
      if (next === undefined) records.push(record)
      else next(record)
    },
    now: () => 0,
  })
  return {
    open: pipeline.open,
    order: { inbound: idsIn(chains.inbound), outbound: idsIn(chains.outbound) },
    nextRecord: async () => records.shift() ?? new Promise((done) => waiting.push(done)),
    later: (ms) => (clock += ms),
  }
}

const idsIn = ({ plugins }: Chain) => plugins.map(({ id }) => id)
