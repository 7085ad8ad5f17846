import { performance } from 'node:perf_hooks'
import { bearerCheck } from '../admin/bearer.ts'
import { healthRoutes, type Readiness } from '../admin/health.ts'
import { createAdminServer } from '../admin/server.ts'
import type { Findings } from '../config/findings.ts'
import { listenersOf } from '../config/listeners.ts'
import type { Config } from '../config/load.ts'
import { createByteBudget } from '../core/byte-budget.ts'
import type { OpenExchange } from '../core/handler.ts'
import type { Telemetry } from '../core/telemetry.ts'
import type { TokenCheck, Trust } from '../extproc/caller.ts'
import { createExtProcServer, type ExtProcServer } from '../extproc/server.ts'
import type { Log, Observer } from '../observe/log.ts'
import { sweepRegularly } from '../session/memory.ts'
import { announceFindings } from './announce.ts'
import { sessionsOf, type Surroundings } from './compose.ts'
import { createGeneration, type Generation } from './generation.ts'
import { createKnownTokens } from './known-tokens.ts'
import { createLookout, type Lookout } from './lookout.ts'
import { createReloading, type Prepared, type ReloadOutcome } from './reload.ts'
import type { LoadedSettings, Settings } from './settings.ts'
import { COLD_ROUNDS, WARM_ROUNDS } from './warm-up.ts'

export interface StartOptions {
  readonly observer: Observer
  /** Reads the configuration anew, for a reload. */
  readonly load: () => Promise<LoadedSettings>
  /** Whoever traces exchanges. */
  readonly traces?: Telemetry | undefined
  /** How long a stopping server still takes new exchanges, so that Envoy's health check can notice. */
  readonly drainPauseMs?: number
}

export interface Running {
  /** Of the configuration in force. */
  readonly findings: () => Findings
  /** As bound. */
  readonly addresses: readonly string[]
  readonly adminAddress: string
  figures(): Readonly<Record<string, number>>
  /** Puts the file in force as it is now. Never rejects. */
  reload(): Promise<ReloadOutcome>
  /** Drains. Idempotent. */
  stop(): Promise<void>
}

/** What decides now: one whole file. */
interface InForce {
  readonly settings: Settings
  readonly generation: Generation
  readonly loadedAt: string
}

const now = () => performance.now()

/** The whole server, in this process. Rejects when it cannot listen; then nothing stays open. */
export async function startPlumbline(settings: Settings, options: StartOptions): Promise<Running> {
  const { log } = options.observer
  const { config, credentials } = settings
  const lookout = createLookout(config, { observer: options.observer, traces: options.traces, now })
  const surroundings = surroundingsOf(config, log, lookout)
  const tokens = createKnownTokens(credentials.token, now)

  let state: Readiness['state'] = 'starting'
  let inForce = inForceFrom(settings, createGeneration(config, surroundings))
  const extproc = extProcOf(settings, options, (caller) => inForce.generation.open(caller), tokens.check())
  const figures = () => ({ ...surroundings.sessions.stats(), ...extproc.stats() })

  /** What can fail happens before anything of it is in force. */
  const prepare = async (next: Settings): Promise<Prepared> => {
    const generation = createGeneration(next.config, surroundings)
    await generation.warmUp(WARM_ROUNDS)
    return {
      drop: () => generation.retire(),
      apply: () => {
        const { generation: former } = inForce
        options.observer.setLevel(next.config.log.level)
        tokens.change(next.credentials.token)
        extproc.trust(trustOf(next.config.listener, tokens.check()))
        if (next.credentials.tls !== undefined) extproc.renewTls(next.credentials.tls)
        inForce = inForceFrom(next, generation)
        former.retire()
        announceFindings(log, generation.findings, former.findings)
      },
    }
  }
  const reloading = createReloading({
    log,
    load: options.load,
    inForce: () => inForce.settings,
    prepare,
    stopping: () => state !== 'ready',
    reloaded: (ok) => {
      lookout.reloaded(ok)
    },
  })

  const admin = createAdminServer({
    address: config.admin.address,
    routes: [
      ...healthRoutes(() => ({
        state,
        ...inForce.generation.findings,
        figures: figures(),
        configuration: {
          loadedAt: inForce.loadedAt,
          digest: inForce.settings.digest,
          lastReload: reloading.last(),
        },
      })),
      ...lookout.routes(() => ({
        ...figures(),
        ready: state === 'ready' ? 1 : 0,
        failsOpenSettings: inForce.generation.findings.failsOpen.length,
        heldBytes: surroundings.answers.taken,
        maxStreams: config.listener.max_streams,
        maxBodiesBytes: config.listener.max_bodies_bytes,
        maxSessions: config.session.max_sessions,
      })),
    ],
    authorize: bearerCheck(() => inForce.settings.credentials.adminToken),
  })
  const adminAddress = await admin.start()
  try {
    await inForce.generation.warmUp(COLD_ROUNDS)
    await extproc.start()
  } catch (error) {
    await Promise.all([extproc.stop(), admin.stop()])
    throw error
  }
  const stopSweeping = sweepRegularly(surroundings.sessions)
  state = 'ready'

  const drain = async () => {
    state = 'draining'
    await extproc.stop()
    stopSweeping()
    inForce.generation.retire()
    await admin.stop()
  }
  let stopping: Promise<void> | undefined
  return {
    findings: () => inForce.generation.findings,
    addresses: extproc.addresses,
    adminAddress,
    figures,
    reload: () => reloading.reload(),
    stop: async () => (stopping ??= drain()),
  }
}

function inForceFrom(settings: Settings, generation: Generation): InForce {
  return { settings, generation, loadedAt: new Date().toISOString() }
}

/** What outlives a configuration: sessions, memory, and what hears of exchanges. */
function surroundingsOf(config: Config, log: Log, lookout: Lookout): Surroundings {
  return {
    log,
    record: (record) => lookout.record(record),
    now,
    telemetry: lookout.telemetry,
    logOf: (plugin) => log.child({ plugin }),
    sessions: sessionsOf(config, now),
    answers: createByteBudget(config.listener.max_bodies_bytes),
  }
}

/** What is believed of whoever opens a stream. */
function trustOf({ workload, routing }: Config['listener'], knowsToken: TokenCheck | undefined): Trust {
  return {
    ...(workload === undefined ? {} : { defaultWorkload: workload }),
    ...(routing === undefined ? {} : { routing }),
    ...(knowsToken === undefined ? {} : { knowsToken }),
  }
}

function extProcOf(
  { config: { listener }, credentials: { tls } }: Settings,
  { observer, drainPauseMs }: StartOptions,
  open: OpenExchange,
  knowsToken: TokenCheck | undefined,
): ExtProcServer {
  return createExtProcServer({
    open,
    listeners: listenersOf(listener),
    ...(tls === undefined ? {} : { tls }),
    ...(listener.health_addr === undefined ? {} : { healthAddress: listener.health_addr }),
    ...trustOf(listener, knowsToken),
    log: observer.log,
    maxStreams: listener.max_streams,
    maxReceiveBytes: listener.max_receive_bytes,
    bodyDeadlineMs: listener.body_deadline_ms,
    bodiesInMemoryBytes: listener.max_bodies_bytes,
    drainDeadlineMs: listener.drain_deadline_ms,
    ...(drainPauseMs === undefined ? {} : { drainPauseMs }),
  })
}
