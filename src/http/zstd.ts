import { Decompress } from 'fzstd'

export type Decoded = Uint8Array | 'over-limit' | 'undecodable'

/** What RFC 9659 allows as a window of the `zstd` content coding; a decoder reserves that much before the first byte. */
const WINDOW_BYTES = 8 * 1024 * 1024
const MAGIC = [0x28, 0xb5, 0x2f, 0xfd]
const CHECKSUM_BYTES = 4

interface Frame {
  readonly contentBytes: number | undefined
  /** Where the frame ends in the input. */
  readonly end: number
}

/** Decodes exactly one frame: readers differ on whether a second one counts. */
export function decodeZstd(raw: Uint8Array, maxBytes: number): Decoded {
  const frame = readFrame(raw)
  if (frame?.end !== raw.length) return 'undecodable'
  if (frame.contentBytes !== undefined && frame.contentBytes > maxBytes) return 'over-limit'
  const decoded = inflate(raw, maxBytes)
  const sizeHolds =
    typeof decoded === 'string' || frame.contentBytes === undefined || frame.contentBytes === decoded.length
  return sizeHolds ? decoded : 'undecodable'
}

function inflate(raw: Uint8Array, maxBytes: number): Decoded {
  const pieces: Uint8Array[] = []
  let length = 0
  const tooLong = new Error('over limit')
  try {
    const decompressor = new Decompress((piece) => {
      length += piece.length
      if (length > maxBytes) throw tooLong
      // The decoder may use the memory of a piece again.
      pieces.push(piece.slice())
    })
    decompressor.push(raw, true)
  } catch (error) {
    return error === tooLong ? 'over-limit' : 'undecodable'
  }
  return Buffer.concat(pieces)
}

/** Walks the frame without decoding it; undefined for what is no frame, needs a dictionary or has too large a window. */
function readFrame(raw: Uint8Array): Frame | undefined {
  if (MAGIC.some((byte, at) => raw[at] !== byte)) return undefined
  const descriptor = raw[4] ?? 0xff
  const singleSegment = (descriptor & 0x20) !== 0
  const reservedOrDictionary = (descriptor & 0x0b) !== 0
  if (reservedOrDictionary) return undefined
  const sizeAt = singleSegment ? 5 : 6
  const sizeBytes = [singleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0
  const contentBytes = sizeBytes === 0 ? undefined : littleEndian(raw, sizeAt, sizeBytes) + (sizeBytes === 2 ? 256 : 0)
  const window = singleSegment ? (contentBytes ?? Infinity) : windowBytes(raw[5] ?? 0xff)
  const blocksEnd = window > WINDOW_BYTES ? undefined : endOfBlocks(raw, sizeAt + sizeBytes)
  if (blocksEnd === undefined) return undefined
  return { contentBytes, end: blocksEnd + ((descriptor & 0x04) === 0 ? 0 : CHECKSUM_BYTES) }
}

function windowBytes(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3))
  return base + (base / 8) * (descriptor & 7)
}

function littleEndian(raw: Uint8Array, at: number, bytes: number): number {
  let value = 0
  for (let index = bytes - 1; index >= 0; index--) value = value * 256 + (raw[at + index] ?? 0)
  return value
}

const RLE = 1
const RESERVED = 3

function endOfBlocks(raw: Uint8Array, from: number): number | undefined {
  for (let at = from; at + 3 <= raw.length;) {
    const header = littleEndian(raw, at, 3)
    const type = (header >> 1) & 3
    if (type === RESERVED) return undefined
    at += 3 + (type === RLE ? 1 : header >> 3)
    if ((header & 1) === 1) return at
  }
  return undefined
}
