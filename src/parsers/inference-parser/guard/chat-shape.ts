import { isObject } from '../../../json/rpc.ts'
import { objectsIn, textOf, type JsonObject } from '../dialect.ts'
import { isAbsent, misnamed, misplaced, unknownForm, wrongList, wrongObject, wrongScalar, wrongText } from './shape.ts'

const TOP = new Set(['choices'])
const CHOICE = new Set(['index', 'delta', 'message', 'finish_reason'])
const MESSAGE = new Set(['role', 'content', 'tool_calls', 'function_call'])
const CALL = new Set(['index', 'id', 'type', 'function', 'custom'])
const FUNCTION = new Set(['name', 'arguments'])
const CUSTOM = new Set(['name', 'input'])

/** Parts of a content that are calls, not words, for clients that read several vendors. */
const CALL_PARTS: ReadonlySet<unknown> = new Set(['tool_use', 'tool_call', 'function_call', 'functionCall', 'toolUse'])

/** With it, a relay of OpenAI’s client packs a whole message into the text that names the kind of a chunk. */
const PACKED = 'chat.completion.chunk.message:'

/** Why a value of a chat completion could show some client a call that we do not see, if so. */
export function wrongInChat(value: unknown, eventName: string): string | undefined {
  if (!isObject(value)) return wrongScalar(value)
  if (isAbsent(value['choices'])) return misnamed(value, TOP) ?? unknownForm(value)
  // OpenAI’s clients take such an event for one of another API.
  if (eventName.startsWith('thread.')) return 'a name that only some clients read'
  if (textOf(value['object']).startsWith(PACKED)) return 'a message in a text'
  return misnamed(value, TOP) ?? misplaced(value, TOP) ?? wrongList(value['choices'], 'choices', wrongChoice)
}

function wrongChoice(choice: JsonObject): string | undefined {
  return (
    misnamed(choice, CHOICE) ??
    misplaced(choice, CHOICE) ??
    wrongIndex(choice) ??
    wrongObject(choice['delta'], 'delta', wrongMessage) ??
    wrongObject(choice['message'], 'message', wrongMessage)
  )
}

function wrongMessage(message: JsonObject): string | undefined {
  const isCall = objectsIn(message['content']).some(({ type }) => CALL_PARTS.has(type))
  if (isCall) return 'a call among the content'
  return (
    misnamed(message, MESSAGE) ??
    wrongList(message['tool_calls'], 'tool_calls', wrongCall) ??
    wrongObject(message['function_call'], 'function_call', wrongFunction)
  )
}

function wrongCall(call: JsonObject): string | undefined {
  if (isObject(call['function']) && isObject(call['custom'])) return 'two calls in one'
  return (
    misnamed(call, CALL) ??
    wrongIndex(call) ??
    wrongText(call['id'], 'id') ??
    wrongObject(call['function'], 'function', wrongFunction) ??
    wrongObject(call['custom'], 'custom', wrongCustom)
  )
}

function wrongFunction(value: JsonObject): string | undefined {
  // Some vendors give the arguments as an object instead of its text.
  const text = isObject(value['arguments']) ? undefined : wrongText(value['arguments'], 'arguments')
  return misnamed(value, FUNCTION) ?? wrongText(value['name'], 'name') ?? text
}

function wrongCustom(value: JsonObject): string | undefined {
  return misnamed(value, CUSTOM) ?? wrongText(value['name'], 'name') ?? wrongText(value['input'], 'input')
}

function wrongIndex({ index }: JsonObject): string | undefined {
  const isIndex = isAbsent(index) || (Number.isSafeInteger(index) && (index as number) >= 0)
  return isIndex ? undefined : 'index is no whole number'
}
