import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib'
import type { Body, HeaderView } from '../core/exchange.ts'
import { allowance, codingsOf, type Coding, type DecodeLimits } from './codings.ts'
import { decodeZstd, type Decoded } from './zstd.ts'

export { unlabelledCoding, type DecodeLimits } from './codings.ts'
export { openDecoder, type StreamDecoder, type StreamEnd } from './decode-stream.ts'

/** Undoes the content codings of a whole body, within limits. */
export async function decodeBody(raw: Uint8Array, headers: HeaderView, limits: DecodeLimits): Promise<Body> {
  if (raw.length === 0) return { kind: 'none' }
  if (raw.length > limits.bytes) return { kind: 'over-limit', raw, limitBytes: limits.bytes }
  const codings = codingsOf(headers)
  if (typeof codings === 'string') return { kind: 'undecodable', raw, why: codings }
  const limitBytes = allowance(raw.length, limits)
  let bytes = raw
  for (const coding of codings.toReversed()) {
    const decoded = await decodeOne(coding, bytes, limitBytes)
    if (decoded === 'over-limit') return { kind: 'over-limit', raw, limitBytes }
    if (decoded === 'undecodable') return { kind: 'undecodable', raw, why: `not valid ${coding}` }
    bytes = decoded
  }
  return { kind: 'whole', raw, bytes }
}

type Format = 'gzip' | 'zlib' | 'bare' | 'br'

async function decodeOne(coding: Coding, bytes: Uint8Array, maxOutputLength: number): Promise<Decoded> {
  if (coding === 'zstd') return decodeZstd(bytes, maxOutputLength)
  if (coding === 'deflate') return decodeDeflate(bytes, maxOutputLength)
  const decoded = await inflateWhole(coding, bytes, maxOutputLength)
  return coding === 'gzip' && typeof decoded !== 'string' && !isOneMember(bytes, decoded) ? 'undecodable' : decoded
}

/** `deflate` means the zlib format; some send it bare. Readers try the one or both, so only one may fit. */
async function decodeDeflate(bytes: Uint8Array, maxOutputLength: number): Promise<Decoded> {
  const zlib = await inflateWhole('zlib', bytes, maxOutputLength)
  const bare = await inflateWhole('bare', bytes, maxOutputLength)
  if (zlib === 'undecodable') return bare
  return bare === 'undecodable' ? zlib : 'undecodable'
}

/** Undoes one coding of all the bytes: what stands behind the end that we see could go on for another reader. */
async function inflateWhole(format: Format, bytes: Uint8Array, maxOutputLength: number): Promise<Decoded> {
  try {
    const { buffer, engine } = await inflaters[format](bytes, { maxOutputLength, info: true })
    return engine.bytesWritten === bytes.length ? buffer : 'undecodable'
  } catch (error) {
    return error instanceof RangeError ? 'over-limit' : 'undecodable'
  }
}

/** With `info`, the result is not the bytes alone. `bytesWritten`: how many of the encoded bytes were used. */
interface Inflated {
  readonly buffer: Buffer
  readonly engine: { readonly bytesWritten: number }
}
type Inflater = (bytes: Uint8Array, options: { maxOutputLength: number; info: true }) => Promise<Inflated>

const inflaters = {
  gzip: promisify(gunzip),
  zlib: promisify(inflate),
  bare: promisify(inflateRaw),
  br: promisify(brotliDecompress),
} as unknown as Readonly<Record<Format, Inflater>>

/**
 * Some readers stop after the first member of a gzip file, others read on. The last four bytes of one member are the
 * length of what it holds.
 */
function isOneMember(encoded: Uint8Array, decoded: Uint8Array): boolean {
  const end = encoded.length
  return (
    end >= 4 &&
    new DataView(encoded.buffer, encoded.byteOffset, end).getUint32(end - 4, true) === decoded.length % 2 ** 32
  )
}
