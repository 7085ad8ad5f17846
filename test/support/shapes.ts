import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { Asked } from './clients.ts'
import { zstd } from './zstd.ts'

/** One way in which a client may put the same body on the wire. */
export interface Shape {
  readonly name: string
  /** What of a request it decides; host, path and content type are the test's. */
  readonly send: (
    body: string,
  ) => Pick<Asked, 'method' | 'body' | 'trailers'> & { readonly headers?: Record<string, string> }
}

export const SHAPES: readonly Shape[] = [
  { name: 'with a content-length', send: (body) => ({ body }) },
  { name: 'in pieces, without a content-length', send: (body) => ({ body: pieces(body) }) },
  { name: 'ending in trailers', send: (body) => ({ body: pieces(body), trailers: { 'x-checksum': 'abc' } }) },
  { name: 'of a GET', send: (body) => ({ method: 'GET', body }) },
  { name: 'of a GET in pieces', send: (body) => ({ method: 'GET', body: pieces(body) }) },
  { name: 'of a DELETE', send: (body) => ({ method: 'DELETE', body }) },
  { name: 'in gzip', send: (body) => ({ body: gzipSync(body), headers: { 'content-encoding': 'gzip' } }) },
  { name: 'in br', send: (body) => ({ body: brotliCompressSync(body), headers: { 'content-encoding': 'br' } }) },
  { name: 'in zstd', send: (body) => ({ body: zstd(Buffer.from(body)), headers: { 'content-encoding': 'zstd' } }) },
]

function pieces(body: string): readonly Uint8Array[] {
  const bytes = Buffer.from(body)
  const middle = Math.floor(bytes.length / 2)
  return [bytes.subarray(0, middle), bytes.subarray(middle)]
}
