import type { Body, Exchange } from '../../core/exchange.ts'
import type { ReadResult } from '../../core/plugin.ts'
import { isObject } from '../../json/rpc.ts'
import { readJson } from '../../json/strict.ts'
import { plainRefusal } from '../kit/refusal.ts'
import { versionsDiffer, type Ground } from './ground.ts'
import { isPlainPoll, isPlainLine } from './housekeeping.ts'
import { namesOf } from './message.ts'
import { operationOf, type Operation } from './operations.ts'
import { actionReading, sendReading, type Frame } from './reading.ts'
import type { RestPath } from './rest.ts'
import { readSend } from './send.ts'

const unreadable = (why: string): ReadResult => ({ kind: 'unreadable', code: 'plumbline.unreadable', why })

/** A message whose path is an operation of the HTTP binding. */
export function readRest(x: Exchange, body: Body, rest: RestPath, ground: Ground): ReadResult {
  if (ground.oddPath) return unreadable('a path that servers read differently')
  if (versionsDiffer(x.request)) return unreadable('two versions of the protocol')
  const json = body.kind === 'whole' ? readJson(body.bytes) : undefined
  if (json !== undefined && !json.ok) return unreadable(json.why)
  const args = json?.value
  const frame = { method: rest.method, sure: true, refuse: plainRefusal }
  const operation = rest.method === undefined ? undefined : operationOf(rest.method)
  if (operation === undefined) {
    const what = `${x.request.method} on a path of the protocol`
    return actionReading(frame, { kind: 'request', what, args, effect: 'unknown', home: ground.home }, {})
  }
  return operation.kind === 'send'
    ? sendOf(x, frame, args, ground)
    : lookUpOrChange(x, frame, operation, rest, args, body, ground)
}

function sendOf(x: Exchange, frame: Frame, args: unknown, ground: Ground): ReadResult {
  if (args !== undefined && !isObject(args)) return unreadable('the body is no object')
  const send = readSend(args ?? {})
  if (!send.ok) return unreadable(send.why)
  const what = frame.method ?? ''
  const action = { kind: 'request', what, args, effect: 'write', home: ground.home } as const
  return sendReading(frame, action, send.value, x.direction)
}

function lookUpOrChange(
  x: Exchange,
  frame: Frame,
  operation: Operation,
  rest: RestPath,
  args: unknown,
  body: Body,
  ground: Ground,
): ReadResult {
  const hint = x.direction === 'inbound' ? namesOf(contextInQuery(x, operation), rest.taskId) : {}
  const what = frame.method ?? ''
  if (isPlain(x, operation, rest, args, body)) {
    return actionReading(frame, { kind: 'mechanics', what, effect: 'read', home: ground.home }, hint)
  }
  // A poll with more in it than polling needs may do more than look.
  const effect = operation.kind === 'poll' ? 'unknown' : 'write'
  return actionReading(frame, { kind: 'request', what, args, effect, home: ground.home }, hint)
}

/** The task is named by the path; what the body may hold beside it is what the operation knows. */
function isPlain(x: Exchange, operation: Operation, rest: RestPath, args: unknown, body: Body): boolean {
  const named = operation.task === undefined ? {} : { [operation.task]: rest.taskId }
  const size = body.kind === 'whole' ? body.bytes.length : 0
  const inside = args === undefined ? {} : args
  return isObject(inside) && isPlainPoll(operation, { ...inside, ...named }, size) && isPlainLine(operation, x.request)
}

function contextInQuery(x: Exchange, operation: Operation): string | undefined {
  if (!operation.fits.has('contextId')) return undefined
  const values = new URLSearchParams(x.request.query).getAll('contextId')
  return values.length === 1 && values[0] !== '' ? values[0] : undefined
}
