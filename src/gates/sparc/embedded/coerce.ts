import { isObject } from '../../../json/rpc.ts'
import { canonical } from './schema/values.ts'

/** The same value in one of the types, if nothing is lost by it. */
export function coerce(value: unknown, types: readonly unknown[]): { readonly value: unknown } | undefined {
  for (const type of types) {
    const converted = convert(value, type)
    if (converted !== undefined) return { value: converted }
  }
  return undefined
}

const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/
const TRUE: ReadonlySet<string> = new Set(['true', 'yes', 'on'])
const FALSE: ReadonlySet<string> = new Set(['false', 'no', 'off'])

function convert(value: unknown, type: unknown): unknown {
  switch (type) {
    case 'string':
      return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
    case 'number':
    case 'integer': {
      const number = typeof value === 'string' && NUMBER.test(value.trim()) ? Number(value) : undefined
      return type === 'number' || Number.isSafeInteger(number) ? number : undefined
    }
    case 'boolean':
      return toBoolean(value)
    case 'array':
      return fromText(value, Array.isArray) ?? (isPlain(value) ? [value] : undefined)
    case 'object':
      return fromText(value, isObject)
    default:
      return undefined
  }
}

function toBoolean(value: unknown): boolean | undefined {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : ''
  if (TRUE.has(word)) return true
  return FALSE.has(word) ? false : undefined
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

/** Models write JSON into a text where they should have written JSON. */
function fromText(value: unknown, fits: (value: unknown) => boolean): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return undefined
  try {
    const parsed: unknown = JSON.parse(value)
    return fits(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

/** The option that was meant: the same but for the case, the white space, or the type. */
export function nearOption(value: unknown, options: readonly unknown[]): { readonly value: unknown } | undefined {
  const wanted = folded(value)
  const near = options.filter((option) => folded(option) === wanted)
  return near.length === 1 ? { value: near[0] } : undefined
}

function folded(value: unknown): string {
  const text = typeof value === 'string' ? value : canonical(value)
  return text
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')
}
