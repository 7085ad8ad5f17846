import { constants, createGunzip, createGzip } from 'node:zlib'
import type { Answerer } from './upstream.ts'

export type Coding = 'plain' | 'gzip'

/** An event stream that stays open after its first event. */
export interface Flowing {
  readonly answer: Answerer
  /** The other events, and the end. */
  finish(): void
  /** What was sent, as it was on the wire. */
  readonly bytes: () => Buffer
}

export function flowing(coding: Coding, [first = '', ...others]: readonly string[]): Flowing {
  const sent: Buffer[] = []
  let finish = (): void => undefined
  const asked = new Promise<void>((done) => (finish = done))
  return {
    answer: async (_arrival, outgoing) => {
      outgoing.writeHead(200, {
        'content-type': 'text/event-stream',
        ...(coding === 'gzip' ? { 'content-encoding': 'gzip' } : {}),
      })
      const send = (bytes: Buffer) => {
        sent.push(bytes)
        outgoing.write(bytes)
      }
      const writer = coding === 'gzip' ? gzipWriter(send) : plainWriter(send)
      await writer.write(first)
      await asked
      for (const event of others) await writer.write(event)
      await writer.end()
      outgoing.end()
    },
    finish,
    bytes: () => Buffer.concat(sent),
  }
}

interface Writer {
  write(text: string): Promise<void>
  end(): Promise<void>
}

function plainWriter(send: (bytes: Buffer) => void): Writer {
  return { write: async (text) => send(Buffer.from(text)), end: async () => undefined }
}

/** Each write can be read at once, as servers do it that stream compressed events. */
function gzipWriter(send: (bytes: Buffer) => void): Writer {
  const gzip = createGzip()
  gzip.on('data', send)
  return {
    write: (text) => {
      gzip.write(text)
      return new Promise((done) => gzip.flush(constants.Z_SYNC_FLUSH, done))
    },
    end: () =>
      new Promise((done) => {
        gzip.once('end', done)
        gzip.end()
      }),
  }
}

/** For a client: calls back once, when it can read the first event. */
export function onFirstEvent(coding: Coding, seen: () => void): (piece: Buffer) => void {
  let text = ''
  const read = (bytes: Buffer) => {
    text += bytes.toString('latin1')
    if (text.includes('\n\n')) seen()
  }
  if (coding === 'plain') return read
  const gunzip = createGunzip().on('data', read)
  return (piece) => void gunzip.write(piece)
}
