import { connect } from 'node:net'
import { performance } from 'node:perf_hooks'
import { createAnswerReader } from './answers.ts'
import { serveAsks } from './children.ts'
import { quantile } from './numbers.ts'

// The load generator: plain sockets that are kept alive, each with one request at a time.

export interface Drive {
  readonly port: number
  readonly request: Uint8Array
  readonly clients: number
  readonly ms: number
  /** Goes on beyond `ms` until there were so many. */
  readonly exchanges?: number
}

export interface Driven {
  readonly exchanges: number
  /** Answers other than 200. */
  readonly wrong: number
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
}

serveAsks(async (drive: Drive): Promise<Driven> => {
  const took: number[] = []
  let wrong = 0
  const began = performance.now()
  const note = (ms: number, status: number, now: number): boolean => {
    took.push(ms)
    if (status !== 200) wrong += 1
    return now < began + drive.ms || took.length < (drive.exchanges ?? 0)
  }
  await Promise.all(Array.from({ length: drive.clients }, () => client(drive, note)))
  const seconds = (performance.now() - began) / 1000
  took.sort((a, b) => a - b)
  return { exchanges: took.length, wrong, seconds, p50Ms: quantile(took, 0.5), p99Ms: quantile(took, 0.99) }
})

/** Whether to go on. */
type Note = (ms: number, status: number, now: number) => boolean

function client({ port, request }: Drive, note: Note): Promise<void> {
  return new Promise((done, fail) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const read = createAnswerReader()
    let sent = 0
    const send = () => {
      sent = performance.now()
      socket.write(request)
    }
    socket.on('connect', send)
    socket.on('error', fail)
    socket.on('close', () => fail(new Error('Envoy closed the connection.')))
    socket.on('data', (piece) => {
      const status = read(piece)
      if (status === undefined) return
      const now = performance.now()
      if (note(now - sent, status, now)) return send()
      socket.destroy()
      done()
    })
  })
}
