import type { HeaderView } from '../core/exchange.ts'

export interface MediaType {
  /** `type/subtype` in lower case. */
  readonly essence: string
  readonly charset: string | undefined
}

/** `name=value` or `name="value"`. */
const PARAMETER = /;\s*([^\s=;]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^;]*)/g

/** The content type; `several` where readers could pick different ones. */
export function mediaType(headers: HeaderView): MediaType | 'several' | undefined {
  const values = headers.all('content-type')
  const value = values[0]
  if (value === undefined) return undefined
  const [essence = ''] = value.split(';', 1)
  const charsets = value.includes(';') ? charsetsOf(value) : []
  if (values.length > 1 || essence.includes(',') || charsets.length > 1 || charsets[0]?.includes(',') === true) {
    return 'several'
  }
  return { essence: essence.trim().toLowerCase(), charset: charsets[0] }
}

const NAMED = 4

/** The first character sets that some reader could take from the content type, also where there are several. */
export function charsetsNamed(headers: HeaderView): readonly string[] {
  const values = headers.all('content-type')
  if (values.every((value) => !value.includes(';'))) return []
  const each = values.flatMap((value) => value.split(','))
  return [...new Set(each.flatMap(charsetsOf))].slice(0, NAMED)
}

function charsetsOf(value: string): readonly string[] {
  return [...value.matchAll(PARAMETER)]
    .filter(([, name]) => name?.toLowerCase() === 'charset')
    .map(([, , text = '']) => text.trim().replace(/^"|"$/g, '').replace(/\\/g, '').toLowerCase())
}
