import type { ChatMessage, Conversation, ProposedCall } from '../../core/session.ts'
import { digestOf } from '../kit/digest.ts'
import type { Context } from './context.ts'
import { withoutOwnWords } from './own-words.ts'
import type { Question, ReflectedCall, ReflectedMessage } from './reflector.ts'

export function questionOf({ conversation, tool, argumentsText, sessionId }: Context): Question {
  return {
    messages: messagesOf(conversation),
    tools: conversation.tools,
    // Drawn anew for each call: with it, no two questions would be equal.
    call: { id: undefined, tool, argumentsText },
    sessionId,
  }
}

/** Always the same list for the same one: who reads it needs to do so once for all calls of an answer. */
const lists = new WeakMap<readonly ChatMessage[], readonly ReflectedMessage[]>()

function messagesOf({ messages }: Conversation): readonly ReflectedMessage[] {
  const known = lists.get(messages)
  if (known !== undefined) return known
  const list = messages.map(inOpenAiForm)
  lists.set(messages, list)
  return list
}

function inOpenAiForm(message: ChatMessage, position: number): ReflectedMessage {
  const { role, toolCalls, toolCallId } = message
  return {
    role,
    content: shownText(message),
    ...(toolCalls === undefined || toolCalls.length === 0
      ? {}
      : { tool_calls: toolCalls.map((call, index) => callInOpenAiForm(call, `call_${position}_${index}`)) }),
    ...(toolCallId === undefined ? {} : { tool_call_id: toolCallId }),
  }
}

/** Where our own words come back: as results of tools, and as what the model is said to have answered. */
const ROLES_WITH_OWN_WORDS: ReadonlySet<string> = new Set(['tool', 'function', 'assistant'])

/** A conversation is long, and grows by a few messages from one question to the next. */
const shownTexts = new WeakMap<ChatMessage, string>()

/** The text of a message as reflectors see it: without what we said ourselves. */
function shownText(message: ChatMessage): string {
  if (!ROLES_WITH_OWN_WORDS.has(message.role)) return message.text
  const known = shownTexts.get(message)
  if (known !== undefined) return known
  const shown = withoutOwnWords(message.text)
  shownTexts.set(message, shown)
  return shown
}

function callInOpenAiForm({ id, tool, argumentsText }: ProposedCall, otherwise: string): ReflectedCall {
  return { id: id ?? otherwise, type: 'function', function: { name: tool, arguments: argumentsText } }
}

/** A key for all that a reflector of one configuration is shown. */
export function keyOf({ conversation, tool, argumentsText, sessionId }: Context): string {
  return digestOf([
    digestOnce(conversation.messages, (messages) => messages.map(digestOfMessage)),
    digestOnce(conversation.tools, (tools) => tools.map(digestOfTool)),
    tool,
    argumentsText,
    optional(sessionId),
  ])
}

/** Asked for with every call. */
const digests = new WeakMap<object, string>()

function digestOnce<T extends object>(part: T, textsOf: (part: T) => readonly string[]): string {
  const known = digests.get(part)
  if (known !== undefined) return known
  const digest = digestOf(textsOf(part))
  digests.set(part, digest)
  return digest
}

function digestOfMessage(message: ChatMessage): string {
  return digestOnce(message, ({ role, toolCalls = [], toolCallId }) => [
    role,
    shownText(message),
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
