import type { Half, HeaderPair } from '../core/exchange.ts'
import type { HeaderEdits } from '../core/handler.ts'
import { hasEdits, NO_EDITS } from './edits.ts'
import type { CheckedEdits } from './edits.ts'
import type { LocalAnswer } from './local-answer.ts'
import type { Ask, BodyMode, ModePair, Piece, Replacement, Reply, ShownModes } from './messages.ts'
import { MODE_PAIRS, WHOLE_MODES } from './messages.ts'
import { PROCESS } from './proto.ts'

// ---- from Envoy ----

interface WireHeader {
  readonly key?: string
  readonly value?: string
  readonly rawValue?: Buffer
}
interface WireHead {
  readonly headers?: { readonly headers?: readonly WireHeader[] }
  readonly endOfStream?: boolean
}
interface WireBody {
  readonly body?: Buffer
  readonly endOfStream?: boolean
}
interface WireRequest {
  readonly requestHeaders?: WireHead
  readonly responseHeaders?: WireHead
  readonly requestBody?: WireBody
  readonly responseBody?: WireBody
  readonly requestTrailers?: object
  readonly responseTrailers?: object
  readonly observabilityMode?: boolean
  readonly protocolConfig?: {
    readonly requestBodyMode?: number
    readonly responseBodyMode?: number
    readonly sendBodyWithoutWaitingForHeaderResponse?: boolean
  }
}

const EMPTY = Buffer.alloc(0)
const NO_HEADERS: readonly WireHeader[] = []

/** The numbers of `ProcessingMode.BodySendMode`. */
const BODY_MODES: readonly BodyMode[] = ['none', 'streamed', 'buffered', 'buffered_partial', 'full_duplex', 'grpc']

/** Throws on bytes that are no ProcessingRequest. */
export function decodeAsk(bytes: Buffer): Ask {
  return toAsk(PROCESS.requestDeserialize(bytes))
}

function toAsk(m: WireRequest): Ask {
  if (m.observabilityMode === true) return { kind: 'observing' }
  if (m.requestHeaders !== undefined) return head('request', m.requestHeaders, m)
  if (m.requestBody !== undefined) return body('request', m.requestBody)
  if (m.responseHeaders !== undefined) return head('response', m.responseHeaders, m)
  if (m.responseBody !== undefined) return body('response', m.responseBody)
  if (m.requestTrailers !== undefined) return { kind: 'trailers', half: 'request' }
  if (m.responseTrailers !== undefined) return { kind: 'trailers', half: 'response' }
  return { kind: 'nothing' }
}

function head(half: Half, wire: WireHead, m: WireRequest): Ask {
  const pairs = (wire.headers?.headers ?? NO_HEADERS).map(pair)
  return { kind: 'head', half, pairs, last: wire.endOfStream === true, modes: shownModes(m.protocolConfig) }
}

/** Envoy writes `raw_value` alone; other clients of the protocol may write `value`, which is text. */
function pair({ key = '', value = '', rawValue = EMPTY }: WireHeader): HeaderPair {
  const bytes = rawValue.length === 0 && value !== '' ? Buffer.from(value) : rawValue
  return [key.toLowerCase(), bytes.toString('latin1')]
}

function body(half: Half, wire: WireBody): Ask {
  return { kind: 'body', half, bytes: wire.body ?? EMPTY, last: wire.endOfStream === true }
}

function shownModes(config: WireRequest['protocolConfig']): ShownModes | undefined {
  if (config === undefined) return undefined
  return {
    request: BODY_MODES[config.requestBodyMode ?? 0] ?? 'unknown',
    response: BODY_MODES[config.responseBodyMode ?? 0] ?? 'unknown',
    early: config.sendBodyWithoutWaitingForHeaderResponse === true,
  }
}

// ---- to Envoy: nothing else builds a reply ----

const LENGTH = 'content-length'
const SEND = 1
const BODY_MODE_NUMBERS = { none: 0, streamed: 1, buffered: 2, full_duplex: 4 } as const

/** A reply that is the same for every exchange is encoded once. */
const PLAIN_HEAD = {
  request: encodeHead('request', NO_EDITS, undefined),
  response: encodeHead('response', NO_EDITS, undefined),
}
const PLAIN_BODY = {
  request: encode({ requestBody: { response: {} } }),
  response: encode({ responseBody: { response: {} } }),
}
const PLAIN_TRAILERS = { request: encode({ requestTrailers: {} }), response: encode({ responseTrailers: {} }) }
const OVERRIDING_HEAD = {
  request: new Map<ModePair, Buffer>(
    [...MODE_PAIRS, WHOLE_MODES].map((pair) => [pair, encodeHead('request', NO_EDITS, pair)]),
  ),
  response: new Map<ModePair, Buffer>(MODE_PAIRS.map((pair) => [pair, encodeHead('response', NO_EDITS, pair)])),
}

