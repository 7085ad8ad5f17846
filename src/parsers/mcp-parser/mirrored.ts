import type { HeaderView } from '../../core/exchange.ts'
import { isObject } from '../../json/rpc.ts'
import { PROTOCOL_VERSION_KEY } from './meta.ts'

const VERSION = 'mcp-protocol-version'
const METHOD = 'mcp-method'
const NAME = 'mcp-name'
const SESSION = 'mcp-session-id'

export const PROTOCOL_HEADERS: readonly string[] = [VERSION, METHOD, NAME, SESSION]

export const hasSession = (headers: HeaderView): boolean => headers.has(SESSION)

/** The first revision whose results say of what type they are. */
const TYPED_RESULTS = '2026-07-28'

/** Whether a message claims a revision whose results name their type. Revisions are dates. */
export function wantsTypedResults(headers: HeaderView, params: Readonly<Record<string, unknown>>): boolean {
  const version = headers.one(VERSION) ?? versionIn(params) ?? ''
  return /^\d{4}-\d\d-\d\d$/.test(version) && version >= TYPED_RESULTS
}

function versionIn(params: Readonly<Record<string, unknown>>): string | undefined {
  const meta = params['_meta']
  const version = isObject(meta) ? meta[PROTOCOL_VERSION_KEY] : undefined
  return typeof version === 'string' ? version : undefined
}

/** A header that comes twice: peers could read different ones. */
export function repeatedHeader(headers: HeaderView): string | undefined {
  return PROTOCOL_HEADERS.find((name) => headers.all(name).length > 1)
}

/**
 * The header that says something else than the body. Whoever stands before the server may decide by the header, so a
 * message that says two things is not passed on.
 */
export function contradictedHeader(
  headers: HeaderView,
  method: string | undefined,
  params: Readonly<Record<string, unknown>>,
): string | undefined {
  const named = headers.one(METHOD)
  if (named !== undefined && plainText(named) !== method) return METHOD
  const name = headers.one(NAME)
  if (name !== undefined && plainText(name) !== subjectOf(method, params)) return NAME
  const version = versionIn(params)
  return version !== undefined && (headers.one(VERSION) ?? version) !== version ? VERSION : undefined
}

/** What `Mcp-Name` repeats. */
function subjectOf(method: string | undefined, params: Readonly<Record<string, unknown>>): unknown {
  if (method === 'tools/call' || method === 'prompts/get') return params['name']
  if (method === 'resources/read') return params['uri']
  return method?.startsWith('tasks/') === true ? params['taskId'] : undefined
}

const BASE64 = /^=\?base64\?(.*)\?=$/

/** A header's value; what does not fit into a header comes as base64. Undefined when that is malformed. */
function plainText(value: string): string | undefined {
  const base64 = BASE64.exec(value)?.[1]
  if (base64 === undefined) return value
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length === 0 || bytes.toString('base64').replace(/=+$/, '') !== base64.replace(/=+$/, '')) return undefined
  return bytes.toString('utf8')
}
