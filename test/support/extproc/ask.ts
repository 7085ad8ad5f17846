import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Asked } from '../clients.ts'
import type { Upstream } from '../upstream.ts'
import type { Outcome } from './provocations.ts'

export interface Question extends Partial<Asked> {
  /** The body leaves this much later than the head. */
  readonly bodyAfterMs?: number
}

/** One request on its own connection; a connection that breaks is an outcome, not an error. */
export async function ask(port: number, question: Question = {}): Promise<{ status: number; text: string }> {
  const pieces = question.body === undefined ? [Buffer.from('hello-body')] : [question.body].flat()
  const sent = request({
    host: '127.0.0.1',
    port,
    agent: false,
    method: question.method ?? 'POST',
    path: question.path ?? '/',
    headers: { host: 'upstream.test', ...(question.headers as Record<string, string>) },
  })
  const answer = new Promise<{ status: number; text: string }>((done) => {
    const broken = (): void => done({ status: 0, text: '' })
    sent.on('error', broken)
    sent.on('upgrade', (response, socket) => {
      socket.destroy()
      done({ status: response.statusCode ?? 0, text: '' })
    })
    sent.on('response', (response) => {
      let text = ''
      response.setEncoding('latin1')
      response.on('data', (piece: string) => (text += piece))
      response.on('error', () => done({ status: response.statusCode ?? 0, text }))
      response.on('close', () => done({ status: response.statusCode ?? 0, text }))
    })
  })
  if (question.bodyAfterMs !== undefined) {
    sent.flushHeaders()
    await sleep(question.bodyAfterMs)
  }
  for (const piece of pieces) sent.write(piece)
  if (question.trailers !== undefined) sent.addTrailers(question.trailers)
  sent.end()
  return answer
}

/** The same, with what came of it at the upstream. */
export async function outcomeOf(
  upstream: Upstream,
  port: number,
  question: Question,
  shownBytes: () => number,
): Promise<Outcome> {
  const before = { arrivals: upstream.arrivals.length, bytes: upstream.bytes(), connections: upstream.connections() }
  const { status, text } = await ask(port, question)
  // What is on its way to the upstream gets there.
  await sleep(100)
  return {
    status,
    text,
    arrival: upstream.arrivals[before.arrivals],
    touched: upstream.bytes() > before.bytes || upstream.connections() > before.connections,
    shownBytes: shownBytes(),
  }
}
