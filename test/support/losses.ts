import type { Envoy } from './envoy.ts'

/**
 * Envoy's counters of exchanges that went another way than Plumbline said. In a healthy run all of them stay where they
 * are; where a test puts a fault in, it says by how much which one moves.
 */
export const LOSSES = [
  'streams_failed',
  'failure_mode_allowed',
  'spurious_msgs_received',
  'message_timeouts',
  'rejected_header_mutations',
  'upstream_cx_destroy_remote_with_active_rq',
] as const

export type Losses = Readonly<Record<(typeof LOSSES)[number], number>>

export const NO_LOSS: Losses = {
  streams_failed: 0,
  failure_mode_allowed: 0,
  spurious_msgs_received: 0,
  message_timeouts: 0,
  rejected_header_mutations: 0,
  upstream_cx_destroy_remote_with_active_rq: 0,
}

/** The counters of both listeners' processors and of the cluster that leads to Plumbline. */
export async function readLosses(envoy: Envoy): Promise<Losses> {
  const stats = await envoy.stats('plumbline')
  const names = Object.keys(stats)
  const sum = (loss: string) =>
    names.filter((name) => name.endsWith(`.${loss}`)).reduce((total, name) => total + (stats[name] ?? 0), 0)
  return Object.fromEntries(LOSSES.map((loss) => [loss, sum(loss)])) as Losses
}

export function lossesSince(before: Losses, now: Losses): Losses {
  return Object.fromEntries(LOSSES.map((loss) => [loss, now[loss] - before[loss]])) as Losses
}
