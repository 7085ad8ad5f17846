import { mistakable, pollutes } from './fold.ts'
import { perBytes } from './per-bytes.ts'
import { readJson, type TopTokens } from './strict.ts'

export type Envelope =
  | {
      readonly ok: true
      readonly kind: 'request' | 'notification' | 'response'
      readonly method: string | undefined
      /** The id as it was written, to be written back so. */
      readonly idToken: string | undefined
      /** An object, or undefined where there are none. */
      readonly params: Readonly<Record<string, unknown>> | undefined
      readonly result?: unknown
      readonly error?: unknown
      /** Members that JSON-RPC does not name; undefined where there are none. */
      readonly extra: Readonly<Record<string, unknown>> | undefined
    }
  | {
      readonly ok: false
      /** JSON, but a batch or a malformed envelope; as opposed to no JSON. */
      readonly envelope: boolean
      readonly why: string
      readonly idToken: string | undefined
    }

const NO_NAMES: ReadonlySet<string> = new Set()
const MEMBERS = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error'])

/** Reads one JSON-RPC 2.0 message, or refuses whatever two peers could take for different ones. */
export const readEnvelope: (bytes: Uint8Array) => Envelope = perBytes(read)

function read(bytes: Uint8Array): Envelope {
  const json = readJson(bytes)
  if (!json.ok) return { ok: false, envelope: false, why: json.why, idToken: undefined }
  if (Array.isArray(json.value)) return malformed('a batch')
  if (!isObject(json.value)) return malformed('not an object')
  return ofObject(json.value, json.tokens)
}

function malformed(why: string, idToken?: string): Envelope {
  return { ok: false, envelope: true, why, idToken }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Longer ids are no ids but a way to carry data. */
const ID_CHARACTERS = 512
const INTEGER = /^-?(0|[1-9]\d*)$/

function usableId(message: object, tokens: TopTokens): string | undefined {
  if (!Object.hasOwn(message, 'id')) return undefined
  const token = tokens.get('id')
  if (token === undefined || token.length > ID_CHARACTERS) return undefined
  return token.startsWith('"') || INTEGER.test(token) ? token : undefined
}

function ofObject(message: Readonly<Record<string, unknown>>, tokens: TopTokens): Envelope {
  const idToken = usableId(message, tokens)
  const wrong = wrongMembers(message, idToken)
  if (wrong !== undefined) return malformed(wrong, idToken)
  const common = { ok: true, idToken, extra: extraOf(message) } as const
  if (typeof message['method'] !== 'string') {
    const body = Object.hasOwn(message, 'result') ? { result: message['result'] } : { error: message['error'] }
    return { ...common, kind: 'response', method: undefined, params: undefined, ...body }
  }
  const params = isObject(message['params']) ? message['params'] : undefined
  return { ...common, kind: idToken === undefined ? 'notification' : 'request', method: message['method'], params }
}

function extraOf(message: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
  if (Object.keys(message).every((key) => MEMBERS.has(key))) return undefined
  return Object.fromEntries(Object.entries(message).filter(([key]) => !MEMBERS.has(key)))
}

/** What a message says besides its method. All of it goes to the peer, so all of it is there to be judged. */
export function withExtra(args: unknown, extra: Readonly<Record<string, unknown>> | undefined): unknown {
  return extra === undefined ? args : { params: args, beside_params: extra }
}

/** What is wrong with the envelope, in the order in which a reader would meet it. */
function wrongMembers(message: Readonly<Record<string, unknown>>, idToken: string | undefined): string | undefined {
  if (mistakable(message, MEMBERS) !== undefined) return 'two keys are the same but for case'
  if (pollutes(message)) return 'a key that changes prototypes'
  if (message['jsonrpc'] !== '2.0') return 'jsonrpc is not "2.0"'
  return Object.hasOwn(message, 'method') ? wrongCall(message, idToken) : wrongResponse(message, idToken)
}

function wrongCall(message: Readonly<Record<string, unknown>>, idToken: string | undefined): string | undefined {
  if (typeof message['method'] !== 'string') return 'method is no text'
  if (Object.hasOwn(message, 'result') || Object.hasOwn(message, 'error')) return 'both a call and a response'
  // Some servers take a call with such an id for a notification, others run it.
  if (Object.hasOwn(message, 'id') && idToken === undefined) return 'id is neither a text nor a whole number'
  const params = message['params']
  // Null is what some clients write for none; every server takes it so, or refuses.
  if (params === undefined || params === null) return undefined
  if (!isObject(params)) return 'params is no object'
  if (mistakable(params, NO_NAMES) !== undefined) return 'two parameters are the same but for case'
  return pollutes(params) ? 'a parameter that changes prototypes' : undefined
}

function wrongResponse(message: Readonly<Record<string, unknown>>, idToken: string | undefined): string | undefined {
  const hasResult = Object.hasOwn(message, 'result')
  const hasError = Object.hasOwn(message, 'error')
  if (!hasResult && !hasError) return 'neither a call nor a response'
  if (hasResult && hasError) return 'both result and error'
  if (Object.hasOwn(message, 'params')) return 'a response with params'
  // An error may answer a message whose id could not be read.
  if (hasError && (message['id'] === null || !Object.hasOwn(message, 'id'))) return undefined
  return idToken === undefined ? 'id is neither a text nor a whole number' : undefined
}

const encoder = new TextEncoder()

function write(idToken: string | undefined, member: string, value: unknown): Uint8Array {
  const id = idToken === undefined ? '' : `"id":${idToken},`
  return encoder.encode(`{"jsonrpc":"2.0",${id}"${member}":${JSON.stringify(value)}}`)
}

/** `idToken` is written as it was sent; some clients drop an answer whose id has another type or precision. */
export function jsonRpcError(
  idToken: string | undefined,
  code: number,
  message: string,
  data?: Readonly<Record<string, unknown>>,
): Uint8Array {
  return write(idToken, 'error', data === undefined ? { code, message } : { code, message, data })
}

export function jsonRpcResult(idToken: string | undefined, result: Readonly<Record<string, unknown>>): Uint8Array {
  return write(idToken, 'result', result)
}
