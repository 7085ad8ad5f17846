import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createHttp2Server } from 'node:http2'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { AddressInfo, Server, Socket } from 'node:net'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Closable } from './closing.ts'

/** A request as it arrived: enough to tell whether a byte of it changed. */
export interface Arrival {
  readonly method: string
  readonly path: string
  /** In order, as they were sent; HTTP/2 pseudo headers included. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
  readonly sha256: string
  readonly trailers: readonly (readonly [name: string, value: string])[]
}

export type Incoming = IncomingMessage | Http2ServerRequest
/** The part of the two kinds of answer that an answerer needs. */
export type Outgoing = ServerResponse | (Http2ServerResponse & ServerResponse)
export type Answerer = (arrival: Arrival, outgoing: ServerResponse) => void | Promise<void>

export interface Upstream extends Closable {
  readonly port: number
  /** Every request that arrived whole. */
  readonly arrivals: readonly Arrival[]
  /** Connections that were ever accepted. */
  readonly connections: () => number
  /** Bytes that were ever received, framing included. */
  readonly bytes: () => number
  /** What it answers from now on. */
  answer(answerer: Answerer): void
}

/** HTTP/1.1, HTTP/2 without TLS, or HTTP/1.1 over TLS as `localhost`. */
export type UpstreamProtocol = 'h1' | 'h2' | 'tls'

export async function startUpstream(protocol: UpstreamProtocol = 'h1', answerer: Answerer = sayOk): Promise<Upstream> {
  const arrivals: Arrival[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  let bytesOfClosed = 0
  let current = answerer

  const onRequest = (incoming: Incoming, outgoing: Outgoing) => {
    void collect(incoming).then(async (arrival) => {
      if (arrival === undefined) return
      arrivals.push(arrival)
      await current(arrival, outgoing)
    })
  }
  const server = listenerOf(protocol, onRequest)
  server.on('connection', (socket) => {
    connections += 1
    sockets.add(socket)
    socket.once('close', () => {
      sockets.delete(socket)
      bytesOfClosed += socket.bytesRead
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))

  return {
    port: (server.address() as AddressInfo).port,
    arrivals,
    connections: () => connections,
    bytes: () => [...sockets].reduce((sum, socket) => sum + socket.bytesRead, bytesOfClosed),
    answer: (next) => {
      current = next
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }
}

/** A certificate that vouches for itself, made for tests and worth nothing elsewhere. */
export const TLS_AUTHORITY = fileURLToPath(new URL('tls/localhost.pem', import.meta.url))

function listenerOf(protocol: UpstreamProtocol, onRequest: (incoming: Incoming, outgoing: Outgoing) => void): Server {
  switch (protocol) {
    case 'h1':
      return createServer({ keepAliveTimeout: 60_000 }, onRequest)
    case 'h2':
      return createHttp2Server(onRequest as never)
    case 'tls': {
      const key = readFileSync(new URL('tls/localhost.key', import.meta.url))
      return createTlsServer({ key, cert: readFileSync(TLS_AUTHORITY) }, onRequest)
    }
  }
}

export const sayOk: Answerer = (_arrival, outgoing) => {
  outgoing.writeHead(200, { 'content-type': 'text/plain' })
  outgoing.end('hello from upstream')
}

/** Undefined when the peer left before the end. */
function collect(incoming: Incoming): Promise<Arrival | undefined> {
  return new Promise((done) => {
    const pieces: Buffer[] = []
    incoming.on('data', (piece: Buffer) => pieces.push(piece))
    incoming.on('error', () => done(undefined))
    incoming.on('aborted', () => done(undefined))
    incoming.on('end', () => {
      const body = Buffer.concat(pieces)
      done({
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        headers: pairs(incoming.rawHeaders),
        body,
        sha256: sha256(body),
        trailers: pairs(incoming.rawTrailers),
      })
    })
  })
}

export function pairs(raw: readonly string[]): (readonly [string, string])[] {
  return Array.from({ length: raw.length / 2 }, (_, i) => [raw[2 * i] ?? '', raw[2 * i + 1] ?? ''] as const)
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
