import { Server, ServerCredentials, status } from '@grpc/grpc-js'
import type { ServerDuplexStream } from '@grpc/grpc-js'
import { PROCESS } from '../../../src/extproc/proto.ts'
import type { Closable } from '../closing.ts'
import type { Wire } from './as-envoy.ts'

/** What a stand-in can do on a stream, right or wrong. */
export interface Hand {
  /** Any reply at all. */
  reply(message: Wire): void
  /** The plain answer to this message: go on. */
  goOn(): void
  /** An answer in the upstream's stead: what a gate does that says no. */
  refuse(): void
  /** The clean end that Envoy takes for consent. */
  endCleanly(): void
  /** How many messages of this kind came on this stream, this one included. */
  readonly nth: number
}

/** What to do with a message of each kind; what is not said is answered plainly. */
export type Script = Readonly<Partial<Record<Kind, (hand: Hand, message: Wire) => void | Promise<void>>>>
export type Kind =
  'requestHeaders' | 'requestBody' | 'requestTrailers' | 'responseHeaders' | 'responseBody' | 'responseTrailers'

export interface StandIn extends Closable {
  /** For streams that begin from now on. */
  play(script: Script): void
  /** The messages of the newest stream, and how many bytes of request body were in them. */
  readonly shown: () => { readonly kinds: readonly Kind[]; readonly requestBytes: number }
}

type Call = ServerDuplexStream<Wire, Wire>

export const REFUSED: Wire = {
  immediateResponse: { status: { code: 403 }, body: Buffer.from('refused'), details: 'stand-in' },
}

/** An ext_proc server without any of our own code around the protocol, that does exactly what a script says. */
export async function startStandIn(address: string): Promise<StandIn> {
  let script: Script = {}
  let kinds: Kind[] = []
  let requestBytes = 0
  const serve = (call: Call): void => {
    const current = script
    const seen: Kind[] = []
    kinds = seen
    requestBytes = 0
    call.on('error', () => undefined)
    call.on('data', (message: Wire) => {
      const kind = message['request'] as Kind
      seen.push(kind)
      if (kind === 'requestBody') requestBytes += (message[kind] as { body?: Buffer }).body?.length ?? 0
      const hand = handOn(call, kind, seen.filter((one) => one === kind).length)
      const act = current[kind]
      if (act === undefined) hand.goOn()
      else void act(hand, message)
    })
  }
  const server = await listen(address, serve)
  return {
    play: (next) => (script = next),
    shown: () => ({ kinds, requestBytes }),
    close: async () => server.forceShutdown(),
  }
}

/** The floor of a benchmark: the cheapest grpc-js server that is right. */
export async function startFloor(address: string): Promise<Closable> {
  const server = await listen(address, (call) => {
    call.on('error', () => undefined)
    call.on('data', (message: Wire) => void call.write({ [message['request'] as Kind]: {} }))
    call.on('end', () => call.end())
  })
  return { close: async () => server.forceShutdown() }
}

function handOn(call: Call, kind: Kind, nth: number): Hand {
  const reply = (message: Wire): void => void call.write(message)
  return {
    nth,
    reply,
    goOn: () => reply({ [kind]: {} }),
    refuse: () => reply(REFUSED),
    endCleanly: () => call.end(),
  }
}

async function listen(address: string, serve: (call: Call) => void): Promise<Server> {
  const server = new Server({ 'grpc.max_receive_message_length': -1 })
  server.addService(
    { Process: PROCESS },
    {
      Process: (call: Call) => {
        try {
          serve(call)
        } catch (cause) {
          call.emit('error', { code: status.INTERNAL, details: String(cause) })
        }
      },
    },
  )
  await new Promise<void>((done, fail) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error) => (error ? fail(error) : done()))
  })
  return server
}
