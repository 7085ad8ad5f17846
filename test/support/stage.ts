import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { Closing } from './closing.ts'
import type { Closable } from './closing.ts'
import { openClient } from './clients.ts'
import type { Client } from './clients.ts'
import { startEnvoy } from './envoy.ts'
import type { Envoy, EnvoyValues } from './envoy.ts'
import { freePorts } from './ports.ts'
import { startPlumbline } from './plumbline.ts'
import type { Plumbline, PlumblineConfig } from './plumbline.ts'
import { scratchFolder } from './scratch.ts'
import { startUpstream } from './upstream.ts'
import type { Upstream } from './upstream.ts'

export interface StageOptions {
  readonly config: PlumblineConfig
  /** Names that lead to ports, beside `upstream.test` and `upstream2.test`, which are there always. */
  readonly names?: Readonly<Record<string, number>>
  readonly tls?: EnvoyValues['tls']
  readonly messageTimeoutMs?: number
  /** A last change to Envoy's configuration. */
  readonly changeEnvoy?: (rendered: string) => string
  readonly env?: NodeJS.ProcessEnv
}

/** A real Envoy with Plumbline beside it, an agent behind it and an upstream in front of it. */
export interface Stage extends Closable {
  readonly envoy: Envoy
  /** The Plumbline that runs now, and what it was started with. */
  readonly plumbline: () => Plumbline
  readonly config: () => PlumblineConfig
  readonly agent: Upstream
  /** Answers to `upstream.test` in HTTP/1.1 and to `upstream2.test` in HTTP/2. */
  readonly upstream: Upstream
  readonly upstream2: Upstream
  readonly workload: string
  readonly adminPort: number
  /** Closed with the stage. */
  client(protocol: 'h1' | 'h2', direction: 'inbound' | 'outbound'): Client
  /** Ends Plumbline and starts it anew, with another configuration if one is given. */
  restartPlumbline(config?: PlumblineConfig): Promise<void>
  stopPlumbline(signal: NodeJS.Signals): Promise<void>
}

export async function startStage(options: StageOptions): Promise<Stage> {
  const closing = new Closing()
  try {
    return await build(options, closing)
  } catch (error) {
    await closing.close()
    throw error
  }
}

async function build(options: StageOptions, closing: Closing): Promise<Stage> {
  const folder = closing.add(await scratchFolder()).path
  const [agent, upstream, upstream2] = await Promise.all([startUpstream(), startUpstream(), startUpstream('h2')])
  for (const server of [agent, upstream, upstream2]) closing.add(server)
  const [adminPort = 0] = await freePorts(1)
  const socket = join(folder, 'p.sock')
  const token = randomUUID()
  const workload = 'tested'

  const start = (config: PlumblineConfig) =>
    startPlumbline({ folder, socket, adminPort, token, config, ...(options.env ? { env: options.env } : {}) })
  let config = options.config
  let plumbline = await start(config)
  closing.add({ close: () => plumbline.close() })

  const envoy = closing.add(
    await startEnvoy({
      folder,
      token,
      values: {
        agentPort: agent.port,
        plumblineAdminPort: adminPort,
        plumblineSocket: socket,
        workload,
        names: { 'upstream.test': upstream.port, 'upstream2.test': upstream2.port, ...options.names },
        tls: options.tls,
        messageTimeoutMs: options.messageTimeoutMs,
      },
      ...(options.changeEnvoy ? { change: options.changeEnvoy } : {}),
    }),
  )
  return {
    envoy,
    plumbline: () => plumbline,
    config: () => config,
    agent,
    upstream,
    upstream2,
    workload,
    adminPort,
    client: (protocol, direction) =>
      closing.add(openClient(protocol, direction === 'inbound' ? envoy.inboundPort : envoy.outboundPort)),
    restartPlumbline: async (next = config) => {
      config = next
      await plumbline.close()
      plumbline = await start(config)
    },
    stopPlumbline: async (signal) => {
      plumbline.program.kill(signal)
      await plumbline.program.ended
    },
    close: () => closing.close(),
  }
}