export function encodeReply(reply: Reply): Buffer {
  switch (reply.kind) {
    case 'head':
      if (hasEdits(reply.edits)) return encodeHead(reply.half, reply.edits, reply.modes)
      if (reply.modes === undefined) return PLAIN_HEAD[reply.half]
      return OVERRIDING_HEAD[reply.half].get(reply.modes) ?? encodeHead(reply.half, NO_EDITS, reply.modes)
    case 'body':
      if (reply.half === 'response') {
        return reply.replacement === undefined ? PLAIN_BODY.response : encodeReplacement(reply.replacement)
      }
      return hasEdits(reply.edits) ? encodeBody(reply.edits) : PLAIN_BODY.request
    case 'piece':
      return encodePiece(reply)
    case 'trailers':
      return PLAIN_TRAILERS[reply.half]
    case 'local':
      return encodeLocal(reply.answer)
  }
}

function encodeHead(half: Half, edits: HeaderEdits, modes: ModePair | undefined): Buffer {
  // Envoy would keep the length of a body that we write anew, and the client would read the rest as another answer.
  const unsized = modes?.response === 'full_duplex'
  const all = unsized ? { set: edits.set, remove: [...edits.remove, LENGTH] } : edits
  return encode({
    [half === 'request' ? 'requestHeaders' : 'responseHeaders']: {
      response: hasEdits(all) ? { headerMutation: mutation(all) } : {},
    },
    ...(modes === undefined ? {} : { modeOverride: modeOverride(modes) }),
  })
}

/** Complete: whatever it left out would be NONE, or as configured, and so decided by nobody here. */
function modeOverride(modes: ModePair): object {
  return {
    requestHeaderMode: SEND,
    responseHeaderMode: SEND,
    requestBodyMode: BODY_MODE_NUMBERS[modes.request],
    responseBodyMode: BODY_MODE_NUMBERS[modes.response],
    requestTrailerMode: SEND,
    responseTrailerMode: SEND,
  }
}

function encodeBody(edits: CheckedEdits): Buffer {
  return encode({ requestBody: { response: { headerMutation: mutation(edits) } } })
}

function encodeReplacement({ edits, body, sized }: Replacement): Buffer {
  const all = sized ? withLength(edits, body.length) : edits
  return encode({
    responseBody: {
      response: { ...(hasEdits(all) ? { headerMutation: mutation(all) } : {}), bodyMutation: { body } },
    },
  })
}

/** No piece has this length, as Envoy counts it: a length that was set so is a mismatch. */
const GUARD = mutation({ set: [[LENGTH, '1']], remove: [] })

/**
 * Where Envoy ignored our override, it holds the whole answer and would let it go as it came, for it skips a piece that
 * is written in place of a body. The first piece therefore sets a wrong length: Envoy then answers with an error. In the
 * mode that we asked for, the head has left by then, and the length is what is skipped.
 */
function encodePiece({ bytes, last, first }: Piece): Buffer {
  return encode({
    responseBody: {
      response: {
        ...(first ? { headerMutation: GUARD } : {}),
        bodyMutation: { streamedResponse: last ? { body: bytes, endOfStream: true } : { body: bytes } },
      },
    },
  })
}

function withLength(edits: CheckedEdits, length: number): HeaderEdits {
  return { set: [...edits.set, [LENGTH, String(length)]], remove: edits.remove }
}

function encodeLocal(answer: LocalAnswer): Buffer {
  return encode({
    immediateResponse: {
      status: { code: answer.status },
      headers: { setHeaders: answer.headers.map(setHeader) },
      body: answer.body,
      details: answer.details,
    },
  })
}

function mutation(edits: HeaderEdits): object {
  return { setHeaders: edits.set.map(setHeader), removeHeaders: edits.remove }
}

/** `raw_value` is all that Envoy reads. Without `append` it overwrites, on every version. */
function setHeader([key, value]: HeaderPair): object {
  return { header: { key, rawValue: Buffer.from(value, 'latin1') } }
}

function encode(response: object): Buffer {
  const bytes = PROCESS.responseSerialize(response)
  // A misspelt member encodes to nothing, and an empty reply is not an answer.
  if (bytes.length === 0) throw new Error('a reply must not be empty')
  return bytes
}
