import { openedTogether } from './closing.ts'
import type { Closing } from './closing.ts'
import { openClient } from './clients.ts'
import type { Client } from './clients.ts'
import { startGuard } from './guard.ts'
import type { Guard, GuardOptions } from './guard.ts'
import { startUpstream } from './upstream.ts'
import type { Upstream } from './upstream.ts'

/** `names` stand beside `upstream.test` and `upstream2.test`, which are there always; `agentPort` is for a test's own agent. */
export type StageOptions = Omit<GuardOptions, 'agentPort' | 'names' | 'workload'> &
  Partial<Pick<GuardOptions, 'agentPort' | 'names'>>

/** A guard with an agent behind it and upstreams in front of it. */
export interface Stage extends Guard {
  readonly agent: Upstream
  /** Answers to `upstream.test` in HTTP/1.1 and to `upstream2.test` in HTTP/2. */
  readonly upstream: Upstream
  readonly upstream2: Upstream
  readonly workload: string
  /** Closed with the stage. */
  client(protocol: 'h1' | 'h2', direction: 'inbound' | 'outbound'): Client
}

export async function startStage(options: StageOptions): Promise<Stage> {
  return openedTogether((closing) => build(options, closing))
}

async function build(options: StageOptions, closing: Closing): Promise<Stage> {
  const [agent, upstream, upstream2] = await Promise.all([startUpstream(), startUpstream(), startUpstream('h2')])
  for (const server of [agent, upstream, upstream2]) closing.add(server)
  const workload = 'tested'
  const names = { 'upstream.test': upstream.port, 'upstream2.test': upstream2.port, ...options.names }
  const guard = closing.add(await startGuard({ agentPort: agent.port, ...options, names, workload }))
  return {
    ...guard,
    agent,
    upstream,
    upstream2,
    workload,
    client: (protocol, direction) =>
      closing.add(openClient(protocol, direction === 'inbound' ? guard.envoy.inboundPort : guard.envoy.outboundPort)),
    close: () => closing.close(),
  }
}
