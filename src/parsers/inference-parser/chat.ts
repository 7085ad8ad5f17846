import type { ChatMessage, ProposedCall } from '../../core/session.ts'
import { isObject } from '../../json/rpc.ts'
import { callPieces, functionPieces } from './chat-calls.ts'
import { createChatCompletion } from './chat-completion.ts'
import { contentText } from './chat-content.ts'
import { createChatReader } from './guard/chat-reader.ts'
import { listIn, objectsIn, textOf, type Dialect, type InferenceRequest, type JsonObject } from './dialect.ts'

/** OpenAI's chat completions, and what speaks like them. */
export const chat: Dialect = {
  name: 'chat',
  claims: ({ path }) => path.endsWith('/chat/completions'),
  shows: (members) => members.has('messages') && members.has('model'),
  members: new Set(['model', 'messages', 'tools', 'functions', 'stream']),
  read: readChat,
  openCompletion: createChatCompletion,
  openCalls: createChatReader,
}

function readChat(body: JsonObject): InferenceRequest {
  const messages = objectsIn(body['messages']).map(readMessage)
  const tools = [...listIn(body['tools']), ...listIn(body['functions']).map(inFunctionForm)]
  return {
    model: textOf(body['model']),
    firstUserText: messages.find((message) => message.role === 'user' && message.text !== '')?.text ?? '',
    conversation: { messages, tools },
    proposes: 'readable',
  }
}

/** The legacy list holds what stands inside of a tool today. */
const inFunctionForm = (legacy: unknown): unknown =>
  isObject(legacy) ? { type: 'function', function: legacy } : legacy

function readMessage(message: JsonObject): ChatMessage {
  const content = contentText(message['content'], '\n')
  const toolCalls = callsOf(message)
  // A legacy `function` message says by its name which function answered.
  const answers = textOf(message['tool_call_id'])
  return {
    role: textOf(message['role']),
    text: content === '' ? textOf(message['refusal']) : content,
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
    ...(answers === '' ? {} : { toolCallId: answers }),
  }
}

function callsOf(message: JsonObject): readonly ProposedCall[] {
  const calls = objectsIn(message['tool_calls']).map((call) => ({
    id: textOf(call['id']) === '' ? undefined : textOf(call['id']),
    ...callPieces(call),
  }))
  const legacy = message['function_call']
  return isObject(legacy) ? [...calls, { id: undefined, ...functionPieces(legacy) }] : calls
}
