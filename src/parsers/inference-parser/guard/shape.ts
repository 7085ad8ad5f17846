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

const NAME_CHARACTERS = 256

/** A text that may name something in an answer of ours. */
export function shortText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= NAME_CHARACTERS ? value : undefined
}
