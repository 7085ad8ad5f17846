import type { Action } from '../../../core/action.ts'
import type { Exchange } from '../../../core/exchange.ts'
import type { Conversation, SessionView } from '../../../core/session.ts'
import { isProposed } from '../proposed.ts'
import { isObject } from '../../../json/rpc.ts'

/** What the operator gave the agent: the system text, and the specification of the tool. */
export interface Given {
  readonly system: string
  readonly description: string
  /** The whole specification, in lower case. */
  readonly spec: string
}

/** What the model was shown that proposed the call, or may have. */
export function conversationOf(action: Action, x: Exchange, session: SessionView): Conversation | undefined {
  if (isProposed(action)) return x.conversation
  return action.kind === 'tool-call' ? session.conversation(action) : undefined
}

const SYSTEM_ROLES: ReadonlySet<string> = new Set(['system', 'developer'])

/** `tools`: those of the conversation. */
export function givenBy(conversation: Conversation | undefined, tools: readonly Tool[], tool: string): Given {
  const system = (conversation?.messages ?? []).filter(({ role }) => SYSTEM_ROLES.has(role)).map(({ text }) => text)
  return { system: system.join('\n'), ...specOf(tool, tools) }
}

type Spec = Pick<Given, 'description' | 'spec'>

const UNKNOWN: Spec = { description: '', spec: '' }

function specOf(tool: string, tools: readonly Tool[]): Spec {
  const found = tools[indexOfTool(tool, tools)]
  return found === undefined ? UNKNOWN : specWritten(found)
}

/** Where among those that a model knows a tool stands; -1: nowhere. */
export function indexOfTool(tool: string, tools: readonly Tool[]): number {
  const exact = tools.findIndex(({ name }) => name === tool)
  return exact === -1 ? tools.findIndex(({ name }) => endsIn(name, tool)) : exact
}

/** A model may know the tool under a longer name, with its server before it. */
function endsIn(name: string, tool: string): boolean {
  return name.endsWith(tool) && /[_./:-]$/.test(name.slice(0, -tool.length))
}

/** A tool as its model knows it. */
export interface Tool {
  readonly name: string
  readonly description?: unknown
  readonly parameters?: unknown
}

export function toolsIn(conversation: Conversation | undefined): readonly Tool[] {
  return (conversation?.tools ?? []).flatMap((shown) => {
    const inside = isObject(shown) ? shown['function'] : undefined
    return isObject(inside) && typeof inside['name'] === 'string' ? [inside as unknown as Tool] : []
  })
}

const written = new WeakMap<Tool, Spec>()

/** Once for each specification that a session holds: each of its calls asks. */
function specWritten(tool: Tool): Spec {
  let spec = written.get(tool)
  if (spec === undefined) {
    const description = typeof tool.description === 'string' ? tool.description : ''
    written.set(tool, (spec = { description, spec: JSON.stringify({ ...tool, description }).toLowerCase() }))
  }
  return spec
}
