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
  const spec = specOf(tool, conversation?.tools ?? [])
  return {
    system: system.join('\n'),
    description: spec?.description ?? '',
    spec: spec === undefined ? '' : JSON.stringify(spec).toLowerCase(),
  }
}

interface Spec {
  readonly name: string
  readonly description?: string
}

/** A model may know the tool under a longer name, with its server before it. */
function specOf(tool: string, tools: readonly unknown[]): Spec | undefined {
  const specs = tools.map(functionOf).filter((each) => each !== undefined)
  return specs.find(({ name }) => name === tool) ?? specs.find(({ name }) => endsIn(name, tool))
}

function endsIn(name: string, tool: string): boolean {
  return name.endsWith(tool) && /[_./:-]$/.test(name.slice(0, -tool.length))
}

function functionOf(tool: unknown): Spec | undefined {
  const inside = isObject(tool) ? tool['function'] : undefined
  if (!isObject(inside) || typeof inside['name'] !== 'string') return undefined
  const { description } = inside
  return { ...inside, name: inside['name'], description: typeof description === 'string' ? description : '' }
}
