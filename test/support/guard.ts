import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { openedTogether } from './closing.ts'
import type { Closable, Closing } from './closing.ts'
import { startEnvoy } from './envoy.ts'
import type { Envoy, EnvoyValues } from './envoy.ts'
import { freePorts } from './ports.ts'
import { startPlumbline } from './plumbline.ts'
import type { Plumbline, PlumblineConfig } from './plumbline.ts'
import { scratchFolder } from './scratch.ts'

export interface GuardOptions {
  readonly config: PlumblineConfig
  readonly agentPort: number
  /** Names that lead to ports of this machine. */
  readonly names: Readonly<Record<string, number>>
  readonly workload: string
  readonly tls?: EnvoyValues['tls']
  readonly messageTimeoutMs?: number
  /** In place of the shipped `envoy/sidecar.yaml`. */
  readonly sidecar?: string
  /** A last change to Envoy's configuration. */
  readonly changeEnvoy?: (rendered: string) => string
  readonly env?: NodeJS.ProcessEnv
}

/** A real Envoy with Plumbline beside it, as the shipped configuration has them. */
export interface Guard extends Closable {
  readonly envoy: Envoy
  /** The Plumbline that runs now, and what it was started with. */
  readonly plumbline: () => Plumbline
  readonly config: () => PlumblineConfig
  readonly adminPort: number
  /** Ends Plumbline and starts it anew, with another configuration if one is given. */
  restartPlumbline(config?: PlumblineConfig): Promise<void>
  stopPlumbline(signal: NodeJS.Signals): Promise<void>
}

export async function startGuard(options: GuardOptions): Promise<Guard> {
  return openedTogether((closing) => build(options, closing))
}

async function build(options: GuardOptions, closing: Closing): Promise<Guard> {
  const folder = closing.add(await scratchFolder()).path
  const [adminPort = 0] = await freePorts(1)
  const socket = join(folder, 'p.sock')
  const token = randomUUID()

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
        agentPort: options.agentPort,
        plumblineAdminPort: adminPort,
        plumblineSocket: socket,
        workload: options.workload,
        names: options.names,
        tls: options.tls,
        messageTimeoutMs: options.messageTimeoutMs,
      },
      ...(options.sidecar === undefined ? {} : { sidecar: options.sidecar }),
      ...(options.changeEnvoy ? { change: options.changeEnvoy } : {}),
    }),
  )
  return {
    envoy,
    plumbline: () => plumbline,
    config: () => config,
    adminPort,
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
