import type { HeaderView } from '../core/exchange.ts'

export type Coding = 'gzip' | 'deflate' | 'br' | 'zstd'

const KNOWN: Readonly<Record<string, Coding>> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  br: 'br',
  zstd: 'zstd',
}

const STACKED = 2

/** The content codings in the order in which they were applied, or why they cannot be undone. */
export function codingsOf(headers: HeaderView): readonly Coding[] | string {
  const named = headers
    .all('content-encoding')
    .flatMap((value) => value.split(','))
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity')
  if (named.length > STACKED) return 'too many content codings'
  const known = named.map((name) => (Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined))
  return known.every((coding) => coding !== undefined) ? known : 'a content coding that is not supported'
}

/** The coding whose magic bytes a body begins with. */
export function unlabelledCoding(bytes: Uint8Array): 'gzip' | 'zstd' | undefined {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return 'gzip'
  return bytes[0] === 0x28 && bytes[1] === 0xb5 && bytes[2] === 0x2f && bytes[3] === 0xfd ? 'zstd' : undefined
}

/** `deflate` means the zlib format; some send it bare. The format's first byte tells. */
export function isBareDeflate(first: number): boolean {
  return (first & 0x0f) !== 8
}

/** Small bodies may be as repetitive as they like. */
const FREE_BYTES = 64 * 1024

export interface DecodeLimits {
  /** Of the decoded body. */
  readonly bytes: number
  /** Decoded bytes per encoded byte. */
  readonly ratio: number
}

/** How many bytes may come out of so many encoded ones. */
export function allowance(encodedBytes: number, limits: DecodeLimits): number {
  return Math.min(limits.bytes, Math.max(encodedBytes * limits.ratio, FREE_BYTES))
}
