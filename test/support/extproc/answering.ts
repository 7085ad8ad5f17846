import type { ServerResponse } from 'node:http'
import type { AnswerSink, Ending, ExchangeHandler } from '../../../src/core/handler.ts'
import { tokenCheck } from '../../../src/extproc/caller.ts'
import { createExtProcServer } from '../../../src/extproc/server.ts'
import type { ExtProcServer } from '../../../src/extproc/server.ts'
import { openClient } from '../clients.ts'
import type { Got } from '../clients.ts'
import type { Closable } from '../closing.ts'
import { until } from '../until.ts'
import type { Upstream } from '../upstream.ts'
import { NO_EDITS, recordingHandler, SILENT_LOG } from './handlers.ts'

/** Our server with whatever handler is wanted when an exchange begins. */
export interface Scripted extends Closable {
  readonly server: ExtProcServer
  handle(handler: Partial<ExchangeHandler>): void
  /** How the exchanges ended, the newest last. */
  readonly endings: readonly Ending[]
}

export async function startScripted(socket: string): Promise<Scripted> {
  const endings: Ending[] = []
  let handler: Partial<ExchangeHandler> = {}
  const server = createExtProcServer({
    open: (caller) => recordingHandler({ end: (how) => void endings.push(how), ...handler }).open(caller),
    listeners: [{ address: `unix:${socket}` }],
    knowsToken: tokenCheck('secret'),
    defaultWorkload: 'default',
    log: SILENT_LOG,
    drainPauseMs: 0,
    drainDeadlineMs: 0,
  })
  await server.start()
  return { server, endings, handle: (next) => (handler = next), close: () => server.stop() }
}

/** An editor in the hands of a test: it passes everything on but what it was told to keep. */
export interface Editor {
  readonly handler: Partial<ExchangeHandler>
  /** All that it was fed. */
  readonly fed: () => string
  readonly sink: () => AnswerSink
  /** From this text on it keeps what comes. */
  keepFrom(text: string): void
  /** Gives what was kept, or other text in its place, and passes on from there. */
  release(instead?: string): void
}

export function editor(): Editor {
  let given: AnswerSink | undefined
  let fed = ''
  let kept: string | undefined
  let mark: string | undefined
  let ended = false
  const sink = (): AnswerSink => {
    if (given === undefined) throw new Error('no answer is edited')
    return given
  }
  const pass = (text: string): void => {
    const at = mark === undefined ? -1 : text.indexOf(mark)
    sink().write(Buffer.from(at === -1 ? text : text.slice(0, at), 'latin1'))
    if (at !== -1) kept = text.slice(at)
  }
  return {
    fed: () => fed,
    sink,
    keepFrom: (text) => (mark = text),
    release: (instead = kept ?? '') => {
      kept = undefined
      mark = undefined
      sink().write(Buffer.from(instead, 'latin1'))
      if (ended) sink().end()
    },
    handler: {
      answerHead: (_pairs, bodyless, rewritable) =>
        rewritable && !bodyless ? { kind: 'edit', edits: NO_EDITS } : { kind: 'none' },
      editAnswer: (opened) => {
        given = opened
        return {
          feed: (raw, last) => {
            const text = Buffer.from(raw).toString('latin1')
            fed += text
            ended = last
            if (kept !== undefined) kept += text
            else pass(text)
            if (last && kept === undefined) sink().end()
          },
        }
      },
    },
  }
}

/** An exchange whose request has reached the upstream, which answers as the test says. */
export interface Flow extends Closable {
  readonly out: ServerResponse
  /** What the client has by now. */
  readonly text: () => string
  /** Until the client has exactly this. */
  reaches(text: string): Promise<true>
  /** Settles with the answer, or undefined when it broke off. */
  readonly got: Promise<Got | undefined>
  /** The upstream's side is over. */
  readonly released: () => boolean
}

export interface Route {
  readonly client: 'h1' | 'h2'
  readonly upstream: Upstream
  readonly port: number
  readonly host: string
}

export async function begin({ client: protocol, upstream, port, host }: Route): Promise<Flow> {
  const client = openClient(protocol, port)
  let text = ''
  let out: ServerResponse | undefined
  let released = false
  upstream.answer((_arrival, outgoing) => {
    outgoing.once('close', () => (released = true))
    out = outgoing
  })
  const got = client
    .send({ host, body: 'question', onPiece: (piece) => (text += piece.toString('latin1')) })
    .catch(() => undefined)
  const flow = {
    text: () => text,
    reaches: (expected: string) =>
      until(`the client to have ${expected}`, () => (text === expected ? true : undefined)),
    got,
    released: () => released,
    close: () => client.close(),
  }
  return { ...flow, out: await until('the request to arrive', () => out) }
}
