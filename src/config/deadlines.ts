import type { Direction } from '../core/exchange.ts'
import type { Chain } from '../core/plugin.ts'

export type Chains = Readonly<Record<Direction, Chain>>
export type Milliseconds = Readonly<Record<Direction, number>>

/** What reading, finding the session and answering may take beside the gates. */
const BESIDE_GATES_MS = 2000
/** Envoy waits this much longer, so that the client sees our answer and not Envoy's own. */
const ENVOY_WAITS_LONGER_MS = 500

/** What the gates of a chain may take together, those that are off left out. */
export function gatesMs(chain: Chain): number {
  return chain.plugins.reduce(
    (sum, { mode, plugin }) => (mode !== 'off' && plugin.kind === 'gate' ? sum + plugin.timeoutMs : sum),
    0,
  )
}

/** From the moment a request is complete to our answer: as configured, or long enough for every gate. */
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
