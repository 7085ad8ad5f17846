import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw, type InputType, type ZlibOptions } from 'node:zlib'
import type { Body, HeaderView } from '../core/exchange.ts'
import { allowance, codingsOf, isBareDeflate, type Coding, type DecodeLimits } from './codings.ts'
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

const inflaters = {
  gzip: promisify<InputType, ZlibOptions, Buffer>(gunzip),
  zlib: promisify<InputType, ZlibOptions, Buffer>(inflate),
  bare: promisify<InputType, ZlibOptions, Buffer>(inflateRaw),
  br: promisify<InputType, { maxOutputLength: number }, Buffer>(brotliDecompress),
}

async function decodeOne(coding: Coding, bytes: Uint8Array, maxOutputLength: number): Promise<Decoded> {
  if (coding === 'zstd') return decodeZstd(bytes, maxOutputLength)
  try {
    const format = coding === 'deflate' ? (isBareDeflate(bytes[0] ?? 0) ? 'bare' : 'zlib') : coding
    const decoded = await inflaters[format](bytes, { maxOutputLength })
    return coding === 'gzip' && !isOneMember(bytes, decoded) ? 'undecodable' : decoded
  } catch (error) {
    return error instanceof RangeError ? 'over-limit' : 'undecodable'
  }
}

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
