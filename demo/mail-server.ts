import type { ServerResponse } from 'node:http'
import type { Closable } from '../test/support/closing.ts'
import { startUpstream } from '../test/support/upstream.ts'
import type { Arrival } from '../test/support/upstream.ts'
import type { Mail } from './story.ts'

export interface SentMail {
  readonly to: string
  readonly text: string
}

/** The inbox over plain HTTP, sending as an MCP tool. */
export interface MailServer extends Closable {
  readonly port: number
  readonly sent: readonly SentMail[]
  /** How often the inbox was read. */
  readonly reads: () => number
}

export async function startMailServer(
  inbox: readonly Mail[],
  deliver: (mail: SentMail) => Promise<void>,
): Promise<MailServer> {
  const sent: SentMail[] = []
  let reads = 0
  const server = await startUpstream('h1', async (arrival, outgoing) => {
    if (arrival.path === '/mcp') return answerMcp(arrival, outgoing, send)
    reads += 1
    json(outgoing, 200, inbox)
  })
  async function send(mail: SentMail): Promise<void> {
    sent.push(mail)
    await deliver(mail)
  }
  return { port: server.port, sent, reads: () => reads, close: () => server.close() }
}

interface RpcRequest {
  readonly id?: number | string
  readonly method: string
  readonly params?: { readonly name?: string; readonly arguments?: SentMail }
}

async function answerMcp(
  arrival: Arrival,
  outgoing: ServerResponse,
  send: (mail: SentMail) => Promise<void>,
): Promise<void> {
  const asked = JSON.parse(arrival.body.toString('utf8')) as RpcRequest
  if (asked.id === undefined) {
    outgoing.writeHead(202).end()
    return
  }
  json(outgoing, 200, { jsonrpc: '2.0', id: asked.id, ...(await outcome(asked, send)) })
}

async function outcome(asked: RpcRequest, send: (mail: SentMail) => Promise<void>): Promise<object> {
  if (asked.method === 'initialize') {
    const serverInfo = { name: 'mail', version: '1' }
    return { result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo } }
  }
  if (asked.method === 'tools/list') return { result: { tools: [SEND_MAIL] } }
  const mail = asked.params?.arguments
  if (asked.method !== 'tools/call' || asked.params?.name !== SEND_MAIL.name || mail === undefined) {
    return { error: { code: -32601, message: 'There is no such tool.' } }
  }
  await send(mail)
  return { result: { content: [{ type: 'text', text: `Sent to ${mail.to}.` }] } }
}

const SEND_MAIL = {
  name: 'send_mail',
  description: 'Sends an e-mail.',
  inputSchema: {
    type: 'object',
    properties: { to: { type: 'string' }, text: { type: 'string' } },
    required: ['to', 'text'],
  },
}

export function json(outgoing: ServerResponse, status: number, value: unknown): void {
  outgoing.writeHead(status, { 'content-type': 'application/json' })
  outgoing.end(JSON.stringify(value))
}
