import type { Got } from '../../test/support/clients.ts'
import { startAgentServer } from '../stage/agent.ts'
import type { AgentServer } from '../stage/agent.ts'
import type { Message, ToolCall } from '../stage/chat.ts'
import { codeOf } from '../stage/web.ts'
import type { Web } from '../stage/web.ts'

/** One call of a tool, as the agent saw it end. */
export interface Called {
  readonly tool: string
  readonly status: number
  /** Code of a refusal, where it was one. */
  readonly error: string | undefined
  /** Names the record of it. */
  readonly requestId: string
}

/** Lets its model choose tools, and trusts whatever it reads. */
export interface Agent extends AgentServer {
  readonly calls: readonly Called[]
}

export interface AgentHosts {
  readonly mailHost: string
  readonly modelHost: string
}

/** `hosts`: as they are when a user asks. */
export async function startAgent(hosts: () => AgentHosts): Promise<Agent> {
  const calls: Called[] = []
  const server = await startAgentServer(async ({ text }, web) => {
    return { text: await work(text, new Tools(hosts(), web, calls)), asks: false }
  })
  return { ...server, calls }
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
  readonly #web: Web
  readonly #calls: Called[]

  constructor(hosts: AgentHosts, web: Web, calls: Called[]) {
    this.#hosts = hosts
    this.#web = web
    this.#calls = calls
  }

  async askModel(messages: readonly Message[]): Promise<Message> {
    const body = JSON.stringify({ model: 'scripted', messages })
    const got = await this.#web.send(`http://${this.#hosts.modelHost}/v1/chat/completions`, body)
    const { choices } = JSON.parse(got.text) as { choices: readonly { message: Message }[] }
    return choices[0]?.message ?? { role: 'assistant', content: '' }
  }

  /** What the model is shown; a refusal is a result like any other. */
  async run({ function: asked }: ToolCall): Promise<string> {
    const got = await this.#runTool(asked.name, JSON.parse(asked.arguments) as Record<string, string>)
    this.#calls.push({ tool: asked.name, status: got.status, error: codeOf(got), requestId: got.requestId })
    return got.text
  }

  #runTool(tool: string, args: Record<string, string>): Promise<Got> {
    switch (tool) {
      case 'read_inbox':
        return this.#web.send(`http://${this.#hosts.mailHost}/inbox`)
      case 'post':
        return this.#web.send(args['url'] ?? '', args['text'] ?? '')
      case 'send_mail':
        return this.#web.callTool(`http://${this.#hosts.mailHost}/mcp`, tool, args)
      default:
        throw new Error(`The model asked for a tool that does not exist: ${tool}`)
    }
  }
}
