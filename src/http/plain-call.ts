import type { Body, Head } from '../core/exchange.ts'
import { readJson } from '../json/strict.ts'
import { copyOf, textOfBody } from './text.ts'

/** A request that no protocol claims, in the words of a tool call. */
export interface PlainCall {
  readonly tool: string
  readonly args: { readonly url: string; readonly body?: unknown }
}

const URL_CHARACTERS = 8_192
const BODY_BYTES = 65_536

const TOOLS: ReadonlyMap<string, string> = new Map([
  ['GET', 'get_url'],
  ['HEAD', 'get_url'],
  ['PUT', 'update_http'],
  ['PATCH', 'update_http'],
  ['DELETE', 'delete_http'],
])

/** The name under which such a request is a tool's. */
export function plainTool(method: string): string {
  return TOOLS.get(method) ?? 'send_http'
}

export function plainCall(head: Head, body: Body): PlainCall {
  const url = copyOf(urlOf(head).slice(0, URL_CHARACTERS))
  const said = body.kind === 'whole' ? contentOf(head, body.bytes) : undefined
  return { tool: plainTool(head.method), args: said === undefined ? { url } : { url, body: said } }
}

function urlOf({ scheme, authority, path, query }: Head): string {
  return `${scheme}://${authority}${path}${query === '' ? '' : `?${query}`}`
}

/** JSON as what it says, other text as it is: its beginning where it is long. Undefined for what is no text. */
function contentOf(head: Head, bytes: Uint8Array): unknown {
  const json = bytes.length <= BODY_BYTES ? readJson(bytes) : undefined
  return json?.ok === true ? json.value : textOfBody(head.headers, bytes.subarray(0, BODY_BYTES))?.text
}
