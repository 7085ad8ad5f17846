import { readJson } from '../../../json/strict.ts'
import { isObject } from '../../../json/rpc.ts'
import type { JsonObject } from './schema/values.ts'

export type ArgumentsRead =
  | { readonly ok: true; readonly value: JsonObject; readonly values: number }
  /** `why` may follow "The arguments …". */
  | { readonly ok: false; readonly why: string }

const UTF8 = new TextEncoder()

/** Reads the arguments of a call as every tool would; nothing at all stands for no arguments, as agents take it. */
export function readArguments(text: string): ArgumentsRead {
  if (text.trim() === '') return { ok: true, value: {}, values: 0 }
  const read = readJson(UTF8.encode(text.trim()))
  if (!read.ok) return { ok: false, why: `cannot be read as JSON: ${read.why}` }
  if (!isObject(read.value)) return { ok: false, why: 'are no JSON object' }
  return { ok: true, value: read.value, values: countValues(read.value) }
}

function countValues(root: unknown): number {
  let values = 0
  const rest = [root]
  while (rest.length > 0) {
    const value = rest.pop()
    values += 1
    if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) rest.push(each)
  }
  return values
}
