import { isObject } from '../../../json/rpc.ts'
import type { JsonObject } from '../dialect.ts'
import { isAbsent, misnamed, wrongList, wrongObject, wrongText } from './shape.ts'

const TOP = new Set(['choices'])
const CHOICE = new Set(['index', 'delta', 'message', 'finish_reason'])
const MESSAGE = new Set(['role', 'content', 'tool_calls', 'function_call'])
const CALL = new Set(['index', 'id', 'type', 'function', 'custom'])
const FUNCTION = new Set(['name', 'arguments'])
const CUSTOM = new Set(['name', 'input'])

/**
 * Why a value of a chat completion could show some client a call that we do not see, if so. A value without choices
 * shows nobody one: an error, or a vendor's own.
 */
export function wrongInChat(value: unknown): string | undefined {
  if (Array.isArray(value)) return 'a list where an object should be'
  if (!isObject(value)) return undefined
  return misnamed(value, TOP) ?? wrongList(value['choices'], 'choices', wrongChoice)
}

function wrongChoice(choice: JsonObject): string | undefined {
  return (
    misnamed(choice, CHOICE) ??
    wrongIndex(choice) ??
    wrongObject(choice['delta'], 'delta', wrongMessage) ??
    wrongObject(choice['message'], 'message', wrongMessage)
  )
}

function wrongMessage(message: JsonObject): string | undefined {
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
