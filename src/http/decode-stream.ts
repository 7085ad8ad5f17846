import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import type { HeaderView } from '../core/exchange.ts'
import { allowance, codingsOf, isBareDeflate, type Coding, type DecodeLimits } from './codings.ts'
import { decodeZstd } from './zstd.ts'

export type StreamEnd = 'whole' | 'over-limit' | 'undecodable'

/** Decodes an answer that is read in passing; its bytes go on untouched. */
export interface StreamDecoder {
  /**
   * Never throws or rejects. Undefined: what is in `raw` has come out, as far as it can; else it settles when it has.
   * After the limit or a fault it does nothing.
   */
  feed(raw: Uint8Array): Promise<void> | undefined
  /** Resolves, and never rejects, when all that was fed has come out or reading stopped. */
  end(): Promise<StreamEnd>
}

type OnBytes = (bytes: Uint8Array) => void

/** Undefined for a coding that we cannot read. `onBytes` gets decoded pieces in order, at once where nothing is encoded. */
export function openDecoder(headers: HeaderView, limits: DecodeLimits, onBytes: OnBytes): StreamDecoder | undefined {
  const codings = codingsOf(headers)
  if (typeof codings === 'string' || codings.length > 1) return undefined
  const coding = codings[0]
  if (coding === undefined) return identity(limits, onBytes)
  return coding === 'zstd' ? zstd(limits, onBytes) : zlib(coding, limits, onBytes)
}

function identity(limits: DecodeLimits, onBytes: OnBytes): StreamDecoder {
  let left = limits.bytes
  let end: StreamEnd = 'whole'
  return {
    feed(raw) {
      if (end !== 'whole') return undefined
      const within = raw.subarray(0, left)
      left -= within.length
      if (within.length < raw.length) end = 'over-limit'
      if (within.length > 0) onBytes(within)
      return undefined
    },
    end: () => Promise.resolve(end),
  }
}

function openZlib(coding: Exclude<Coding, 'zstd'>, first: number) {
  // What has come in is to come out, and a stream that is cut is no fault.
  const flush = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH }
  if (coding === 'gzip') return createGunzip(flush)
  if (coding === 'deflate') return isBareDeflate(first) ? createInflateRaw(flush) : createInflate(flush)
  const operation = constants.BROTLI_OPERATION_FLUSH
  return createBrotliDecompress({ flush: operation, finishFlush: operation })
}

function zlib(coding: Exclude<Coding, 'zstd'>, limits: DecodeLimits, onBytes: OnBytes): StreamDecoder {
  let stream: ReturnType<typeof openZlib> | undefined
  let fed = 0
  let out = 0
  let ended: StreamEnd | undefined
  let settle: (end: StreamEnd) => void = () => undefined
  const settled = new Promise<StreamEnd>((resolve) => (settle = resolve))
  /** Of those who wait for what they fed: a fault in it is told to nobody else. */
  const waiting = new Set<() => void>()
  const stop = (end: StreamEnd) => {
    if (ended !== undefined) return
    ended = end
    settle(end)
    stream?.destroy()
    for (const resolve of waiting) resolve()
    waiting.clear()
  }
  const open = (first: number) => {
    const opened = openZlib(coding, first)
    opened.on('data', (piece: Buffer) => {
      out += piece.length
      if (out > allowance(fed, limits)) stop('over-limit')
      else if (ended === undefined) onBytes(piece)
    })
    opened.once('end', () => stop('whole'))
    opened.on('error', () => stop('undecodable'))
    return opened
  }
  return {
    feed(raw) {
      if (ended !== undefined || raw.length === 0) return undefined
      fed += raw.length
      // What waits for the decoder is held in memory.
      if (fed > limits.bytes) {
        stop('over-limit')
        return undefined
      }
      const opened = (stream ??= open(raw[0] ?? 0))
      return new Promise((resolve) => {
        waiting.add(resolve)
        opened.write(raw, () => {
          waiting.delete(resolve)
          resolve()
        })
      })
    },
    end() {
      if (stream === undefined) stop('whole')
      else if (ended === undefined) stream.end()
      return settled
    },
  }
}

/** Held until its end: its window has to be known to be small before a decoder may start. */
function zstd(limits: DecodeLimits, onBytes: OnBytes): StreamDecoder {
  let pieces: Uint8Array[] = []
  let held = 0
  let end: StreamEnd = 'whole'
  const stop = (how: StreamEnd) => {
    end = how
    pieces = []
  }
  return {
    feed(raw) {
      if (end !== 'whole') return undefined
      held += raw.length
      pieces.push(raw)
      if (held > limits.bytes) stop('over-limit')
      return undefined
    },
    end() {
      if (end === 'whole' && held > 0) {
        const decoded = decodeZstd(Buffer.concat(pieces), allowance(held, limits))
        if (typeof decoded === 'string') stop(decoded)
        else onBytes(decoded)
        pieces = []
      }
      return Promise.resolve(end)
    },
  }
}
