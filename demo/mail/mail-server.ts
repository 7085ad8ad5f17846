import type { Closable } from '../../test/support/closing.ts'
import { startUpstream } from '../../test/support/upstream.ts'
import { json } from '../stage/json.ts'
import { answerMcp } from '../stage/tool-server.ts'
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
  inbox: () => readonly Mail[],
  deliver: (mail: SentMail) => Promise<void>,
): Promise<MailServer> {
  const sent: SentMail[] = []
  let reads = 0
  const server = await startUpstream('h1', async (arrival, outgoing) => {
    if (arrival.path === '/mcp') return answerMcp(arrival, outgoing, { ...SEND_MAIL, run: send })
    reads += 1
    json(outgoing, 200, inbox())
  })
  async function send(mail: SentMail): Promise<string> {
    sent.push(mail)
    await deliver(mail)
    return `Sent to ${mail.to}.`
  }
  return { port: server.port, sent, reads: () => reads, close: () => server.close() }
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
