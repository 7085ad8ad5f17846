import { isUnixSocket } from './addresses.ts'
import { type ChainPlan, factsFor, live } from './chains.ts'
import { type Chains, gatesMs } from './deadlines.ts'
import { inWords } from './fields.ts'
import { isLoopback, type Listener, listenersOf } from './listeners.ts'
import type { Config } from './load.ts'

/** What is allowed and yet worth knowing; said at start, by `validate` and in `/readyz`. */
export interface Findings {
  /** Settings in force under which something passes unchecked. */
  readonly failsOpen: readonly string[]
  /** Each with what to write instead. */
  readonly warnings: readonly string[]
}

export function findings(config: Config, chains: Chains): Findings {
  const plans = [config.chains.inbound, config.chains.outbound]
  return {
    failsOpen: [...plans.flatMap(unguarded), ...plans.flatMap(openPlugins)],
    warnings: [
      ...listenerWarnings(config.listener),
      ...deadlineWarnings(config.listener, chains),
      ...plans.flatMap(pluginWarnings),
    ],
  }
}

/** What the agent does must meet a gate; what comes to it need not. */
function unguarded(plan: ChainPlan): string[] {
  const enforces = plan.plugins.some(({ type, mode }) => type.kind === 'gate' && mode === 'enforce')
  return plan.direction === 'outbound' && !enforces
    ? ['outbound: no gate enforces, so nothing that the agent does is refused']
    : []
}

function openPlugins(plan: ChainPlan): string[] {
  return plan.plugins.flatMap(({ id, type, mode, config }) => {
    const name = `${plan.direction}/${id}`
    if (mode === 'off') return [`${name}: on_error is off, so it does nothing`]
    const observes = mode === 'observe' ? [`${name}: on_error is observe, so what it would refuse passes`] : []
    return [...observes, ...(type.failsOpen?.(config) ?? []).map((setting) => `${name}: ${setting}`)]
  })
}

function pluginWarnings(plan: ChainPlan): string[] {
  return live(plan).flatMap((planned) =>
    (planned.type.warn?.(planned.config, factsFor(planned, plan)) ?? []).map(
      (warning) => `${plan.direction}/${planned.id}: ${warning}`,
    ),
  )
}

function listenerWarnings(listener: Config['listener']): string[] {
  const warnings: string[] = []
  warnings.push(...clearTextWarnings(listener))
  if (listener.workload === undefined) {
    warnings.push(
      'listener.workload is not set: one agent per process, unless the Envoy filter sends x-plumbline-workload',
    )
  }
  if (listener.routing === undefined) {
    warnings.push(
      'listener.routing is not set: unless the Envoy filter sends "x-plumbline-routing: host", nothing that trusts a ' +
        "host holds: bypass_hosts, agent_llm_host, the judge's own calls, the parsers' hosts, trusted_hosts; " +
        'set "routing: host" if the Host header decides where Envoy sends a request',
    )
  }
  return warnings
}

/** Of listeners on TCP without TLS. With it, only clients of our own authority get in. */
function clearTextWarnings(listener: Config['listener']): string[] {
  if (listener.tls !== undefined) return []
  const tcp = listenersOf(listener).filter(({ address }) => !isUnixSocket(address))
  const open = listener.token_file === undefined ? tcp : []
  const abroad = tcp.filter(({ address }) => !isLoopback(address))
  return [
    ...warningAt(
      open,
      'TCP without a token: whoever reaches the port can forge what a user asked; set listener.token_file or ' +
        'listener.tls, or listen on unix:/path where the agent cannot open it',
    ),
    ...warningAt(
      abroad,
      'TCP without TLS beyond this machine: whoever is on the way can read what is checked, and change it; set ' +
        'listener.tls, or listen on 127.0.0.1',
    ),
  ]
}

function warningAt(listeners: readonly Listener[], text: string): string[] {
  return listeners.length === 0 ? [] : [`${listeners.map(({ address }) => address).join(' and ')}: ${text}`]
}

function deadlineWarnings({ verdict_deadline_ms: deadline }: Config['listener'], chains: Chains): string[] {
  const longest = Math.max(gatesMs(chains.inbound), gatesMs(chains.outbound))
  if (deadline === undefined || deadline > longest) return []
  return [
    `listener.verdict_deadline_ms is ${inWords(deadline)}, and the gates of a chain may take ${inWords(longest)}: slow ` +
      'verdicts end as 503 plumbline.deadline; leave it out, or make it longer',
  ]
}
