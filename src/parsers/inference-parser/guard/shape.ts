import { mistakable } from '../../../json/fold.ts'
import { isObject } from '../../../json/rpc.ts'
import { listIn, type JsonObject } from '../dialect.ts'

/** Why a value is not what its readers expect, if so. Never with content. */
type Check = (value: JsonObject) => string | undefined

export const isAbsent = (value: unknown): boolean => value === undefined || value === null

/** Keys that a forgiving reader takes for one of these, or for each other. */
export function misnamed(value: JsonObject, names: ReadonlySet<string>): string | undefined {
  return mistakable(value, names) === undefined ? undefined : 'two keys are the same but for case'
}

export function wrongList(value: unknown, name: string, check: Check): string | undefined {
  if (isAbsent(value)) return undefined
  if (!Array.isArray(value)) return `${name} is no list`
  for (const each of listIn(value)) {
    const wrong = isObject(each) ? check(each) : `${name} holds something else than objects`
    if (wrong !== undefined) return wrong
  }
  return undefined
}

export function wrongObject(value: unknown, name: string, check: Check): string | undefined {
  if (isAbsent(value)) return undefined
  return isObject(value) ? check(value) : `${name} is no object`
}

export function wrongText(value: unknown, name: string): string | undefined {
  return isAbsent(value) || typeof value === 'string' ? undefined : `${name} is no text`
}

/** Where dialects keep what the model says. Calls stand in one of these. */
const SAYING: ReadonlySet<string> = new Set([
  ...['choices', 'message', 'messages', 'delta', 'content', 'tool_calls', 'function_call'],
  ...['content_block', 'output', 'item', 'candidates'],
])

const isFull = (value: unknown): boolean => typeof value === 'object' && value !== null && Object.keys(value).length > 0

/** What the model says, in a place where only clients of another dialect look for it. `own`: where it belongs here. */
export function misplaced(value: JsonObject, own: ReadonlySet<string>): string | undefined {
  const is = Object.keys(value).some((key) => SAYING.has(key) && !own.has(key) && isFull(value[key]))
  return is ? 'members of another dialect' : undefined
}

/** About the exchange, not by the model. */
const ABOUT: ReadonlySet<string> = new Set([
  ...['error', 'errors', 'usage', 'metadata', 'timings', 'time_info', 'prompt_filter_results'],
  ...['x_groq', 'hook_results', 'warnings'],
])
/** These are of a call even where they are texts. */
const OF_CALLS: ReadonlySet<string> = new Set(['arguments', 'input', 'partial_json', 'function', 'tool_calls'])

/** A value that is no answer of its dialect may be an error, or figures and names. All else could be another dialect’s. */
export function unknownForm(value: JsonObject): string | undefined {
  const is = Object.keys(value).some((key) => OF_CALLS.has(key) || (!ABOUT.has(key) && isFull(value[key])))
  return is ? 'an answer of another form' : undefined
}

/** Why a value that is no object cannot be one of an answer, if so. */
export function wrongScalar(value: unknown): string | undefined {
  if (Array.isArray(value)) return 'a list where an object should be'
  return typeof value === 'string' ? 'a text where an object should be' : undefined
}

const NAME_CHARACTERS = 256

/** A text that may name something in an answer of ours. */
export function shortText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= NAME_CHARACTERS ? value : undefined
}
