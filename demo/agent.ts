import { openClient } from '../test/support/clients.ts'
import type { Client, Got } from '../test/support/clients.ts'
import type { Closable } from '../test/support/closing.ts'
import { startUpstream } from '../test/support/upstream.ts'
import { json } from './mail-server.ts'
import type { Message, ToolCall } from './model.ts'

/** One call of a tool, as the agent saw it end. */
export interface Called {
  readonly tool: string
  readonly status: number
  /** Code of a refusal, where it was one. */
  readonly error: string | undefined
}

/** Takes users' messages by A2A, lets its model choose tools, and trusts whatever it reads. */
export interface Agent extends Closable {
  readonly port: number
  readonly calls: readonly Called[]
  /** Where its HTTP proxy listens; known once Envoy runs. */
  useProxy(port: number): void
}

export interface AgentHosts {
  readonly mailHost: string
  readonly modelHost: string
}

export async function startAgent(hosts: AgentHosts): Promise<Agent> {
  const calls: Called[] = []
  let proxy: Client | undefined
  const server = await startUpstream('h1', async (arrival, outgoing) => {
    const asked = JSON.parse(arrival.body.toString('utf8')) as A2aRequest
    const text = asked.params.message.parts.map((part) => part.text).join('\n')
    if (proxy === undefined) throw new Error('The agent has no proxy.')
    const answer = await work(text, new Tools(hosts, proxy, calls))
    const message = {
      role: 'agent',
      kind: 'message',
      messageId: `m-${calls.length}`,
      parts: [{ kind: 'text', text: answer }],
    }
    json(outgoing, 200, {
      jsonrpc: '2.0',
      id: asked.id,
      result: { ...message, contextId: asked.params.message.contextId },
    })
  })
  return {
    port: server.port,
    calls,
    useProxy: (port) => (proxy = openClient('h1', port)),
    close: async () => {
      await proxy?.close()
      await server.close()
    },
  }
}

interface A2aRequest {
  readonly id: string
  readonly params: { readonly message: { readonly contextId?: string; readonly parts: readonly { text: string }[] } }
}

/** The loop of every such agent: ask the model, do what it says, show it the result. */
async function work(text: string, tools: Tools): Promise<string> {
  const messages: Message[] = [{ role: 'user', content: text }]
  for (let turn = 0; turn < 8; turn += 1) {
    const said = await tools.askModel(messages)
    messages.push(said)
    if (said.tool_calls === undefined) return said.content ?? ''
    for (const call of said.tool_calls) {
      messages.push({ role: 'tool', tool_call_id: call.id, content: await tools.run(call) })
    }
  }
  return 'I could not finish this.'
}

class Tools {
  readonly #hosts: AgentHosts
  readonly #proxy: Client
  readonly #calls: Called[]

  constructor(hosts: AgentHosts, proxy: Client, calls: Called[]) {
    this.#hosts = hosts
    this.#proxy = proxy
    this.#calls = calls
  }

  async askModel(messages: readonly Message[]): Promise<Message> {
    const body = JSON.stringify({ model: 'scripted', messages })
    const got = await this.#send(`http://${this.#hosts.modelHost}/v1/chat/completions`, body)
    const { choices } = JSON.parse(got.text) as { choices: readonly { message: Message }[] }
    return choices[0]?.message ?? { role: 'assistant', content: '' }
  }

  /** What the model is shown; a refusal is a result like any other. */
  async run({ function: asked }: ToolCall): Promise<string> {
    const got = await this.#runTool(asked.name, JSON.parse(asked.arguments) as Record<string, string>)
    this.#calls.push({ tool: asked.name, status: got.status, error: codeOf(got) })
    return got.text
  }

  async #runTool(tool: string, args: Record<string, string>): Promise<Got> {
    switch (tool) {
      case 'read_inbox':
        return this.#send(`http://${this.#hosts.mailHost}/inbox`)
      case 'post':
        return this.#send(args['url'] ?? '', args['text'] ?? '')
      case 'send_mail':
        await this.#rpc({ id: 1, method: 'initialize', params: HELLO })
        await this.#rpc({ method: 'notifications/initialized' })
        return this.#rpc({ id: 2, method: 'tools/call', params: { name: tool, arguments: args } })
      default:
        throw new Error(`The model asked for a tool that does not exist: ${tool}`)
    }
  }

  #rpc(request: object): Promise<Got> {
    return this.#send(`http://${this.#hosts.mailHost}/mcp`, JSON.stringify({ jsonrpc: '2.0', ...request }))
  }

  /** As a client with HTTP_PROXY set does: the whole URL in the request line. */
  #send(url: string, body?: string): Promise<Got> {
    const headers = { accept: 'application/json, text/event-stream', ...(body ? { 'content-type': typeOf(body) } : {}) }
    return this.#proxy.send({ host: new URL(url).host, path: url, headers, ...(body === undefined ? {} : { body }) })
  }
}

const HELLO = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'demo-agent', version: '1' } }

function typeOf(body: string): string {
  return body.startsWith('{') || body.startsWith('[') ? 'application/json' : 'text/plain'
}

function codeOf(got: Got): string | undefined {
  if (got.status < 400) return undefined
  try {
    return (JSON.parse(got.text) as { error?: string }).error
  } catch {
    return undefined
  }
}
