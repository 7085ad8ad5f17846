import { createHash } from 'node:crypto'
import type { HeaderView } from '../../core/exchange.ts'
import type { ChatMessage, Conversation, ProposedCall } from '../../core/session.ts'
import { effectOf, nameWords } from '../../gates/ibac/embedded/effects.ts'
import { member } from '../../json/member.ts'
import { isObject } from '../../json/rpc.ts'
import { anthropic } from '../../parsers/inference-parser/anthropic.ts'
import { chat } from '../../parsers/inference-parser/chat.ts'
import { BadData, type Row } from '../rows.ts'
import type { ToolSpec } from './scenario.ts'

/** A file in the form of scenarios, as it will be written. */
export interface Imported {
  readonly head: { readonly suite: string; readonly tools: readonly ToolSpec[] }
  readonly runs: readonly ImportedRun[]
  /** What could not be taken over, by why. */
  readonly leftOut: Readonly<Record<string, number>>
}

export interface ImportedRun {
  /** Nobody has said yet that it is anything else. */
  readonly kind: 'benign'
  readonly task: string
  readonly intent: string
  readonly system: string
  readonly steps: readonly ImportedStep[]
}

interface ImportedStep {
  readonly tool: string
  readonly args: unknown
  readonly result: string
  readonly injected: false
  /** By the tool's name: to be looked through. */
  readonly effect: 'read' | 'write'
}

const NOT_IN_RECORDS =
  'is a record of Plumbline. Records hold no intent, no arguments and no results, so that no run can be made of them. ' +
  "Give what the agent sent to its model instead: lines with messages and tools, in OpenAI's or Anthropic's form"

/** What an agent's requests to its model tell of its runs: what was asked, which calls, what came back. */
export function importConversations(rows: readonly Row[], suite: string): Imported {
  const tools = new Map<string, ToolSpec>()
  const found = new Map<string, ImportedRun>()
  const leftOut: Record<string, number> = {}
  const leave = (why: string): void => {
    leftOut[why] = (leftOut[why] ?? 0) + 1
  }
  for (const row of rows) {
    if (member(row.value, 'msg') === 'exchange') throw new BadData(row, NOT_IN_RECORDS)
    const conversation = conversationIn(row)
    for (const tool of conversation.tools.flatMap(toolIn)) if (!tools.has(tool.name)) tools.set(tool.name, tool)
    const names = beginningsOf(conversation.messages)
    // Each request repeats what was said before it: the last one tells all.
    for (const name of names) if (found.delete(name)) leave('a request that a later one repeats')
    const run = runOf(row, conversation, tools, leave)
    const whole = names.at(-1)
    if (run !== undefined && whole !== undefined) found.set(whole, run)
  }
  return { head: { suite, tools: [...tools.values()] }, runs: [...found.values()], leftOut }
}

const NO_HEADERS: HeaderView = { pairs: [], one: () => undefined, all: () => [], has: () => false }

function conversationIn(row: Row): Conversation {
  const { value } = row
  if (!isObject(value) || !Array.isArray(value['messages']))
    throw new BadData(row, 'no conversation: messages is missing')
  const dialect = anthropic.fits?.(value, NO_HEADERS) === true ? anthropic : chat
  return dialect.read(value).conversation ?? { messages: [], tools: [] }
}

function toolIn(tool: unknown): readonly ToolSpec[] {
  const declared = member(tool, 'function') ?? tool
  const name = member(declared, 'name')
  if (typeof name !== 'string') return []
  const description = member(declared, 'description')
  return [
    {
      name,
      description: typeof description === 'string' ? description : '',
      parameters: member(declared, 'parameters'),
    },
  ]
}

/** A name for each beginning of a conversation; the last one is that of the whole. */
function beginningsOf(messages: readonly ChatMessage[]): readonly string[] {
  let name = ''
  return messages.map((message) => {
    name = createHash('sha256').update(name).update(JSON.stringify(message)).digest('hex')
    return name
  })
}

function runOf(
  { line }: Row,
  { messages }: Conversation,
  tools: ReadonlyMap<string, ToolSpec>,
  leave: (why: string) => void,
): ImportedRun | undefined {
  const said = (roles: readonly string[]) =>
    messages.flatMap(({ role, text }) => (roles.includes(role) && text !== '' ? [text] : [])).join('\n')
  const intent = said(['user'])
  const calls = messages.flatMap(({ toolCalls }) => toolCalls ?? [])
  if (intent === '' || calls.length === 0) {
    leave(intent === '' ? 'nothing that a user said' : 'no call of a tool')
    return undefined
  }
  const results = new Map(
    messages.flatMap(({ toolCallId, text }) => (toolCallId === undefined ? [] : [[toolCallId, text] as const])),
  )
  const steps = calls.flatMap((call): readonly ImportedStep[] => {
    const args = argumentsOf(call)
    if (args === undefined) {
      leave('a call whose arguments are no JSON object')
      return []
    }
    const effect = effectOf(nameWords(call.tool), tools.get(call.tool)?.description ?? '')
    const result = call.id === undefined ? '' : (results.get(call.id) ?? '')
    return [{ tool: call.tool, args, result, injected: false, effect: LOOKING.has(effect) ? 'read' : 'write' }]
  })
  return { kind: 'benign', task: `line ${line}`, intent, system: said(['system', 'developer']), steps }
}

const LOOKING: ReadonlySet<string> = new Set(['read', 'login', 'net'])

function argumentsOf({ argumentsText }: ProposedCall): unknown {
  if (argumentsText.trim() === '') return {}
  try {
    const args: unknown = JSON.parse(argumentsText)
    return isObject(args) ? args : undefined
  } catch {
    return undefined
  }
}
