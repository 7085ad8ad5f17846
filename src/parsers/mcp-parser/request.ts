import type { Action, Home } from '../../core/action.ts'
import type { Exchange } from '../../core/exchange.ts'
import type { NonEmpty, Reading, ReadResult } from '../../core/plugin.ts'
import { isPlainlyAddressed, overridesMethod } from '../../http/overrides.ts'
import { mistakable } from '../../json/fold.ts'
import { isObject, readEnvelope, withExtra, type Envelope } from '../../json/rpc.ts'
import type { McpConfig } from './config.ts'
import { malformedRefusal, refusalOf } from './denial.ts'
import type { Ground } from './ground.ts'
import { isPlainMeta } from './meta.ts'
import { effectOf, fitsMechanics, isKnownMethod, isNotification, isSharedMethod, PARAMETERS } from './methods.ts'
import { contradictedHeader, repeatedHeader, wantsTypedResults } from './mirrored.ts'
import { hostNote, taskNote } from './notes.ts'
import { readToolCall, type ToolCall } from './tool-call.ts'

type Message = Extract<Envelope, { ok: true }>
type Params = Readonly<Record<string, unknown>>

/** What was sent, for reading its answer. */
export interface Sent {
  readonly idToken: string
  /** The tool; for other methods the method. */
  readonly tool: string
  readonly args: unknown
  readonly startsTask: boolean
}

export interface Understood {
  readonly result: ReadResult
  /** Undefined where the answer teaches nothing. */
  readonly sent?: Sent
}

/** Reads a body that is ours. */
export function readMessage(x: Exchange, bytes: Uint8Array, ground: Ground, config: McpConfig): Understood {
  const envelope = readEnvelope(bytes)
  const malformed = (why: string, isEnvelope: boolean): Understood => ({
    result: {
      kind: 'unreadable',
      code: 'plumbline.unreadable',
      why,
      envelope: isEnvelope,
      refuse: malformedRefusal(x, config, envelope.idToken, isEnvelope),
    },
  })
  if (!envelope.ok) return malformed(envelope.why, envelope.envelope)
  const params = envelope.params ?? {}
  const wrong = wrongAround(x, envelope, params, ground)
  if (wrong !== undefined) return malformed(wrong, true)
  const call = envelope.method === 'tools/call' ? readToolCall(envelope, ground.home) : undefined
  if (call !== undefined && !call.ok) return malformed(call.why, true)
  return understood(x, envelope, call, ground, config)
}

/** What is wrong with the message as MCP, beyond the envelope. */
function wrongAround(x: Exchange, message: Message, params: Params, ground: Ground): string | undefined {
  const { headers } = x.request
  const repeated = repeatedHeader(headers)
  if (repeated !== undefined) return `${repeated} more than once`
  const contradicted = contradictedHeader(headers, message.method, params)
  if (contradicted !== undefined) return `${contradicted} says something else than the body`
  if (ground.claimed && overridesMethod(headers)) return 'a header that changes the method'
  const known = message.method !== undefined && isKnownMethod(message.method)
  const ours = ground.claimed || known
  return ours && mistakable(params, PARAMETERS) !== undefined ? 'a parameter in another case' : undefined
}

function understood(
  x: Exchange,
  message: Message,
  call: ToolCall | undefined,
  ground: Ground,
  config: McpConfig,
): Understood {
  const params = message.params ?? {}
  const sure = isSure(x, message, params, ground)
  const isRequest = message.kind === 'request'
  const reading: Reading = {
    kind: 'read',
    actions: actionsOf(x, message, call, ground.home),
    method: message.method,
    sure,
    hint: undefined,
    lessons: sure && x.direction === 'outbound' ? [{ kind: 'note', key: hostNote(x), judged: true }] : [],
    details: detailsOf(message, call),
    refuse: refusalOf(x, config, {
      idToken: isRequest ? message.idToken : undefined,
      for: call === undefined ? 'anything' : call.startsTask ? 'task' : 'tool-result',
      typedResult: wantsTypedResults(x.request.headers, params),
    }),
  }
  const sent = sure && isRequest ? sentOf(message, call) : undefined
  return sent === undefined ? { result: reading } : { result: reading, sent }
}

const NAME_CHARACTERS = 128

function detailsOf(message: Message, call: ToolCall | undefined): Readonly<Record<string, unknown>> {
  const short = (name: string) => name.slice(0, NAME_CHARACTERS)
  return {
    kind: message.kind,
    ...(message.method === undefined ? {} : { method: short(message.method) }),
    ...(call === undefined ? {} : { tool: short(call.tool) }),
  }
}

/** Whether the message is this protocol's own, and not one that another protocol on JSON-RPC knows too. */
function isSure(x: Exchange, message: Message, params: Params, ground: Ground): boolean {
  if (ground.claimed) return true
  if (message.method === undefined || !isKnownMethod(message.method)) return false
  if (!isSharedMethod(message.method) || ground.home === 'own') return true
  return !x.request.headers.has('a2a-version') && 'taskId' in params && !('id' in params)
}

function actionsOf(x: Exchange, message: Message, call: ToolCall | undefined, home: Home): NonEmpty<Action> {
  if (call !== undefined) return call.actions
  if (message.method === undefined) return [responseAction(x, message, home)]
  const { method } = message
  const rightShape = isNotification(method) === (message.kind === 'notification')
  const plain = x.request.method === 'POST' && isPlainlyAddressed(x.request.headers) && !message.extra && rightShape
  const knowsTask = (taskId: string) => x.notes.has(taskNote(x, taskId))
  if (plain && fitsMechanics(method, message.params, knowsTask)) {
    return [{ kind: 'mechanics', what: method, effect: 'read', home }]
  }
  return [{ kind: 'request', what: method, args: argsOf(message), effect: effectOf(method), home }]
}

/** The parameters, without what the protocol itself puts beside them. */
function argsOf(message: Message): unknown {
  const { _meta, ...rest } = message.params ?? {}
  const args = _meta === undefined || isPlainMeta(_meta) ? rest : { ...rest, _meta }
  return withExtra(args, message.extra)
}

const ERROR_BYTES = 256

/** A client answers what a server asked. Only an answer that says nothing is housekeeping. */
function responseAction(x: Exchange, message: Message, home: Home): Action {
  const { result, error } = message
  const says = result === undefined ? { error } : { result }
  const silent =
    result === undefined
      ? isObject(error) && Buffer.byteLength(JSON.stringify(error)) <= ERROR_BYTES
      : isObject(result) && Object.keys(result).length === 0
  if (silent && !message.extra && x.request.method === 'POST') {
    return { kind: 'mechanics', what: 'response', effect: 'read', home }
  }
  return {
    kind: 'request',
    what: 'answer to a server request',
    args: withExtra(says, message.extra),
    effect: 'unknown',
    home,
  }
}

/** Methods whose results bring text that the agent will read. */
const TELLING = new Set(['resources/read', 'prompts/get', 'tasks/get', 'tasks/result'])

function sentOf(message: Message, call: ToolCall | undefined): Sent | undefined {
  const { idToken, method } = message
  if (idToken === undefined || method === undefined) return undefined
  if (call !== undefined) return { idToken, tool: call.tool, args: call.args, startsTask: true }
  return TELLING.has(method) ? { idToken, tool: method, args: argsOf(message), startsTask: false } : undefined
}
