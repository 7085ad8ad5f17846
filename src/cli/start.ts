import { performance } from 'node:perf_hooks'
import { healthRoutes, type Readiness } from '../admin/health.ts'
import { createAdminServer } from '../admin/server.ts'
import { type Findings, findings } from '../config/findings.ts'
import { listenersOf } from '../config/listeners.ts'
import type { Config } from '../config/load.ts'
import { tokenCheck, type Trust } from '../extproc/caller.ts'
import { createExtProcServer, type ExtProcServer } from '../extproc/server.ts'
import type { Observer } from '../observe/log.ts'
import { createPipeline, type PipelineOptions } from '../pipeline/pipeline.ts'
import { compose } from './compose.ts'
import { sweepRegularly } from '../session/memory.ts'
import { warmUp } from './warm-up.ts'

export interface StartOptions {
  readonly observer: Observer
  /** What Envoy must show. */
  readonly token?: string | undefined
  /** How long a stopping server still takes new exchanges, so that Envoy's health check can notice. */
  readonly drainPauseMs?: number
}

export interface Running {
  readonly findings: Findings
  /** As bound. */
  readonly addresses: readonly string[]
  readonly adminAddress: string
  figures(): Readonly<Record<string, number>>
  /** Drains. Idempotent. */
  stop(): Promise<void>
}

const now = () => performance.now()

/** The whole server, in this process. Rejects when it cannot listen; then nothing stays open. */
export async function startPlumbline(config: Config, options: StartOptions): Promise<Running> {
  const { log, record } = options.observer
  const pipeline = compose(config, { log, record, now, logOf: (plugin) => log.child({ plugin }) })
  const extproc = extProcOf(config, options, pipeline)
  const figures = () => ({ ...pipeline.sessions.stats(), ...extproc.stats() })

  let state: Readiness['state'] = 'starting'
  const found = findings(config, pipeline.chains)
  const admin = createAdminServer({
    address: config.admin.address,
    routes: healthRoutes(() => ({ state, ...found, figures: figures() })),
    authorize: () => 'unset',
  })
  const adminAddress = await admin.start()
  try {
    await warmUp(pipeline)
    await extproc.start()
  } catch (error) {
    await Promise.all([extproc.stop(), admin.stop()])
    throw error
  }
  const stopSweeping = sweepRegularly(pipeline.sessions)
  state = 'ready'

  const drain = async () => {
    state = 'draining'
    await extproc.stop()
    stopSweeping()
    await admin.stop()
  }
  let stopping: Promise<void> | undefined
  return {
    findings: found,
    addresses: extproc.addresses,
    adminAddress,
    figures,
    stop: async () => (stopping ??= drain()),
  }
}

/** What is believed of whoever opens a stream. */
function trustOf({ workload, routing }: Config['listener'], token: string | undefined): Trust {
  return {
    defaultWorkload: workload ?? 'default',
    ...(routing === undefined ? {} : { routing }),
    ...(token === undefined ? {} : { knowsToken: tokenCheck(token) }),
  }
}

function extProcOf({ listener }: Config, options: StartOptions, pipeline: PipelineOptions): ExtProcServer {
  return createExtProcServer({
    open: createPipeline(pipeline).open,
    listeners: listenersOf(listener),
    ...trustOf(listener, options.token),
    log: pipeline.log,
    maxStreams: listener.max_streams,
    maxReceiveBytes: listener.max_receive_bytes,
    bodyDeadlineMs: listener.body_deadline_ms,
    bodiesInMemoryBytes: listener.max_bodies_bytes,
    drainDeadlineMs: listener.drain_deadline_ms,
    ...(options.drainPauseMs === undefined ? {} : { drainPauseMs: options.drainPauseMs }),
  })
}
