import type { HeaderPair } from '../../../src/core/exchange.ts'
import type { AnswerSink, Caller, ExchangeHandler, HeaderEdits, OpenExchange } from '../../../src/core/handler.ts'
import type { Answer } from '../../../src/core/ruling.ts'
import type { Connection, Stream, Wire } from '../extproc/as-envoy.ts'
import { SHOWN } from '../extproc/as-envoy.ts'
import { NO_EDITS } from '../extproc/handlers.ts'

/** An answer in the upstream's stead. */
export interface Refused {
  readonly kind: 'refused'
  readonly status: number
  readonly code: string
  readonly headers: readonly HeaderPair[]
  readonly body: string
}

/** What came of a request. */
export type Outcome = { readonly kind: 'go on'; readonly edits: HeaderEdits; readonly bodySeen: boolean } | Refused

/** How an answer was looked at. */
export type Look = 'not shown' | 'read in passing' | 'held' | 'edited' | 'refused'

/** What came of an answer. */
export interface Answered {
  readonly look: Look
  /** What the client has. */
  readonly got:
    Refused | { readonly kind: 'answer'; readonly headers: readonly HeaderPair[]; readonly body: Uint8Array }
}

/** One exchange, asked in whichever way. */
export interface Asking {
  request(pairs: readonly HeaderPair[], body: Uint8Array | undefined): Promise<Outcome>
  answer(pairs: readonly HeaderPair[], body: Uint8Array | undefined): Promise<Answered>
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
  let hasRefused = false
  const refused = ({ status, details, headers, body }: Answer): Refused => {
    hasRefused = true
    return { kind: 'refused', status, code: details, headers, body: Buffer.from(body).toString() }
  }
  const decided = async (pairs: readonly HeaderPair[], body: Uint8Array | undefined) => {
    const head = await handler.requestHead(pairs, body === undefined)
    const bodySeen = body !== undefined && head.kind === 'continue' && head.body === 'whole'
    return { bodySeen, reply: bodySeen ? await handler.requestBody(body) : head }
  }
  return {
    async request(pairs, body) {
      const { bodySeen, reply } = await decided(pairs, body)
      return reply.kind === 'continue' ? { kind: 'go on', edits: reply.edits, bodySeen } : refused(reply.answer)
    },
    async answer(pairs, body) {
      const sent = body ?? new Uint8Array()
      const plan = handler.answerHead(pairs, body === undefined, true)
      switch (plan.kind) {
        case 'none':
          return { look: 'not shown', got: withEdits(pairs, NO_EDITS, sent) }
        case 'stream':
          await handler.answerChunk(sent, true)
          return { look: 'read in passing', got: withEdits(pairs, NO_EDITS, sent) }
        case 'whole': {
          const reply = await handler.answerBody(sent)
          if (reply.kind === 'refuse') return { look: 'held', got: refused(reply.answer) }
          const changed = reply.kind === 'replace' ? reply : { edits: NO_EDITS, body: sent }
          return { look: 'held', got: withEdits(pairs, changed.edits, changed.body) }
        }
        case 'edit':
          return { look: 'edited', got: withEdits(pairs, plan.edits, await editedDirectly(handler, sent)) }
        case 'refuse':
          return { look: 'refused', got: refused(plan.answer) }
      }
    },
    end: () => handler.end(hasRefused ? 'refused' : 'complete'),
  }
}

/** What an editor makes of an answer; settles when it says that this is all. */
function editedDirectly(handler: ExchangeHandler, sent: Uint8Array): Promise<Uint8Array> {
  const written: Uint8Array[] = []
  return new Promise((done, fail) => {
    const sink: AnswerSink = {
      write: (bytes) => void written.push(bytes),
      end: () => done(Buffer.concat(written)),
      abort: () => fail(new Error('the answer was broken off')),
    }
    handler.editAnswer(sink).feed(sent, true)
  })
}

