import { createHash } from 'node:crypto'
import type { Body, Exchange } from '../../core/exchange.ts'
import { mediaType } from '../../http/media.ts'
import { decodeBelieving, isUtf8Label } from '../../json/charset.ts'
import { JSON_MEMBERS, readJson } from '../../json/strict.ts'

/** What a body says, in the form in which it can be shown. */
export type Content =
  | { readonly kind: 'none' }
  /** JSON, or a form: something with keys. */
  | { readonly kind: 'keyed'; readonly value: unknown }
  | { readonly kind: 'text'; readonly text: string }
  /** Bytes that are no text, or that were not read. */
  | { readonly kind: 'opaque' }

const FORM = 'application/x-www-form-urlencoded'

export function contentOf(x: Exchange): Content {
  const { body } = x
  if (body.kind === 'none') return body
  if (body.kind !== 'whole') return { kind: 'opaque' }
  if (body.bytes.length === 0) return { kind: 'none' }
  if (readsOtherwise(x, body.bytes)) return { kind: 'opaque' }
  // By what it is, not by what it says it is: a server may not look at the media type either.
  const json = readJson(body.bytes)
  if (json.ok) return { kind: 'keyed', value: json.value }
  const text = plainText(body.bytes)
  if (text === undefined) return { kind: 'opaque' }
  return mediaTypeOf(x) === FORM ? formContent(text) : { kind: 'text', text }
}

export function mediaTypeOf(x: Exchange): string | undefined {
  const type = mediaType(x.request.headers)
  return type === undefined || type === 'several' ? type : type.essence
}

/** Whether a server that believes the content type sees another text than we do: what we see is then not what it says. */
function readsOtherwise(x: Exchange, bytes: Uint8Array): boolean {
  const type = mediaType(x.request.headers)
  if (type === 'several') return true
  if (type?.charset === undefined || isUtf8Label(type.charset)) return false
  return decodeBelieving(type.charset, bytes) !== plainText(bytes)
}

/** Of the bytes as they go on; undefined where they were not all seen. */
export function fingerprint(body: Body): { readonly bytes: number; readonly sha256: string } | undefined {
  if (body.kind === 'none' || body.kind === 'unread') return undefined
  return { bytes: body.raw.length, sha256: createHash('sha256').update(body.raw).digest('hex') }
}

const NO_TEXT = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/

function plainText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return NO_TEXT.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

/** A field that stands there twice keeps all its values: which one counts is up to the server. */
function formContent(text: string): Content {
  const fields = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(text)) {
    const values = fields.get(name)
    if (values === undefined) fields.set(name, [value])
    else values.push(value)
    // As for JSON: an object of so many keys costs too much to make.
    if (fields.size > JSON_MEMBERS) return { kind: 'opaque' }
  }
  const entries = [...fields].map(([name, values]) => [name, values.length === 1 ? values[0] : values] as const)
  return { kind: 'keyed', value: Object.fromEntries(entries) }
}
