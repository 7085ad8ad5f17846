import type { Direction } from '../core/exchange.ts'
import type { Chain, Point } from '../core/plugin.ts'

export type Chains = Readonly<Record<Direction, Chain>>
export type Milliseconds = Readonly<Record<Direction, number>>

/** What reading, finding the session and answering may take beside the gates. */
const BESIDE_GATES_MS = 2000
/** Envoy waits this much longer, so that the client sees our answer and not Envoy's own. */
const ENVOY_WAITS_LONGER_MS = 500

const POINTS: readonly Point[] = ['request', 'completion']

/** What the gates of a chain may take together at one point, those that are off left out: the longer of the two. */
export function gatesMs(chain: Chain): number {
  const live = chain.plugins.filter(({ mode }) => mode !== 'off').map(({ plugin }) => plugin)
  const sumAt = (point: Point) =>
    live.reduce(
      (sum, plugin) => (plugin.kind === 'gate' && plugin.points.includes(point) ? sum + plugin.timeoutMs : sum),
      0,
    )
  return Math.max(...POINTS.map(sumAt))
}

/** From the moment a request, or a proposed call, is complete to our word on it: as configured, or long enough for every gate. */
export function verdictDeadlines(chains: Chains, configured: number | undefined): Milliseconds {
  const deadline = (chain: Chain) => configured ?? gatesMs(chain) + BESIDE_GATES_MS
  return { inbound: deadline(chains.inbound), outbound: deadline(chains.outbound) }
}

/** `message_timeout` of the Envoy filter of each direction. */
export function messageTimeouts(verdicts: Milliseconds): Milliseconds {
  return {
    inbound: verdicts.inbound + ENVOY_WAITS_LONGER_MS,
    outbound: verdicts.outbound + ENVOY_WAITS_LONGER_MS,
  }
}
