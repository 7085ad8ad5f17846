import type { Closable } from '../../test/support/closing.ts'
import { startUpstream } from '../../test/support/upstream.ts'
import { json } from './json.ts'
import { Web } from './web.ts'

/** A user's message, and the conversation that it is part of. */
export interface Asked {
  readonly text: string
  readonly contextId: string
}

export interface Said {
  readonly text: string
  /** The agent cannot go on without its user's word. */
  readonly asks: boolean
}

export interface AgentServer extends Closable {
  readonly port: number
  /** Where its HTTP proxy listens; known once Envoy runs. */
  useProxy(port: number): void
}

interface A2aRequest {
  readonly id: string
  readonly params: { readonly message: { readonly contextId?: string; readonly parts: readonly { text: string }[] } }
}

/** Takes users' messages by A2A; `work` does what they ask, and goes out into the world through the proxy. */
export async function startAgentServer(work: (asked: Asked, web: Web) => Promise<Said>): Promise<AgentServer> {
  let web: Web | undefined
  let answers = 0
  const server = await startUpstream('h1', async (arrival, outgoing) => {
    if (web === undefined) throw new Error('The agent has no proxy.')
    const { id, params } = JSON.parse(arrival.body.toString('utf8')) as A2aRequest
    answers += 1
    const contextId = params.message.contextId ?? `context-${answers}`
    const text = params.message.parts.map((part) => part.text).join('\n')
    const said = await work({ text, contextId }, web)
    json(outgoing, 200, { jsonrpc: '2.0', id, result: resultOf(said, contextId, answers) })
  })
  return {
    port: server.port,
    useProxy: (port) => (web = new Web(port)),
    close: async () => {
      await web?.close()
      await server.close()
    },
  }
}

/** A question leaves a task open that waits for input; anything else is a plain message. */
function resultOf({ text, asks }: Said, contextId: string, number: number): object {
  const parts = [{ kind: 'text', text }]
  const message = { kind: 'message', role: 'agent', messageId: `m-${number}`, contextId, parts }
  if (!asks) return message
  return { kind: 'task', id: `t-${number}`, contextId, status: { state: 'input-required', message } }
}
