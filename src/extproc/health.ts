import { status } from '@grpc/grpc-js'
import type { sendUnaryData, ServerUnaryCall, ServerWritableStream } from '@grpc/grpc-js'
import { EXT_PROC_SERVICE, HEALTH_CHECK, HEALTH_WATCH } from './proto.ts'

/** The numbers of `HealthCheckResponse.ServingStatus`. */
const SERVING = 1
const NOT_SERVING = 2
const SERVICE_UNKNOWN = 3

interface CheckRequest {
  readonly service?: string
}
/** For a server that has nothing else and takes everybody: a question is short, and nobody stays. */
export const HEALTH_SERVER = {
  'grpc.max_receive_message_length': 4096,
  'grpc.max_connection_idle_ms': 60_000,
  'grpc.enable_channelz': 0,
} as const

/** Each holds a stream open, and whoever reaches the port may ask. */
const MAX_WATCHERS = 64

type Watcher = ServerWritableStream<CheckRequest, object>

const KNOWN: ReadonlySet<string> = new Set(['', EXT_PROC_SERVICE])

/** The standard health service, for the server as a whole and for the one service that it has. */
export function createHealth() {
  let serving = false
  const watchers = new Set<Watcher>()
  /** Of services that there never will be. By the protocol they stay, too. */
  const strangers = new Set<Watcher>()
  const now = (): object => ({ status: serving ? SERVING : NOT_SERVING })

  function check(call: ServerUnaryCall<CheckRequest, object>, answer: sendUnaryData<object>): void {
    if (KNOWN.has(call.request.service ?? '')) answer(null, now())
    else answer({ code: status.NOT_FOUND, details: 'unknown service' })
  }

  function watch(call: Watcher): void {
    if (watchers.size + strangers.size >= MAX_WATCHERS) {
      call.emit('error', { code: status.RESOURCE_EXHAUSTED, details: 'too many watches' })
      return
    }
    const known = KNOWN.has(call.request.service ?? '')
    const among = known ? watchers : strangers
    among.add(call)
    call.once('cancelled', () => among.delete(call))
    call.write(known ? now() : { status: SERVICE_UNKNOWN })
  }

  return {
    definition: { Check: HEALTH_CHECK, Watch: HEALTH_WATCH },
    implementation: { Check: check, Watch: watch },
    set(value: boolean): void {
      if (value === serving) return
      serving = value
      for (const call of watchers) call.write(now())
    },
    /** A watch never ends by itself; it must not hold up the end of the process. */
    close(): void {
      for (const among of [watchers, strangers]) {
        for (const call of among) call.end()
        among.clear()
      }
    },
  }
}
