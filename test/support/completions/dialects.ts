import type { Answerer } from '../upstream.ts'
import { anthropic } from './anthropic.ts'
import { chat } from './chat.ts'

export interface Call {
  readonly id: string
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

/** One turn of a model. */
export interface Turn {
  readonly text?: string
  readonly calls?: readonly Call[]
}

/** How a server of this dialect writes a turn. */
export interface DialectServer {
  readonly name: string
  readonly path: string
  whole(turn: Turn): string
  /** The events of a stream, each with its blank line. Text comes first. */
  events(turn: Turn): readonly string[]
}

export const DIALECT_SERVERS: readonly DialectServer[] = [chat, anthropic]

/** Answers in the form that was asked for. */
export function answerWith(dialect: DialectServer, turnFor: (asked: Asked) => Turn): Answerer {
  return ({ body }, outgoing) => {
    const asked = JSON.parse(body.toString('utf8')) as Asked
    const turn = turnFor(asked)
    if (asked.stream !== true) {
      const text = dialect.whole(turn)
      outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
      outgoing.end(text)
      return
    }
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
    outgoing.end(dialect.events(turn).join(''))
  }
}

export interface Asked {
  readonly stream?: boolean
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
}
