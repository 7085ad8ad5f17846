import { isObject } from '../../../../json/rpc.ts'

/** Looked at by their own members only (`member`): a specification may declare `constructor`. */
export type JsonObject = Readonly<Record<string, unknown>>

/** One text for equal values: keys in order. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)
  return `{${members.join(',')}}`
}

/** The JSON type of a value, an integer being a number. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
