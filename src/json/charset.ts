/** Decodes UTF-32, which the platform's decoder does not know. */
function decodeUtf32(bytes: Uint8Array, littleEndian: boolean): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const pieces: string[] = []
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    const point = view.getUint32(at, littleEndian)
    pieces.push(point <= 0x10ffff ? String.fromCodePoint(point) : '\ufffd')
  }
  return pieces.join('')
}

/** Decodes UTF-7, which some servers still read when the content type names it. */
function decodeUtf7(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  return text.replace(/\+([A-Za-z0-9+/]*)-?/g, (_, base64: string) => {
    if (base64 === '') return '+'
    const units = Buffer.from(base64, 'base64')
    return new TextDecoder('utf-16be').decode(units.subarray(0, units.length - (units.length % 2)))
  })
}

/** Labels of IBM's code pages that the platform's decoder does not know. Those of ASCII's kind are seen without decoding. */
const EBCDIC_LABEL = /^(?:x-)?(?:ibm|cp|ebcdic)/

/** What nearly all EBCDIC code pages agree on, and where they have brackets: enough to see keys. */
const EBCDIC_RUNS: readonly (readonly [first: number, characters: string])[] = [
  [0x81, 'abcdefghi'],
  [0x91, 'jklmnopqr'],
  [0xa2, 'stuvwxyz'],
  [0xc1, 'ABCDEFGHI'],
  [0xd1, 'JKLMNOPQR'],
  [0xe2, 'STUVWXYZ'],
  [0xf0, '0123456789'],
  [0x05, '\t'],
  [0x0d, '\r'],
  [0x15, '\n'],
  [0x25, '\n'],
  [0x40, ' '],
  [0x4a, '['],
  [0x4b, '.'],
  [0x60, '-/'],
  [0x6b, ','],
  [0x6d, '_'],
  [0x7a, ':'],
  [0x7f, '"'],
  [0xad, '['],
  [0xba, '[]'],
  [0xbd, ']'],
  [0xc0, '{'],
  [0xd0, '}'],
  [0xe0, '\\'],
]

const EBCDIC: ReadonlyMap<number, string> = new Map(
  EBCDIC_RUNS.flatMap(([first, characters]) =>
    [...characters].map((character, at) => [first + at, character] as const),
  ),
)

function decodeEbcdic(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => EBCDIC.get(byte) ?? '\ufffd').join('')
}

/** ISO 2022 shifts between sets by controls, which a reader takes out of the text. */
function withoutShifts(text: string): string {
  return text.replace(/\u001b[ -/]*[0-~]|[\u000e\u000f]/g, '')
}

const decodeAs = (label: string, bytes: Uint8Array) => new TextDecoder(label, { ignoreBOM: true }).decode(bytes)

/** How JSON readers that accept more than UTF-8 tell the encoding: by the mark, else by where the zero bytes are. */
function sniffedLabel(b: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | 'utf-32le' | 'utf-32be' {
  const [b0, b1, b2, b3] = b
  if (b0 === 0xff && b1 === 0xfe) return b2 === 0 && b3 === 0 ? 'utf-32le' : 'utf-16le'
  if (b0 === 0xfe && b1 === 0xff) return 'utf-16be'
  if (b0 === 0 && b1 === 0 && b2 === 0xfe && b3 === 0xff) return 'utf-32be'
  if (b0 === 0) return b1 === 0 ? 'utf-32be' : 'utf-16be'
  if (b1 === 0) return b2 === 0 && b3 === 0 ? 'utf-32le' : 'utf-16le'
  return 'utf-8'
}

function decodeLabelled(label: string, bytes: Uint8Array): string | undefined {
  if (label === 'utf-32' || label === 'utf-32le' || label === 'utf-32be')
    return decodeUtf32(bytes, label !== 'utf-32be')
  if (label === 'utf-7' || label === 'utf7') return decodeUtf7(bytes)
  try {
    return decodeAs(label, bytes)
  } catch {
    if (EBCDIC_LABEL.test(label)) return decodeEbcdic(bytes)
    return label.startsWith('iso-2022') ? withoutShifts(decodeAs('utf-8', bytes)) : undefined
  }
}

/** The text as a forgiving reader would see it: never fails, replaces what it cannot decode. */
export function decodeLoosely(bytes: Uint8Array): string {
  return decodeLabelled(sniffedLabel(bytes), bytes) ?? ''
}

/** The text as a reader would see it who believes the label; undefined for an unknown one. */
export function decodeBelieving(charset: string, bytes: Uint8Array): string | undefined {
  return decodeLabelled(charset, bytes)
}

/** Labels under which strict UTF-8 and the peer's reading cannot differ. */
export function isUtf8Label(charset: string | undefined): boolean {
  return charset === undefined || charset === 'utf-8' || charset === 'utf8' || charset === 'us-ascii'
}
