import { startAgentServer } from '../stage/agent.ts'
import type { AgentServer, Asked, Said } from '../stage/agent.ts'
import type { Message, ToolCall } from '../stage/chat.ts'
import type { Got } from '../../test/support/clients.ts'
import type { Web } from '../stage/web.ts'
import { assembled } from './streamed.ts'

/** One call of a tool, as the agent saw it end. */
export interface Called {
  readonly args: string
  readonly status: number
  readonly failed: boolean
  readonly text: string
}

/** What it saw and did, by its own account. */
export interface AgentLog {
  /** Questions to the model. */
  readonly questions: number
  /** Calls that stood in the model's answers. */
  readonly proposed: readonly ToolCall[]
  readonly called: readonly Called[]
}

/** Pays refunds, with a model and one tool. It remembers its conversations. */
export interface Agent extends AgentServer {
  readonly log: () => AgentLog
  /** Whether it asks its model for streamed answers from now on. */
  streams(wanted: boolean): void
}

export interface AgentOptions {
  readonly bankHost: string
  readonly modelHost: string
  /** Text of a streamed answer is here, its end is not. */
  readonly onText: () => void
}

const SYSTEM = 'You are the finance assistant of a shop. You pay refunds with your tool.'
/** Long enough for any conversation of this demo, and an end to every loop. */
const QUESTIONS_A_TURN = 6

export async function startAgent(options: AgentOptions): Promise<Agent> {
  const conversations = new Map<string, Message[]>()
  const log = { questions: 0, proposed: [] as ToolCall[], called: [] as Called[] }
  let stream = false
  const server = await startAgentServer(work)
  return {
    ...server,
    log: () => ({ questions: log.questions, proposed: [...log.proposed], called: [...log.called] }),
    streams: (wanted) => (stream = wanted),
  }

  /** Asks the model, does what it says, shows it the result. What ends without a deed is a question to the user. */
  async function work({ text, contextId }: Asked, web: Web): Promise<Said> {
    const messages = conversations.get(contextId) ?? [{ role: 'system', content: SYSTEM }]
    conversations.set(contextId, messages)
    messages.push({ role: 'user', content: text })
    const tools = await listTools(web)
    let succeeded = false
    for (let turn = 0; turn < QUESTIONS_A_TURN; turn += 1) {
      const said = await askModel(web, { model: 'scripted', messages, tools, ...(stream ? { stream } : {}) })
      messages.push(said)
      if (said.tool_calls === undefined) return { text: said.content ?? '', asks: !succeeded }
      for (const call of said.tool_calls) {
        const called = await callTool(web, call)
        succeeded ||= !called.failed
        messages.push({ role: 'tool', tool_call_id: call.id, content: called.text })
      }
    }
    return { text: 'I could not finish this.', asks: false }
  }

  async function listTools(web: Web): Promise<readonly object[]> {
    const got = await web.rpc(mcpUrl(options), { id: 0, method: 'tools/list' })
    const { result } = JSON.parse(got.text) as { result: { tools: readonly McpTool[] } }
    return result.tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      function: { name, description, parameters: inputSchema },
    }))
  }

  async function askModel(web: Web, question: object): Promise<Message> {
    log.questions += 1
    let seen = ''
    const got = await web.send(`http://${options.modelHost}/v1/chat/completions`, JSON.stringify(question), (piece) => {
      seen += piece.toString('utf8')
      if (stream && assembled(seen).content !== '') options.onText()
    })
    const message = stream ? assembled(got.text) : messageIn(got)
    log.proposed.push(...(message.tool_calls ?? []))
    return message
  }

  async function callTool(web: Web, { function: { name, arguments: args } }: ToolCall): Promise<Called> {
    const got = await web.callTool(mcpUrl(options), name, JSON.parse(args))
    const called = { args, status: got.status, ...resultIn(got) }
    log.called.push(called)
    return called
  }
}

interface McpTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: object
}

function mcpUrl({ bankHost }: AgentOptions): string {
  return `http://${bankHost}/mcp`
}

function messageIn(got: Got): Message {
  const { choices } = JSON.parse(got.text) as { choices?: readonly { message: Message }[] }
  return choices?.[0]?.message ?? { role: 'assistant', content: got.text }
}

interface McpResult {
  readonly isError?: boolean
  readonly content: readonly { readonly text: string }[]
}

/** A refusal that is no tool result is shown to the model as it came. */
function resultIn(got: Got): Pick<Called, 'failed' | 'text'> {
  const { result } = JSON.parse(got.text) as { result?: McpResult }
  if (result === undefined) return { failed: true, text: got.text }
  return { failed: result.isError === true, text: result.content.map(({ text }) => text).join('\n') }
}
