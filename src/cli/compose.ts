import { buildChain } from '../config/chains.ts'
import { verdictDeadlines } from '../config/deadlines.ts'
import type { Config } from '../config/load.ts'
import type { PluginLog, Services } from '../config/plugin-type.ts'
import type { PipelineOptions } from '../pipeline/pipeline.ts'
import { createSessions } from '../session/memory.ts'

/** Calls that one answer may propose. Models propose a handful; each costs a question to every gate. */
const MAX_CALLS = 128

/** What the pipeline uses of the process, whatever the configuration says now. */
export interface Surroundings extends Omit<PipelineOptions, 'chains' | 'limits'> {
  readonly logOf: (plugin: string) => PluginLog
}

/** Everything that decides, made of a configuration: chains and limits. Listens nowhere. */
export function compose(config: Config, { logOf, ...process }: Surroundings): PipelineOptions {
  const { chains: plans, listener } = config
  const services = (id: string): Services => ({ log: logOf(id), now: process.now })
  const chains = { inbound: buildChain(plans.inbound, services), outbound: buildChain(plans.outbound, services) }
  return {
    chains,
    limits: {
      bodyBytes: listener.max_body_bytes,
      ratio: listener.max_body_ratio,
      hold: { bytes: listener.max_held_bytes, ms: listener.hold_deadline_ms, calls: MAX_CALLS },
      verdictDeadlineMs: verdictDeadlines(chains, listener.verdict_deadline_ms),
    },
    ...process,
  }
}

/** What is known of users and their agents; it outlives a configuration. */
export function sessionsOf({ session }: Config, now: () => number): PipelineOptions['sessions'] {
  const options = {
    enabled: session.enabled,
    ttlMs: session.ttl,
    maxEvents: session.max_events,
    maxSessions: session.max_sessions,
    lingerMs: session.linger,
    maxTombstones: session.max_tombstones,
    tombstoneTtlMs: session.tombstone_ttl,
  }
  return createSessions(options, { nowMs: now })
}
