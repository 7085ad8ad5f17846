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

export function givenBy(conversation: Conversation | undefined, tool: string): Given {
  const system = (conversation?.messages ?? []).filter(({ role }) => SYSTEM_ROLES.has(role)).map(({ text }) => text)
  return { system: system.join('\n'), ...(specOf(tool, conversation?.tools ?? []) ?? UNKNOWN) }
}

type Spec = Pick<Given, 'description' | 'spec'>

const UNKNOWN: Spec = { description: '', spec: '' }

function specOf(tool: string, tools: readonly unknown[]): Spec | undefined {
  const named = tools.map(functionOf).filter((each) => each !== undefined)
  const found =
    named[
      indexOfTool(
        tool,
        named.map(({ name }) => name),
      )
    ]
  return found === undefined ? undefined : specWritten(found)
}

/** Where among the names that a model knows a tool stands; -1: nowhere. */
export function indexOfTool(tool: string, names: readonly string[]): number {
  const exact = names.indexOf(tool)
  return exact === -1 ? names.findIndex((name) => endsIn(name, tool)) : exact
}

/** A model may know the tool under a longer name, with its server before it. */
function endsIn(name: string, tool: string): boolean {
  return name.endsWith(tool) && /[_./:-]$/.test(name.slice(0, -tool.length))
}

interface Named {
  readonly name: string
  readonly description?: unknown
  readonly parameters?: unknown
}

export function functionOf(tool: unknown): Named | undefined {
  const inside = isObject(tool) ? tool['function'] : undefined
  return isObject(inside) && typeof inside['name'] === 'string' ? (inside as unknown as Named) : undefined
}

const written = new WeakMap<Named, Spec>()

/** Once for each specification that a session holds: each of its calls asks. */
function specWritten(named: Named): Spec {
  let spec = written.get(named)
  if (spec === undefined) {
    const description = typeof named.description === 'string' ? named.description : ''
    written.set(named, (spec = { description, spec: JSON.stringify({ ...named, description }).toLowerCase() }))
  }
  return spec
}
