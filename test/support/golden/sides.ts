import type { HeaderPair } from '../../../src/core/exchange.ts'
import type { Caller, ExchangeHandler, HeaderEdits, OpenExchange } from '../../../src/core/handler.ts'
import type { Connection, Stream, Wire } from '../extproc/as-envoy.ts'
import { SHOWN } from '../extproc/as-envoy.ts'

/** What came of a request. */
export type Outcome =
  | { readonly kind: 'go on'; readonly edits: HeaderEdits; readonly bodySeen: boolean }
  | {
      readonly kind: 'refused'
      readonly status: number
      readonly code: string
      readonly headers: readonly HeaderPair[]
      readonly body: string
    }

/** One exchange, asked in whichever way. */
export interface Asking {
  request(pairs: readonly HeaderPair[], body: Uint8Array | undefined): Promise<Outcome>
  /** Whether the answer is read. */
  answer(pairs: readonly HeaderPair[], body: Uint8Array | undefined): Promise<boolean>
  end(): void
}

export interface Side {
  open(caller: Caller | undefined): Asking
}

/** The pipeline itself, in this process. */
export function inMemory(open: OpenExchange): Side {
  return { open: (caller) => askedDirectly(open(caller)) }
}

function askedDirectly(handler: ExchangeHandler): Asking {
  let refused = false
  const decided = async (pairs: readonly HeaderPair[], body: Uint8Array | undefined) => {
    const head = await handler.requestHead(pairs, body === undefined)
    const bodySeen = body !== undefined && head.kind === 'continue' && head.body === 'whole'
    return { bodySeen, reply: bodySeen ? await handler.requestBody(body) : head }
  }
  return {
    async request(pairs, body) {
      const { bodySeen, reply } = await decided(pairs, body)
      if (reply.kind === 'continue') return { kind: 'go on', edits: reply.edits, bodySeen }
      refused = true
      const { status, details, headers, body: said } = reply.answer
      return { kind: 'refused', status, code: details, headers, body: Buffer.from(said).toString() }
    },
    async answer(pairs, body) {
      const read = handler.answerHead(pairs, body === undefined, false).kind === 'stream'
      if (read) void handler.answerChunk(body ?? new Uint8Array(), true)
      return read
    },
    end: () => handler.end(refused ? 'refused' : 'complete'),
  }
}

/** A gRPC connection to a server, on which it is asked as Envoy asks. */
export function overGrpc(connection: Connection): Side {
  return {
    open: (caller) => askedOnStream(connection.open(caller === undefined ? {} : saidOf(caller))),
  }
}

function saidOf({ direction, workload, routesByHost }: Caller): Readonly<Record<string, string>> {
  return {
    'x-plumbline-direction': direction,
    'x-plumbline-workload': workload,
    ...(routesByHost ? { 'x-plumbline-routing': 'host' } : {}),
  }
}

const NO_BODY = 0
const STREAMED = 1
/** So that no protocol's unit is ever whole in one piece. */
const PIECE_BYTES = 7

interface CommonReply {
  readonly response?: {
    readonly headerMutation?: { readonly setHeaders?: readonly WireEdit[]; readonly removeHeaders?: readonly string[] }
  }
}
interface WireEdit {
  readonly header: { readonly key: string; readonly rawValue: Buffer }
}
interface WireLocal {
  readonly status: { readonly code: number }
  readonly headers?: { readonly setHeaders?: readonly WireEdit[] }
  readonly body: Buffer
  readonly details: string
}

function askedOnStream(stream: Stream): Asking {
  const pairsIn = (edits: readonly WireEdit[] = []): readonly HeaderPair[] =>
    edits.map(({ header }) => [header.key, header.rawValue.toString('latin1')])
  const modes = (reply: Wire) =>
    reply['modeOverride'] as { readonly requestBodyMode: number; readonly responseBodyMode: number } | undefined
  return {
    async request(pairs, body) {
      const head = await stream.ask({ requestHeaders: headOf(pairs, body === undefined), ...SHOWN })
      const isLocal = head['immediateResponse'] !== undefined && head['immediateResponse'] !== null
      const bodySeen = !isLocal && body !== undefined && modes(head)?.requestBodyMode !== NO_BODY
      const reply = bodySeen ? await stream.ask({ requestBody: { body, endOfStream: true } }) : head
      const local = reply['immediateResponse'] as WireLocal | undefined | null
      if (local != null) {
        const { status, details, headers, body: said } = local
        return {
          kind: 'refused',
          status: status.code,
          code: details,
          headers: pairsIn(headers?.setHeaders),
          body: said.toString(),
        }
      }
      const { response } = reply[bodySeen ? 'requestBody' : 'requestHeaders'] as CommonReply
      const { setHeaders, removeHeaders = [] } = response?.headerMutation ?? {}
      return { kind: 'go on', edits: { set: pairsIn(setHeaders), remove: removeHeaders }, bodySeen }
    },
    async answer(pairs, body) {
      const head = await stream.ask({ responseHeaders: headOf(pairs, body === undefined) })
      const read = modes(head)?.responseBodyMode === STREAMED
      for (const piece of read ? pieces(body ?? new Uint8Array()) : []) await stream.ask({ responseBody: piece })
      return read
    },
    end: () => stream.halfClose(),
  }
}

function headOf(pairs: readonly HeaderPair[], endOfStream: boolean): Wire {
  const headers = pairs.map(([key, value]) => ({ key, rawValue: Buffer.from(value, 'latin1') }))
  return { headers: { headers }, endOfStream }
}

function pieces(body: Uint8Array): readonly Wire[] {
  const count = Math.max(1, Math.ceil(body.length / PIECE_BYTES))
  return Array.from({ length: count }, (_, position) => ({
    body: body.subarray(position * PIECE_BYTES, (position + 1) * PIECE_BYTES),
    endOfStream: position === count - 1,
  }))
}
