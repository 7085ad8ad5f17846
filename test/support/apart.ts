import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { openClient } from './clients.ts'
import type { Client } from './clients.ts'
import { Closing } from './closing.ts'
import type { Closable } from './closing.ts'
import { startEnvoy } from './envoy.ts'
import type { Envoy, EnvoyOptions } from './envoy.ts'
import { startPlumbline } from './plumbline.ts'
import type { Plumbline, PlumblineConfig } from './plumbline.ts'
import { freePorts } from './ports.ts'
import { scratchFolder } from './scratch.ts'
import { startUpstream } from './upstream.ts'
import type { Upstream } from './upstream.ts'

export interface ApartEnvoyOptions extends Pick<EnvoyOptions, 'change'> {
  readonly messageTimeoutMs?: number
  /** In place of the token that Plumbline knows. */
  readonly token?: string
}

/** An agent and an upstream, and a place where Envoys and Plumbline meet: which of them run is up to the test. */
export interface Apart extends Closable {
  readonly agent: Upstream
  /** Answers to `upstream.test`. */
  readonly upstream: Upstream
  readonly socket: string
  readonly token: string
  /** All that is started here ends with this. */
  startEnvoy(options?: ApartEnvoyOptions): Promise<Envoy>
  startPlumbline(config: PlumblineConfig): Promise<Plumbline>
  client(envoy: Envoy, direction: 'inbound' | 'outbound'): Client
}

export async function prepareApart(): Promise<Apart> {
  const closing = new Closing()
  const folder = closing.add(await scratchFolder()).path
  const [agent, upstream] = await Promise.all([startUpstream(), startUpstream()])
  for (const server of [agent, upstream]) closing.add(server)
  const [adminPort = 0] = await freePorts(1)
  const socket = join(folder, 'p.sock')
  const token = randomUUID()
  return {
    agent,
    upstream,
    socket,
    token,
    startEnvoy: async ({ messageTimeoutMs, token: shown = token, change } = {}) => {
      const own = closing.add(await scratchFolder()).path
      const values = {
        agentPort: agent.port,
        plumblineAdminPort: adminPort,
        plumblineSocket: socket,
        workload: 'tested',
        names: { 'upstream.test': upstream.port },
        tls: undefined,
        messageTimeoutMs,
      }
      return closing.add(await startEnvoy({ folder: own, values, token: shown, ...(change ? { change } : {}) }))
    },
    startPlumbline: async (config) => closing.add(await startPlumbline({ folder, socket, adminPort, token, config })),
    client: (envoy, direction) =>
      closing.add(openClient('h1', direction === 'inbound' ? envoy.inboundPort : envoy.outboundPort)),
    close: () => closing.close(),
  }
}
