import { setTimeout as sleep } from 'node:timers/promises'
import { Server, status } from '@grpc/grpc-js'
import type { Metadata } from '@grpc/grpc-js'
import type { ExchangeHandler, OpenExchange } from '../core/handler.ts'
import { createByteBudget } from '../core/byte-budget.ts'
import type { TlsMaterial } from '../core/tls.ts'
import { callerOf } from './caller.ts'
import type { ListenerFacts, SaidByFilter, Trust } from './caller.ts'
import { createConnections } from './connections.ts'
import { createHealth, HEALTH_SERVER } from './health.ts'
import { closeGently, listen } from './listening.ts'
import { sparsely } from './log.ts'
import type { ServerLog } from './log.ts'
import { PROCESS } from './proto.ts'
import { nodeKnowsResetLimits, raiseResetLimits } from './reset-flood.ts'
import { Stream } from './stream.ts'
import type { Call } from './stream.ts'
import { MutualTls } from './tls.ts'
import { decodeAsk } from './wire.ts'

export interface ListenerOptions extends ListenerFacts {
  /** `host:port`, port 0 for any, or `unix:/path`. */
  readonly address: string
}

export interface ExtProcOptions extends Trust {
  readonly open: OpenExchange
  readonly listeners: readonly ListenerOptions[]
  /** For the listeners on TCP. */
  readonly tls?: TlsMaterial
  /** `host:port` where the health service alone answers, to everybody. */
  readonly healthAddress?: string
  readonly log: ServerLog
  readonly maxStreams?: number
  readonly maxReceiveBytes?: number
  readonly bodyDeadlineMs?: number
  readonly bodiesInMemoryBytes?: number
  /** How long a stopping server still takes new streams, so that a health check can notice. */
  readonly drainPauseMs?: number
  /** How long open exchanges may then take. */
  readonly drainDeadlineMs?: number
  /** How often a connection is asked whether anybody is still there; as long again it may take to answer. */
  readonly pingMs?: number
}

export interface ExtProcStats {
  readonly openStreams: number
  /** Since the start. */
  readonly streams: number
  readonly bodyBytes: number
  /** Streams that were turned away since the start, and why. */
  readonly refusedByToken: number
  readonly refusedByLimit: number
  /** Streams that were ended because a canary asked for it, since the start. */
  readonly canaries: number
  /** From Envoys, open now. */
  readonly connections: number
  /** Connections that ended under an exchange, since the start. */
  readonly lostConnections: number
}

export interface ExtProcServer {
  start(): Promise<void>
  /** As bound, in the order of the listeners. */
  readonly addresses: readonly string[]
  readonly healthAddress: string | undefined
  /** Holds from the next stream on. */
  trust(next: Trust): void
  /** Holds from the next connection on; those that are open stay. Without TLS at the start it changes nothing. */
  renewTls(material: TlsMaterial): void
  stop(): Promise<void>
  stats(): ExtProcStats
}

const MIB = 1024 * 1024
const DEFAULTS = {
  maxStreams: 1000,
  maxReceiveBytes: 16 * MIB,
  bodyDeadlineMs: 60_000,
  bodiesInMemoryBytes: 256 * MIB,
  drainPauseMs: 1000,
  drainDeadlineMs: 30_000,
  pingMs: 30_000,
} as const

/** Time for last answers and statuses to leave before connections are cut. */
const FLUSH_MS = 1000

/** Messages come decoded and go out encoded, so that a reply which never changes is encoded once. */
const SERVICE = { Process: { ...PROCESS, requestDeserialize: decodeAsk, responseSerialize: (reply: Buffer) => reply } }

