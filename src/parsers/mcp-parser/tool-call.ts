import { z } from 'zod'
import type { Action, Home } from '../../core/action.ts'
import type { NonEmpty } from '../../core/plugin.ts'
import { isObject, withExtra, type Envelope } from '../../json/rpc.ts'
import { isPlainMeta, isShort } from './meta.ts'

type Params = Readonly<Record<string, unknown>>
type Message = Pick<Extract<Envelope, { ok: true }>, 'params' | 'extra'>

export interface ToolCall {
  readonly ok: true
  readonly tool: string
  readonly args: unknown
  /** The caller waits for a task, not for the tool's result. */
  readonly startsTask: boolean
  readonly actions: NonEmpty<Action>
}

interface Malformed {
  readonly ok: false
  readonly why: string
}

/** Characters that nobody sees, or that end a line. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

const taskField = z.strictObject({ ttl: z.number().optional() })

/** What a `tools/call` asks for, or why servers could differ about it. */
export function readToolCall({ params, extra }: Message, home: Home): ToolCall | Malformed {
  const tool = params?.['name']
  if (params === undefined || typeof tool !== 'string' || tool === '') return malformed('a tool call without name')
  if (HIDDEN.test(tool) || tool.normalize('NFC') !== tool) return malformed('a tool name with hidden characters')
  // Null is what some clients write for none.
  const args = params['arguments'] ?? {}
  if (!isObject(args)) return malformed('arguments are no object')
  const call: Action = { kind: 'tool-call', tool, args, effect: 'unknown', home }
  const beside = besideOf(params, extra, home)
  const actions: NonEmpty<Action> =
    beside === undefined
      ? [call]
      : [call, { kind: 'request', what: 'tools/call, beside its arguments', args: beside, effect: 'unknown', home }]
  return { ok: true, tool, args, startsTask: 'task' in params, actions }
}

const malformed = (why: string): Malformed => ({ ok: false, why })

/**
 * What a call carries besides name and arguments: answers to what the server asked for, and whatever the protocol does
 * not know. That goes to the server too, so it is judged too.
 */
function besideOf(params: Params, extra: Params | undefined, home: Home): unknown {
  const { name: _name, arguments: _arguments, requestState, task, _meta, ...beside } = params
  // It is the server's own, and comes back to it: a text that means nothing to anybody else.
  const stateFits = requestState === undefined || (typeof requestState === 'string' && isShort(requestState))
  const taskFits = task === undefined || taskField.safeParse(task).success
  // A server at home may have agreed on keys of its own with its clients.
  const metaFits = _meta === undefined || (home === 'own' && isObject(_meta)) || isPlainMeta(_meta)
  const rest = {
    ...beside,
    ...(stateFits || home === 'own' ? {} : { requestState }),
    ...(taskFits ? {} : { task }),
    ...(metaFits ? {} : { _meta }),
  }
  return extra === undefined && Object.keys(rest).length === 0 ? undefined : withExtra(rest, extra)
}
