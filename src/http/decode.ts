import type { Body, HeaderView } from '../core/exchange.ts'

export interface DecodeLimits {
  /** Of the decoded body. */
  readonly bytes: number
  /** Decoded bytes per encoded byte. */
  readonly ratio: number
}

export type StreamEnd = 'whole' | 'over-limit' | 'undecodable'

/** Decodes an answer that is read in passing. Reading may lag behind the bytes, which go on untouched. */
export interface StreamDecoder {
  /** Never throws, never waits. After the limit or a fault it does nothing. */
  feed(raw: Uint8Array): void
  /** Resolves, and never rejects, when all that was fed has come out or reading stopped. Call it once, or `drop`. */
  end(): Promise<StreamEnd>
  /** The exchange is gone: frees what is held. */
  drop(): void
}

export async function decodeBody(raw: Uint8Array, _headers: HeaderView, limits: DecodeLimits): Promise<Body> {
  if (raw.length > limits.bytes) return { kind: 'over-limit', raw, limitBytes: limits.bytes }
  return raw.length === 0 ? { kind: 'none' } : { kind: 'whole', raw, bytes: raw }
}

/** Undefined for a coding that we cannot read. `onBytes` gets decoded pieces in order, at once where nothing is encoded. */
export function openDecoder(
  _headers: HeaderView,
  _limits: DecodeLimits,
  onBytes: (bytes: Uint8Array) => void,
): StreamDecoder | undefined {
  return { feed: onBytes, end: () => Promise.resolve('whole'), drop: () => undefined }
}

/** The coding whose magic bytes a body begins with. */
export function unlabelledCoding(bytes: Uint8Array): 'gzip' | 'zstd' | undefined {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return 'gzip'
  return bytes[0] === 0x28 && bytes[1] === 0xb5 && bytes[2] === 0x2f && bytes[3] === 0xfd ? 'zstd' : undefined
}
