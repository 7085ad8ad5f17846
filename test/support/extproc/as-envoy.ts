import { Client, credentials, Metadata, status } from '@grpc/grpc-js'
import type { ClientDuplexStream, StatusObject } from '@grpc/grpc-js'
import { PROCESS } from '../../../src/extproc/proto.ts'

/** A ProcessingRequest or ProcessingResponse as proto-loader reads and writes it. */
export type Wire = Readonly<Record<string, unknown>>

/** One stream, seen from Envoy's side. */
export interface Stream {
  send(message: Wire): void
  /** The next reply; rejects with the status when the stream ends first. */
  reply(): Promise<Wire>
  ask(message: Wire): Promise<Wire>
  /** Replies that nobody took yet. */
  readonly untaken: readonly Wire[]
  /** How the server ended it. */
  readonly status: Promise<{ readonly code: string; readonly details: string }>
  /** Replies are left where they are, until it reads on. */
  stopReading(): void
  readOn(): void
  halfClose(): void
  reset(): void
}

export interface Connection {
  open(said?: Readonly<Record<string, string>>): Stream
  close(): void
}

/** A gRPC client that speaks to a processor as Envoy does. */
export function connectAsEnvoy(address: string, secured = credentials.createInsecure()): Connection {
  const client = new Client(address, secured, {
    'grpc.max_receive_message_length': -1,
    // Each has a connection of its own.
    'grpc.use_local_subchannel_pool': 1,
  })
  return {
    open: (said = {}) => {
      const metadata = new Metadata()
      for (const [name, value] of Object.entries(said)) metadata.set(name, value)
      return stream(
        client.makeBidiStreamRequest(PROCESS.path, PROCESS.requestSerialize, PROCESS.responseDeserialize, metadata),
      )
    },
    close: () => client.close(),
  }
}

function stream(call: ClientDuplexStream<object, object>): Stream {
  const untaken: Wire[] = []
  const waiting: { readonly take: (reply: Wire) => void; readonly fail: (error: Error) => void }[] = []
  let over: Error | undefined
  call.on('data', (reply: Wire) => {
    const next = waiting.shift()
    if (next === undefined) untaken.push(reply)
    else next.take(reply)
  })
  call.on('error', () => undefined)
  const ended = new Promise<StatusObject>((done) => call.once('status', done)).then(({ code, details }) => {
    over = new Error(`stream ended: ${status[code]} ${details}`)
    for (const { fail } of waiting.splice(0)) fail(over)
    return { code: status[code], details }
  })
  const reply = async (): Promise<Wire> => {
    const taken = untaken.shift()
    if (taken !== undefined) return taken
    if (over !== undefined) throw over
    return new Promise((take, fail) => waiting.push({ take, fail }))
  }
  return {
    untaken,
    status: ended,
    reply,
    send: (message) => void call.write(message),
    ask: async (message) => {
      call.write(message)
      return reply()
    },
    stopReading: () => void call.pause(),
    readOn: () => void call.resume(),
    halfClose: () => call.end(),
    reset: () => call.cancel(),
  }
}

// ---- what Envoy says ----

export const SHOWN = { protocolConfig: { requestBodyMode: 2, responseBodyMode: 2 } }

export function requestHead(options: { last?: boolean; headers?: Readonly<Record<string, string>> } = {}): Wire {
  const { last = false, headers = {} } = options
  const all = { ':method': 'POST', ':scheme': 'http', ':authority': 'q.test', ':path': '/', ...headers }
  return { requestHeaders: head(all, last), ...SHOWN }
}

export function answerHead(options: { last?: boolean; status?: string } = {}): Wire {
  return { responseHeaders: head({ ':status': options.status ?? '200' }, options.last ?? false) }
}

export function requestBody(body: string, last = true): Wire {
  return { requestBody: { body: Buffer.from(body), endOfStream: last } }
}

export function answerBody(body: string, last = true): Wire {
  return { responseBody: { body: Buffer.from(body), endOfStream: last } }
}

function head(headers: Readonly<Record<string, string>>, endOfStream: boolean): Wire {
  const pairs = Object.entries(headers).map(([key, value]) => ({ key, rawValue: Buffer.from(value, 'latin1') }))
  return { headers: { headers: pairs }, endOfStream }
}