function withEdits(pairs: readonly HeaderPair[], { set, remove }: HeaderEdits, body: Uint8Array): Answered['got'] {
  const gone = new Set([...remove, ...set.map(([name]) => name)])
  return { kind: 'answer', headers: [...pairs.filter(([name]) => !gone.has(name)), ...set], body }
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
const FULL_DUPLEX_STREAMED = 4
/** So that no protocol's unit is ever whole in one piece. */
const PIECE_BYTES = 7

interface CommonReply {
  readonly response?: {
    readonly headerMutation?: { readonly setHeaders?: readonly WireEdit[]; readonly removeHeaders?: readonly string[] }
    readonly bodyMutation?: {
      readonly body?: Buffer
      readonly streamedResponse?: { readonly body?: Buffer; readonly endOfStream?: boolean }
    }
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
  return {
    async request(pairs, body) {
      const head = await stream.ask({ requestHeaders: headOf(pairs, body === undefined), ...SHOWN })
      const bodySeen = refusedIn(head) === undefined && body !== undefined && modes(head)?.requestBodyMode !== NO_BODY
      const reply = bodySeen ? await stream.ask({ requestBody: { body, endOfStream: true } }) : head
      const refused = refusedIn(reply)
      if (refused !== undefined) return refused
      return { kind: 'go on', edits: editsIn(reply[bodySeen ? 'requestBody' : 'requestHeaders']), bodySeen }
    },
    async answer(pairs, body) {
      const sent = body ?? new Uint8Array()
      const head = await stream.ask({ responseHeaders: headOf(pairs, body === undefined) })
      const refused = refusedIn(head)
      if (refused !== undefined) return { look: 'refused', got: refused }
      const headEdits = editsIn(head['responseHeaders'])
      switch (body === undefined ? NO_BODY : modes(head)?.responseBodyMode) {
        case NO_BODY:
          return { look: 'not shown', got: withEdits(pairs, headEdits, sent) }
        case STREAMED:
          for (const piece of pieces(sent)) await stream.ask({ responseBody: piece })
          return { look: 'read in passing', got: withEdits(pairs, headEdits, sent) }
        case FULL_DUPLEX_STREAMED:
          for (const piece of pieces(sent)) stream.send({ responseBody: piece })
          return { look: 'edited', got: withEdits(pairs, headEdits, await written(stream)) }
        default:
          return {
            look: 'held',
            got: heldAnswer(await stream.ask({ responseBody: { body: sent, endOfStream: true } })),
          }
      }

      function heldAnswer(reply: Wire): Answered['got'] {
        const { response } = (reply['responseBody'] ?? {}) as CommonReply
        const replaced = response?.bodyMutation?.body ?? sent
        return refusedIn(reply) ?? withEdits(pairs, editsIn(reply['responseBody']), replaced)
      }
    },
    end: () => stream.halfClose(),
  }
}

function modes(reply: Wire) {
  return reply['modeOverride'] as { readonly requestBodyMode: number; readonly responseBodyMode: number } | undefined
}

function refusedIn(reply: Wire): Refused | undefined {
  const local = reply['immediateResponse'] as WireLocal | undefined | null
  if (local == null) return undefined
  const { status, details, headers, body } = local
  return {
    kind: 'refused',
    status: status.code,
    code: details,
    headers: pairsIn(headers?.setHeaders),
    body: body.toString(),
  }
}

function editsIn(common: unknown): HeaderEdits {
  const { setHeaders, removeHeaders = [] } = (common as CommonReply | undefined)?.response?.headerMutation ?? {}
  return { set: pairsIn(setHeaders), remove: removeHeaders }
}

function pairsIn(edits: readonly WireEdit[] = []): readonly HeaderPair[] {
  return edits.map(({ header }) => [header.key, header.rawValue.toString('latin1')])
}

/** What comes of an answer that is edited, up to the piece that ends it. */
async function written(stream: Stream): Promise<Uint8Array> {
  const bodies: Uint8Array[] = []
  for (;;) {
    const { response } = (await stream.reply())['responseBody'] as CommonReply
    const piece = response?.bodyMutation?.streamedResponse
    bodies.push(piece?.body ?? new Uint8Array())
    if (piece?.endOfStream === true) return Buffer.concat(bodies)
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
