import type { Exchange } from '../../core/exchange.ts'
import type { ReadResult } from '../../core/plugin.ts'
import { readEnvelope, withExtra, type Envelope } from '../../json/rpc.ts'
import { plainRefusal, rpcRefusal, statusOf, takesOnlyEvents } from '../kit/refusal.ts'
import type { A2aConfig } from './config.ts'
import { versionsDiffer, type Ground } from './ground.ts'
import { isPlainPoll, isPlainLine } from './housekeeping.ts'
import { namesOf, readName } from './message.ts'
import { isSharedName, operationOf, type Operation } from './operations.ts'
import { actionReading, sendReading, type Frame, type Refuse } from './reading.ts'
import { readSend } from './send.ts'

type Call = Extract<Envelope, { ok: true }>

/** A message that shows JSON-RPC, in the JSON-RPC binding of any version. */
export function readRpc(x: Exchange, bytes: Uint8Array, ground: Ground, config: A2aConfig): ReadResult {
  const envelope = readEnvelope(bytes)
  if (!envelope.ok) {
    const refuse = malformedRefusal(config, envelope.idToken, envelope.envelope)
    return { kind: 'unreadable', code: 'plumbline.unreadable', why: envelope.why, envelope: envelope.envelope, refuse }
  }
  const refuse = rpcRefusalOf(x, config, envelope.idToken)
  if (envelope.method === undefined) {
    // Clients of this protocol never answer a server; on other ground it is a message of another one.
    if (!ground.claimed) return { kind: 'not-mine' }
    const args = withExtra(envelope.result ?? envelope.error, envelope.extra)
    const action = { kind: 'request', what: 'JSON-RPC response', args, effect: 'unknown', home: ground.home } as const
    return actionReading({ method: undefined, sure: true, refuse }, action, {})
  }
  const operation = operationOf(envelope.method)
  const frame = { method: envelope.method, sure: isSure(x, envelope, operation, ground), refuse }
  if (operation === undefined || !frame.sure) return strangerReading(frame, envelope, ground)
  const malformed = (why: string): ReadResult => ({
    kind: 'unreadable',
    code: 'plumbline.unreadable',
    why,
    envelope: true,
    refuse: malformedRefusal(config, envelope.idToken, true),
  })
  if (versionsDiffer(x.request)) return malformed('two versions of the protocol')
  return operation.kind === 'send'
    ? sendOf(x, frame, envelope, ground, malformed)
    : lookUpOrChange(x, frame, envelope, operation, ground, bytes.length, malformed)
}

/** By its id where the caller waits for one, else like any HTTP request. */
function rpcRefusalOf(x: Exchange, config: A2aConfig, idToken: string | undefined): Refuse {
  if (config.denial === 'http_status') return plainRefusal
  const asEvent = takesOnlyEvents(x.request.headers)
  return (no) =>
    idToken === undefined
      ? rpcRefusal(no, undefined, { status: statusOf(no), asEvent })
      : rpcRefusal(no, idToken, { status: 200, asEvent })
}

function malformedRefusal(config: A2aConfig, idToken: string | undefined, envelope: boolean): Refuse {
  if (config.denial === 'http_status') return plainRefusal
  return (no) => rpcRefusal(no, idToken, { status: no.status, envelope })
}

/** Whether the call is this protocol's own, and not one that another protocol on JSON-RPC knows too, or better. */
function isSure(x: Exchange, call: Call, operation: Operation | undefined, ground: Ground): boolean {
  if (ground.claimed) return true
  // `hosts` does not claim: a host may serve more than one protocol.
  if (operation === undefined || call.method === undefined) return false
  if (!isSharedName(call.method)) return true
  if (ground.home === 'own') return true
  const otherProtocol = x.request.headers.pairs.some(([name]) => name.startsWith('mcp-'))
  const params = call.params ?? {}
  return !otherProtocol && 'id' in params && !('taskId' in params)
}

/** A method that the protocol does not have, or not for sure, does what nobody knows. */
function strangerReading(frame: Frame, call: Call, ground: Ground): ReadResult {
  const what = frame.method ?? ''
  return actionReading(frame, { kind: 'request', what, args: argsOf(call), effect: 'unknown', home: ground.home }, {})
}

const argsOf = (call: Call): unknown => withExtra(call.params, call.extra)

type Malformed = (why: string) => ReadResult

function sendOf(x: Exchange, frame: Frame, call: Call, ground: Ground, malformed: Malformed): ReadResult {
  const send = readSend(call.params ?? {})
  if (!send.ok) return malformed(send.why)
  const what = frame.method ?? ''
  const action = { kind: 'request', what, args: argsOf(call), effect: 'write', home: ground.home } as const
  return sendReading(frame, action, send.value, x.direction)
}

function lookUpOrChange(
  x: Exchange,
  frame: Frame,
  call: Call,
  operation: Operation,
  ground: Ground,
  size: number,
  malformed: Malformed,
): ReadResult {
  const params = call.params ?? {}
  const taskId = readName(operation.task === undefined ? undefined : params[operation.task], 'the task')
  if (!taskId.ok) return malformed(taskId.why)
  const contextId = readName(params['contextId'], 'contextId')
  if (!contextId.ok) return malformed(contextId.why)
  const hint = x.direction === 'inbound' ? namesOf(contextId.value, taskId.value) : {}
  const plain =
    call.kind === 'request' &&
    !call.extra &&
    x.request.method === 'POST' &&
    isPlainPoll(operation, params, size) &&
    isPlainLine(versionOnly, x.request)
  const what = frame.method ?? ''
  if (plain) return actionReading(frame, { kind: 'mechanics', what, effect: 'read', home: ground.home }, hint)
  // A poll with more in it than polling needs may do more than look.
  const effect = operation.kind === 'poll' ? 'unknown' : 'write'
  return actionReading(frame, { kind: 'request', what, args: argsOf(call), effect, home: ground.home }, hint)
}

/** A JSON-RPC call has its parameters in the body, none in the query. */
const versionOnly: Pick<Operation, 'fits'> = { fits: new Map() }