export function createExtProcServer(given: ExtProcOptions): ExtProcServer {
  const options = { ...DEFAULTS, ...given }
  const { log } = options
  const warn = sparsely((facts, message) => log.warn(facts, message))
  const error = sparsely((facts, message) => log.error(facts, message))
  let trusted: Trust = options
  const bodies = createByteBudget(options.bodiesInMemoryBytes)
  const health = createHealth()
  const connections = createConnections()
  const tls = options.tls === undefined ? undefined : new MutualTls(options.tls)
  const open = new Set<Stream>()
  const around = {
    bodies,
    bodyDeadlineMs: options.bodyDeadlineMs,
    warn,
    error,
    ended(stream: Stream): void {
      open.delete(stream)
      if (open.size === 0) whenIdle?.()
    },
    canary(): void {
      counts.canaries += 1
    },
  }
  const servers: Server[] = []
  const addresses: string[] = []
  const counts = { streams: 0, refusedByToken: 0, refusedByLimit: 0, canaries: 0 }
  let healthAddress: string | undefined
  let whenIdle: (() => void) | undefined
  let stopping: Promise<void> | undefined

  function accept(call: Call, listener: ListenerOptions): void {
    const said = metadataReader(call.metadata)
    if (trusted.knowsToken?.(said('x-plumbline-token')) === false) {
      counts.refusedByToken += 1
      warn({ listener: listener.address }, 'ext_proc stream without the right x-plumbline-token refused')
      return turnAway(call, status.UNAUTHENTICATED, 'wrong or missing token')
    }
    if (open.size >= options.maxStreams) {
      counts.refusedByLimit += 1
      warn({ maxStreams: options.maxStreams }, 'too many ext_proc streams')
      return turnAway(call, status.RESOURCE_EXHAUSTED, 'too many streams')
    }
    let handler: ExchangeHandler
    try {
      handler = options.open(callerOf(said, listener, trusted, () => connections.uriOf(call)))
    } catch (cause) {
      error({ err: cause }, 'no handler for an ext_proc stream')
      return turnAway(call, status.INTERNAL, 'internal error')
    }
    counts.streams += 1
    open.add(new Stream(call, handler, around))
  }

  async function bind(listener: ListenerOptions): Promise<void> {
    const server = new Server({
      'grpc.max_receive_message_length': options.maxReceiveBytes,
      // Counts each stream for a debugging service that we do not offer.
      'grpc.enable_channelz': 0,
      // Node keeps a connection on which HTTP/2 went wrong, and one whose other side is gone, for ever.
      'grpc.keepalive_time_ms': options.pingMs,
      'grpc.keepalive_timeout_ms': options.pingMs,
    })
    if (!raiseResetLimits(server)) log.warn({}, 'grpc-js no longer hands options to the HTTP/2 server')
    server.addService(SERVICE, { Process: (call: Call) => accept(call, listener) })
    server.addService(health.definition, health.implementation)
    servers.push(server)
    addresses.push(await listen(server, listener.address, tls))
    if (!connections.watch(server)) log.warn({}, 'grpc-js no longer shows its connections: none is counted')
  }

  async function bindHealth(address: string): Promise<void> {
    const server = new Server(HEALTH_SERVER)
    server.addService(health.definition, health.implementation)
    servers.push(server)
    healthAddress = await listen(server, address)
  }

  async function start(): Promise<void> {
    try {
      await bindAll()
    } catch (cause) {
      for (const server of servers) server.forceShutdown()
      throw cause
    }
    health.set(true)
  }

  async function bindAll(): Promise<void> {
    if (!nodeKnowsResetLimits()) {
      log.warn(
        { node: process.versions.node },
        'this Node cannot raise the limit of stream resets: Envoy needs max_requests_per_connection on our cluster, or ' +
          'the runtime setting envoy.reloadable_features.ext_proc_graceful_grpc_close (envoy/sidecar.yaml has both)',
      )
    }
    for (const listener of options.listeners) await bind(listener)
    if (options.healthAddress !== undefined) await bindHealth(options.healthAddress)
  }

  async function drain(): Promise<void> {
    health.set(false)
    await sleep(options.drainPauseMs)
    health.close()
    const closed = Promise.all(servers.map(closeGently))
    if (open.size > 0) await Promise.race([idle(), sleep(options.drainDeadlineMs, undefined, { ref: false })])
    if (open.size > 0) log.warn({ streams: open.size }, 'ext_proc streams are still open at the drain deadline')
    for (const stream of open) stream.stop()
    await Promise.race([closed, sleep(FLUSH_MS)])
    for (const server of servers) server.forceShutdown()
  }

  async function idle(): Promise<void> {
    return new Promise((resolve) => {
      whenIdle = resolve
    })
  }

  return {
    start,
    addresses,
    get healthAddress() {
      return healthAddress
    },
    trust: (next) => (trusted = next),
    renewTls: (material) => tls?.renew(material),
    stop: async () => (stopping ??= drain()),
    stats: () => ({
      openStreams: open.size,
      bodyBytes: bodies.taken,
      ...counts,
      connections: connections.open,
      lostConnections: connections.lost,
    }),
  }
}

function metadataReader(metadata: Metadata): SaidByFilter {
  return (name) => {
    const values = metadata.get(name)
    const [value] = values
    return values.length === 1 && typeof value === 'string' ? value : undefined
  }
}

/** Never `end`: Envoy takes a clean end for consent. */
function turnAway(call: Call, code: status, details: string): void {
  call.emit('error', { code, details })
}
