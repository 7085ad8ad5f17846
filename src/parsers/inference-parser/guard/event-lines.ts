/** The lines of one event as they were sent. */

const LF = 0x0a
const CR = 0x0d
const COLON = 0x3a
const SPACE = 0x20

interface Line {
  readonly from: number
  /** Where its text ends. */
  readonly to: number
  /** Where the next line begins. */
  readonly next: number
}

function lineAt(raw: Uint8Array, from: number): Line {
  const lf = raw.indexOf(LF, from)
  const next = lf === -1 ? raw.length : lf + 1
  const to = lf === -1 ? raw.length : lf
  return { from, to: to > from && raw[to - 1] === CR ? to - 1 : to, next }
}

const DATA = bytesOf('data')
const EVENT = bytesOf('event')
/** What else may stand in an event and means nothing to us. */
const OTHERS = ['id', 'retry'].map(bytesOf)
const MARK = Uint8Array.of(0xef, 0xbb, 0xbf)

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function startsWith(raw: Uint8Array, from: number, to: number, name: Uint8Array): boolean {
  return to - from >= name.length && name.every((byte, index) => raw[from + index] === byte)
}

function isField(raw: Uint8Array, { from, to }: Line, name: Uint8Array): boolean {
  if (!startsWith(raw, from, to, name)) return false
  return to - from === name.length || raw[from + name.length] === COLON
}

/** The length of the byte order mark that the first event of a stream may begin with. */
export function markLength(raw: Uint8Array): number {
  return startsWith(raw, 0, raw.length, MARK) ? MARK.length : 0
}

export type EventData =
  | {
      readonly ok: true
      /** Undefined: the event has no data. Lines are joined by a line feed. */
      readonly data: Uint8Array | undefined
      /** Empty where it has none. */
      readonly name: string
    }
  | { readonly ok: false }

/** The data of an event; not ok where some readers would take more or less of it for data than the standard does. */
export function dataOf(raw: Uint8Array, begin: number): EventData {
  const pieces: Uint8Array[] = []
  let name: string | undefined
  for (let line = lineAt(raw, begin); line.from < raw.length; line = lineAt(raw, line.next)) {
    if (isField(raw, line, DATA)) {
      pieces.push(valueOf(raw, line, DATA))
      continue
    }
    if (!isHarmless(raw, line)) return { ok: false }
    if (!isField(raw, line, EVENT)) continue
    const called = latin1(valueOf(raw, line, EVENT))
    if (name !== undefined && name !== called) return { ok: false }
    name = called
  }
  if (pieces.length > 1 && pieces.some(isWhole)) return { ok: false }
  return { ok: true, data: pieces.length < 2 ? pieces[0] : joined(pieces), name: name ?? '' }
}

function valueOf(raw: Uint8Array, { from, to }: Line, field: Uint8Array): Uint8Array {
  const colon = Math.min(from + field.length + 1, to)
  return raw.subarray(raw[colon] === SPACE && colon < to ? colon + 1 : colon, to)
}

const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')

/** Some readers take each line of data alone. */
const isWhole = (piece: Uint8Array): boolean => /^\s*[[{][^]*[\]}]\s*$/.test(latin1(piece))

/** Where a line ends for readers that split by Unicode’s rules: U+0085, U+2028 and U+2029 as bytes, and old controls. */
const ENDS_LINE = /[\v\f\x1c-\x1e\x85]|\xe2\x80[\xa8\xa9]/
/** What readers that look for it anywhere take for the field. */
const HOLDS_DATA = /data\s*:/i
/** How a line begins that forgiving readers take for data: indented, in capitals, or JSON alone on its line. */
const LIKE_DATA = /^[^a-z0-9]*(?:data|[[{"])/i

/** Whether a line that is no data is none for every reader. */
function isHarmless(raw: Uint8Array, line: Line): boolean {
  const { from, to } = line
  if (from === to) return true
  const text = latin1(raw.subarray(from, to))
  if (ENDS_LINE.test(text) || HOLDS_DATA.test(text)) return false
  const isKnown = raw[from] === COLON || isField(raw, line, EVENT) || OTHERS.some((name) => isField(raw, line, name))
  return isKnown || !LIKE_DATA.test(text)
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(pieces.flatMap((piece, index) => (index === 0 ? [piece] : [Uint8Array.of(LF), piece])))
}

/** The same event with other data. With a name, it is called so. What it has besides stays as it was sent. */
export function withData(raw: Uint8Array, data: string, name: string | undefined): Uint8Array {
  const newline = newlineOf(raw)
  const pieces: Uint8Array[] = []
  let written = false
  for (let line = lineAt(raw, markLength(raw)); line.from < raw.length; line = lineAt(raw, line.next)) {
    if (isField(raw, line, DATA)) {
      if (!written) pieces.push(bytesOf(fieldLines(data, name, newline)))
      written = true
    } else if (name === undefined || !isField(raw, line, EVENT)) {
      pieces.push(raw.subarray(line.from, line.next))
    }
  }
  // The last event of a stream may lack its blank line; with one, whatever follows is another event.
  if (pieces.at(-1)?.at(-1) !== LF) pieces.push(bytesOf(newline))
  if (!endsBlank(raw)) pieces.push(bytesOf(newline))
  return Buffer.concat(pieces)
}

/** A new event, its lines ended as in another one. */
export function newEvent(data: string, name: string | undefined, like: Uint8Array): Uint8Array {
  const newline = newlineOf(like)
  return bytesOf(fieldLines(data, name, newline) + newline)
}

function fieldLines(data: string, name: string | undefined, newline: string): string {
  const lines = data.split('\n').map((line) => `data: ${line}${newline}`)
  return (name === undefined ? '' : `event: ${name}${newline}`) + lines.join('')
}

function newlineOf(raw: Uint8Array): string {
  const lf = raw.indexOf(LF)
  return lf > 0 && raw[lf - 1] === CR ? '\r\n' : '\n'
}

function endsBlank(raw: Uint8Array): boolean {
  const last = raw.length - 1
  if (raw[last] !== LF) return false
  return raw[last - 1] === LF || (raw[last - 1] === CR && raw[last - 2] === LF)
}
