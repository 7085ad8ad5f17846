import { Agent, request as requestHttp1 } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import type { ClientHttp2Session } from 'node:http2'
import { connect } from 'node:net'
import type { Closable } from './closing.ts'
import { pairs } from './upstream.ts'

export interface Asked {
  readonly method?: string
  readonly path?: string
  /** `Host`, or `:authority`. */
  readonly host: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** Several pieces are sent without a content-length. */
  readonly body?: string | Uint8Array | readonly Uint8Array[]
  readonly trailers?: Readonly<Record<string, string>>
  /** Gets each piece of the answer as it arrives. */
  readonly onPiece?: (piece: Buffer) => void
}

export interface Got {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly rawHeaders: readonly (readonly [string, string])[]
  readonly body: Buffer
  readonly text: string
  readonly trailers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Envoy's name for the exchange, which is the record's too. */
  readonly requestId: string
}

type Header = Record<string, string | string[] | undefined>

/** A client of one connection (HTTP/1.1: at most one at a time, kept alive). */
export interface Client extends Closable {
  readonly protocol: 'h1' | 'h2'
  send(asked: Asked): Promise<Got>
  /** Connections that it has opened so far. */
  readonly connections: () => number
}

export function openClient(protocol: 'h1' | 'h2', port: number): Client {
  return protocol === 'h1' ? http1Client(port) : http2Client(port)
}

function http1Client(port: number): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  let connections = 0
  return {
    protocol: 'h1',
    connections: () => connections,
    close: async () => agent.destroy(),
    send: (asked) =>
      new Promise((done, fail) => {
        const { method, body } = shape(asked)
        const request = requestHttp1({
          host: '127.0.0.1',
          port,
          agent,
          method,
          path: asked.path ?? '/',
          headers: { host: asked.host, ...sendable(asked), ...framing(asked) },
        })
        request.once('socket', (socket) => {
          if (!request.reusedSocket) connections += socket.connecting ? 1 : 0
        })
        request.on('error', fail)
        request.on('response', (response) => {
          const pieces: Buffer[] = []
          response.on('data', (piece: Buffer) => {
            pieces.push(piece)
            asked.onPiece?.(piece)
          })
          response.on('error', fail)
          response.on('end', () =>
            done(
              got(response.statusCode ?? 0, response.headers, pairs(response.rawHeaders), pieces, response.trailers),
            ),
          )
        })
        for (const piece of body) request.write(piece)
        if (asked.trailers) request.addTrailers(asked.trailers)
        request.end()
      }),
  }
}

/** node:http leaves out `transfer-encoding` for methods that seldom have a body, so it is said. */
function framing(asked: Asked): Record<string, string> {
  if (asked.body === undefined) return {}
  if (Array.isArray(asked.body) || asked.trailers) return { 'transfer-encoding': 'chunked', ...trailerNames(asked) }
  return { 'content-length': String(Buffer.byteLength(asked.body as string | Uint8Array)) }
}

function trailerNames(asked: Asked): Record<string, string> {
  return asked.trailers ? { trailer: Object.keys(asked.trailers).join(', ') } : {}
}

function http2Client(port: number): Client {
  let session: ClientHttp2Session | undefined
  let connections = 0
  const live = () => {
    if (session === undefined || session.closed || session.destroyed) {
      connections += 1
      session = connectHttp2(`http://127.0.0.1:${port}`, { settings: { initialWindowSize: 1 << 20 } })
      session.on('error', () => undefined)
    }
    return session
  }
  return {
    protocol: 'h2',
    connections: () => connections,
    close: async () => session?.destroy(),
    send: (asked) =>
      new Promise((done, fail) => {
        const { method, body } = shape(asked)
        const stream = live().request(
          { ':method': method, ':path': asked.path ?? '/', ':authority': asked.host, ...sendable(asked) },
          { endStream: body.length === 0 && !asked.trailers, waitForTrailers: asked.trailers !== undefined },
        )
        let head: Header = {}
        let raw: (readonly [string, string])[] = []
        let trailers: Header = {}
        const pieces: Buffer[] = []
        const onResponse = (headers: Header, _flags: number, sent: readonly string[]) => {
          head = headers
          raw = pairs(sent)
        }
        // The third argument, the headers in their order, is missing in the type.
        stream.on('response', onResponse as (headers: Header) => void)
        stream.on('trailers', (headers: Header) => (trailers = headers))
        stream.on('data', (piece: Buffer) => {
          pieces.push(piece)
          asked.onPiece?.(piece)
        })
        stream.on('wantTrailers', () => stream.sendTrailers(asked.trailers ?? {}))
        stream.on('error', fail)
        stream.on('end', () => done(got(Number(head[':status']), head, raw, pieces, trailers)))
        for (const piece of body) stream.write(piece)
        if (body.length > 0 || asked.trailers) stream.end()
      }),
  }
}

function shape(asked: Asked): { method: string; body: readonly (string | Uint8Array)[] } {
  const { body } = asked
  const pieces = body === undefined ? [] : Array.isArray(body) ? body : [body as string]
  return { method: asked.method ?? (body === undefined ? 'GET' : 'POST'), body: pieces }
}

function sendable(asked: Asked): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(asked.headers ?? {}).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  )
}

function got(
  status: number,
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  rawHeaders: readonly (readonly [string, string])[],
  pieces: readonly Buffer[],
  trailers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Got {
  const body = Buffer.concat(pieces)
  const requestId = headers['x-request-id']
  return {
    status,
    headers,
    rawHeaders,
    body,
    text: body.toString('utf8'),
    trailers,
    requestId: typeof requestId === 'string' ? requestId : '',
  }
}

/**
 * Writes bytes to a port and gives all that comes back until the peer closes or `enough` says so. `then` is written
 * when what came back until then makes it due.
 */
export function sendRaw(
  port: number,
  text: string | Uint8Array,
  enough: (seen: string) => boolean,
  then?: { readonly when: (seen: string) => boolean; readonly text: string },
): Promise<string> {
  return new Promise((done, fail) => {
    let seen = ''
    let next = then
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.setEncoding('latin1')
    socket.on('data', (piece: string) => {
      seen += piece
      if (next?.when(seen)) {
        socket.write(next.text)
        next = undefined
      }
      if (enough(seen)) socket.destroy()
    })
    socket.on('error', fail)
    socket.on('close', () => done(seen))
  })
}
