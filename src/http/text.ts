import type { HeaderView } from '../core/exchange.ts'
import { decodeBelieving, isUtf8Label } from '../json/charset.ts'
import { mediaType } from './media.ts'

export interface BodyText {
  readonly text: string
  /** Some bytes are no characters of its character set. */
  readonly damaged: boolean
}

const TEXTUAL = /^(?:text\/|(?:application|image|model)\/(?:[\w.+-]+\+)?(?:json|xml|yaml)$)/
const TEXTUAL_APPLICATIONS: ReadonlySet<string> = new Set(
  ['graphql', 'javascript', 'ecmascript', 'ndjson', 'x-ndjson', 'jsonl', 'json-seq', 'sql', 'toml', 'x-yaml'].map(
    (name) => `application/${name}`,
  ),
)

/** Whether a body may be text by what its head says. Where the head does not say, the bytes have to. */
export function mayBeText(headers: HeaderView): boolean {
  const media = mediaType(headers)
  if (media === undefined || media === 'several') return true
  return TEXTUAL.test(media.essence) || TEXTUAL_APPLICATIONS.has(media.essence) || media.essence === FORM
}

const FORM = 'application/x-www-form-urlencoded'

/** Controls that no text has. */
const NO_TEXT = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/

/** The text of decoded bytes; undefined where they are none. `bytes` may end within a character. */
export function textOfBody(headers: HeaderView, bytes: Uint8Array): BodyText | undefined {
  const media = mediaType(headers)
  const charset = typeof media === 'object' ? media.charset : undefined
  const text = isUtf8Label(charset) ? decodeUtf8(bytes) : decodeBelieving(charset ?? '', bytes)
  if (text === undefined || NO_TEXT.test(text)) return undefined
  return { text, damaged: text.includes('\ufffd') }
}

/** A character that is cut at the end is left out. */
function decodeUtf8(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes, { stream: true })
}

/** A slice keeps the whole text that it was cut from in memory; a copy does not. */
export function copyOf(text: string): string {
  return Buffer.from(text).toString()
}
