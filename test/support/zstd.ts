/**
 * Zstandard frames by hand (RFC 8878), because Node 20 cannot write them: no checksum, no content size, a window of
 * 128 KiB, and blocks that hold bytes as they are or one byte many times.
 */
const MAGIC = [0x28, 0xb5, 0x2f, 0xfd]
const NO_OPTIONS = 0x00
const WINDOW_128_KIB = 0x38
const RAW = 0
const REPEAT = 1
const MOST_PER_BLOCK = 128 * 1024

export function zstd(bytes: Uint8Array): Buffer {
  const blocks: Buffer[] = []
  for (let from = 0; from < bytes.length; from += MOST_PER_BLOCK) {
    const piece = bytes.subarray(from, from + MOST_PER_BLOCK)
    blocks.push(header(RAW, piece.length, from + MOST_PER_BLOCK >= bytes.length), Buffer.from(piece))
  }
  return frame(blocks)
}

/** A few bytes that become `megabytes` MiB of spaces. */
export function zstdBomb(megabytes: number): Buffer {
  const count = megabytes * 8
  return frame(
    Array.from({ length: count }, (_, i) =>
      Buffer.concat([header(REPEAT, MOST_PER_BLOCK, i === count - 1), Buffer.from(' ')]),
    ),
  )
}

function frame(blocks: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from([...MAGIC, NO_OPTIONS, WINDOW_128_KIB]), ...blocks])
}

function header(type: number, size: number, last: boolean): Buffer {
  const bits = (size << 3) | (type << 1) | (last ? 1 : 0)
  return Buffer.from([bits & 0xff, (bits >> 8) & 0xff, (bits >> 16) & 0xff])
}
