import type { ChatMessage, ProposedCall } from '../../core/session.ts'
import { digestOf } from '../kit/digest.ts'
import type { Context } from './context.ts'
import type { Question, ReflectedCall, ReflectedMessage } from './reflector.ts'

export function questionOf({ conversation, tool, argumentsText, sessionId }: Context): Question {
  return {
    messages: conversation.messages.map(inOpenAiForm),
    tools: conversation.tools,
    // Drawn anew for each call: with it, no two questions would be equal.
    call: { id: undefined, tool, argumentsText },
    sessionId,
  }
}

function inOpenAiForm(message: ChatMessage, position: number): ReflectedMessage {
  const { role, text, toolCalls, toolCallId } = message
  return {
    role,
    content: text,
    ...(toolCalls === undefined || toolCalls.length === 0
      ? {}
      : { tool_calls: toolCalls.map((call, index) => callInOpenAiForm(call, `call_${position}_${index}`)) }),
    ...(toolCallId === undefined ? {} : { tool_call_id: toolCallId }),
  }
}

function callInOpenAiForm({ id, tool, argumentsText }: ProposedCall, otherwise: string): ReflectedCall {
  return { id: id ?? otherwise, type: 'function', function: { name: tool, arguments: argumentsText } }
}

/** A key for all that a reflector of one configuration is shown. */
export function keyOf({ conversation, tool, argumentsText, sessionId }: Context): string {
  return digestOf([
    digestOf(conversation.messages.map(digestOfMessage)),
    digestOf(conversation.tools.map(digestOfTool)),
    tool,
    argumentsText,
    optional(sessionId),
  ])
}

/** A conversation is long, is asked about once for every call, and grows by a few messages from one turn to the next. */
const digests = new WeakMap<object, string>()

function digestOnce<T extends object>(part: T, textsOf: (part: T) => readonly string[]): string {
  const known = digests.get(part)
  if (known !== undefined) return known
  const digest = digestOf(textsOf(part))
  digests.set(part, digest)
  return digest
}

function digestOfMessage(message: ChatMessage): string {
  return digestOnce(message, ({ role, text, toolCalls = [], toolCallId }) => [
    role,
    text,
    optional(toolCallId),
    ...toolCalls.flatMap(({ id, tool, argumentsText }) => [optional(id), tool, argumentsText]),
  ])
}

function digestOfTool(spec: unknown): string {
  return typeof spec === 'object' && spec !== null
    ? digestOnce(spec, (object) => [JSON.stringify(object)])
    : digestOf([JSON.stringify(spec) ?? ''])
}

/** Nothing is not the same as an empty text. */
function optional(text: string | undefined): string {
  return text === undefined ? '' : `=${text}`
}
