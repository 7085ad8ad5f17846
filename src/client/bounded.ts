/** All bytes of a stream, or undefined as soon as there are more than the limit. The rest is then not read. */
export async function readBounded(stream: AsyncIterable<unknown>, limitBytes: number): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of stream) {
    if (!(piece instanceof Uint8Array)) throw new TypeError('the stream does not carry bytes')
    size += piece.length
    // Leaving the loop destroys the stream.
    if (size > limitBytes) return undefined
    pieces.push(piece)
  }
  return Buffer.concat(pieces, size)
}
