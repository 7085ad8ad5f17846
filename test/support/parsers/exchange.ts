import type { Body, Direction, Exchange, HeaderPair } from '../../../src/core/exchange.ts'
import { NO_WATCH } from '../../../src/core/telemetry.ts'
import { answerHead, requestHead } from '../../../src/http/headers.ts'

export interface Given {
  readonly direction?: Direction
  readonly method?: string
  readonly host?: string
  /** With query. */
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>> | readonly HeaderPair[]
  /** A value is sent as JSON, bytes and text as they are. */
  readonly body?: unknown
  readonly routesByHost?: boolean
}

const encoder = new TextEncoder()

/** One exchange as parsers see it, and the body that goes with it. */
export function exchangeOf(given: Given): { readonly x: Exchange; readonly body: Body } {
  const body = bodyOf(given.body)
  const extra = given.headers ?? {}
  const pairs: HeaderPair[] = [
    [':method', given.method ?? (body.kind === 'none' ? 'GET' : 'POST')],
    [':scheme', 'http'],
    [':authority', given.host ?? 'peer.test'],
    [':path', given.path ?? '/'],
    ...(Array.isArray(extra) ? (extra as readonly HeaderPair[]) : Object.entries(extra as Record<string, string>)),
  ]
  const x: Exchange = {
    direction: given.direction ?? 'outbound',
    workload: 'w',
    routesByHost: given.routesByHost ?? true,
    requestId: 'r-1',
    traceId: undefined,
    request: requestHead(pairs, body.kind === 'none'),
    body,
    answer: undefined,
    identity: undefined,
    session: { certainty: 'none', method: 'none', candidates: [] },
    conversation: undefined,
    notes: { has: () => false },
    telemetry: NO_WATCH,
  }
  return { x, body }
}

/** The same exchange with the head of its answer. */
export function answered(x: Exchange, contentType: string, status = 200): Exchange {
  const pairs: HeaderPair[] = [
    [':status', String(status)],
    ['content-type', contentType],
  ]
  return { ...x, answer: answerHead(pairs, false) }
}

function bodyOf(given: unknown): Body {
  if (given === undefined) return { kind: 'none' }
  const bytes =
    given instanceof Uint8Array ? given : encoder.encode(typeof given === 'string' ? given : JSON.stringify(given))
  return { kind: 'whole', raw: bytes, bytes }
}

/** Cuts bytes at the given places, which may lie anywhere. */
export function cut(bytes: Uint8Array, places: readonly number[]): readonly Uint8Array[] {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  return ends.map((end, position) => bytes.subarray(position === 0 ? 0 : ends[position - 1], end))
}
