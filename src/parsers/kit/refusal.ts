import type { Answer, Refusal } from '../../core/ruling.ts'
import type { HeaderView } from '../../core/exchange.ts'
import { jsonRpcError, jsonRpcResult } from '../../json/rpc.ts'

const encoder = new TextEncoder()
const JSON_TYPE = [['content-type', 'application/json']] as const

const MESSAGE_CHARACTERS = 512

/** One line, without control characters, bounded. */
export function oneLine(message: string): string {
  return message
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, MESSAGE_CHARACTERS)
}

/** A clarification is no way to flood a conversation. */
export const CLARIFICATION_BYTES = 4096

/** What the caller's model is to act on, as it is but bounded; undefined where the refusal has none. */
export function clarificationOf(no: Refusal): string | undefined {
  if (no.clarification === undefined) return undefined
  const bytes = encoder.encode(no.clarification).subarray(0, CLARIFICATION_BYTES)
  // In a stream, half a character at the end is waited for, and so left out.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true })
}

/** A clarification needs a reader. Where none is, its refusal is what it was before: a no. */
export function statusOf(no: Refusal): number {
  return no.clarification === undefined ? no.status : 403
}

/** The answer to plain HTTP. */
export function plainRefusal(no: Refusal): Answer {
  const body = { error: no.code, message: oneLine(no.message), plugin: no.plugin, request_id: no.requestId }
  return { status: statusOf(no), headers: JSON_TYPE, body: encoder.encode(JSON.stringify(body)), details: no.code }
}

export interface RpcRefusalOptions {
  /** HTTP status; 200 where the caller waits for an answer to its id. */
  readonly status: number
  /** The message is JSON, but a batch or a malformed envelope. */
  readonly envelope?: boolean
  /** The caller takes nothing but an event stream. */
  readonly asEvent?: boolean
}

/** The answer as a JSON-RPC error. */
export function rpcRefusal(no: Refusal, idToken: string | undefined, options: RpcRefusalOptions): Answer {
  const data = { reason: no.code, request_id: no.requestId }
  const error = jsonRpcError(idToken, rpcCode(statusOf(no), options.envelope === true), oneLine(no.message), data)
  return framed(no, options.status, error, options.asEvent === true)
}

/** The answer as a JSON-RPC result, for protocols whose results can say that a call failed. */
export function rpcResultAnswer(
  no: Refusal,
  idToken: string,
  result: Readonly<Record<string, unknown>>,
  asEvent: boolean,
): Answer {
  return framed(no, 200, jsonRpcResult(idToken, result), asEvent)
}

/** Outside of the ranges that JSON-RPC and the protocols on it reserve; text that is no JSON has JSON-RPC's own. */
function rpcCode(status: number, envelope: boolean): number {
  if (envelope) return -32600
  return status === 400 ? -32700 : -31000 - status
}

function framed(no: Refusal, status: number, message: Uint8Array, asEvent: boolean): Answer {
  if (!asEvent) return { status, headers: JSON_TYPE, body: message, details: no.code }
  const body = encoder.encode(`event: message\ndata: ${new TextDecoder().decode(message)}\n\n`)
  const headers = [
    ['content-type', 'text/event-stream'],
    ['cache-control', 'no-store'],
  ] as const
  return { status, headers, body, details: no.code }
}

/** Whether a caller's `accept` names an event stream and nothing that JSON would fit. */
export function takesOnlyEvents(headers: HeaderView): boolean {
  const types = headers
    .all('accept')
    .flatMap((value) => value.split(','))
    .map((each) => (each.split(';', 1)[0] ?? '').trim().toLowerCase())
    .filter((type) => type !== '')
  return types.length > 0 && types.every((type) => type === 'text/event-stream')
}
