const HEAD_END = Buffer.from('\r\n\r\n')
const LAST_CHUNK = '0\r\n\r\n'

/** Tells when an HTTP/1.1 answer is whole, and its status. Only as much as a benchmark needs: one answer at a time. */
export function createAnswerReader(): (piece: Buffer) => number | undefined {
  let bytes: Buffer | undefined
  return (piece) => {
    bytes = bytes === undefined ? piece : Buffer.concat([bytes, piece])
    const headEnd = bytes.indexOf(HEAD_END)
    if (headEnd === -1) return undefined
    const head = bytes.toString('latin1', 0, headEnd)
    if (!isWhole(head, bytes, headEnd + HEAD_END.length)) return undefined
    bytes = undefined
    return Number(head.slice(9, 12))
  }
}

function isWhole(head: string, bytes: Buffer, bodyStart: number): boolean {
  const length = /^content-length: (\d+)/im.exec(head)?.[1]
  if (length !== undefined) return bytes.length >= bodyStart + Number(length)
  return bytes.toString('latin1', bytes.length - LAST_CHUNK.length) === LAST_CHUNK
}
