import type { Body, Exchange } from '../../core/exchange.ts'
import type { ReadResult } from '../../core/plugin.ts'
import { isObject } from '../../json/rpc.ts'
import { readJson } from '../../json/strict.ts'
import { glimpses, unreadableBytes } from '../kit/claim.ts'
import { plainRefusal } from '../kit/refusal.ts'
import type { A2aConfig } from './config.ts'
import { NOTIFICATION_HEADER, type Ground } from './ground.ts'
import { operationOf } from './operations.ts'
import { actionReading } from './reading.ts'
import { readRest } from './rest-request.ts'
import { readRpc } from './rpc-request.ts'

const notMine: ReadResult = { kind: 'not-mine' }

export function readRequest(x: Exchange, body: Body, ground: Ground, config: A2aConfig): ReadResult {
  if (body.kind === 'unread') return notMine
  const seen = glimpses(x, body)
  const showsRpc = seen.some(
    (glimpse) =>
      glimpse.keys.has('jsonrpc') ||
      glimpse.methods.some((method) => operationOf(method) !== undefined) ||
      (ground.claimed && glimpse.keys.has('method')),
  )
  const rest = restOf(x, body, ground)
  if (!showsRpc && rest === undefined && !(ground.claimed && body.kind !== 'none')) return notMine
  const unreadable = unreadableBytes(x, body)
  if (unreadable !== undefined) return unreadable
  if (rest !== undefined) {
    if (!showsRpc) return readRest(x, body, rest, ground)
    return { kind: 'unreadable', code: 'plumbline.unreadable', why: 'two bindings in one message' }
  }
  if (body.kind !== 'whole') return notMine
  return showsRpc ? readRpc(x, body.bytes, ground, config) : readOther(x, body.bytes, ground)
}

/**
 * The path's operation, where it is ours to read: paths that nobody else has always are. Others (`/tasks/7`) are only on
 * our ground, on our own hosts, or towards the agent that we stand before, and only as the look-ups that they are.
 */
function restOf(x: Exchange, body: Body, ground: Ground): Ground['rest'] {
  const { rest } = ground
  if (rest === undefined || rest.distinct) return rest
  if (rest.method === undefined || ground.oddPath) return undefined
  const ours = ground.claimed || ground.home === 'own' || x.direction === 'inbound'
  return ours && (ground.claimed || body.kind === 'none') ? rest : undefined
}

/** A body on our ground that is no call: an agent's notification, or something that nobody knows. */
function readOther(x: Exchange, bytes: Uint8Array, ground: Ground): ReadResult {
  const json = readJson(bytes)
  if (!json.ok) return { kind: 'unreadable', code: 'plumbline.unreadable', why: json.why }
  if (!isObject(json.value))
    return { kind: 'unreadable', code: 'plumbline.unreadable', why: 'no object', envelope: true }
  const what = x.request.headers.has(NOTIFICATION_HEADER) ? 'push notification' : 'unknown message'
  const action = { kind: 'request', what, args: json.value, effect: 'unknown', home: ground.home } as const
  return actionReading({ method: undefined, sure: true, refuse: plainRefusal }, action, {})
}
