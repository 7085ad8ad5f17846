import { chatRequest, mcpCall, MCP_HEADERS } from '../test/support/messages.ts'

/** One request, sent again and again. */
export interface Load {
  readonly id: 'tool-call' | 'inference'
  readonly title: string
  /** As it goes over the wire. */
  readonly request: Buffer
}

/** The trace of the user's message that each of these requests is for. */
export const TRACEPARENT = `00-${'5e'.repeat(16)}-${'a1'.repeat(8)}-01`

export const TOOLS_HOST = 'tools.test'
export const MODEL_HOST = 'model.test'

/** 150 bytes. */
const TOOL_CALL = mcpCall('search_documents', { query: 'report on the northern branches', limit: 10 })
const INFERENCE = chatRequest('Sum up the quarterly report of the northern branch.', {
  messages: conversation(100 * 1024),
})

export const LOADS: readonly Load[] = [
  load('tool-call', 'an MCP tools/call', TOOLS_HOST, '/mcp', TOOL_CALL),
  load('inference', 'a question to a model', MODEL_HOST, '/v1/chat/completions', INFERENCE),
]

function load(id: Load['id'], what: string, host: string, path: string, body: string): Load {
  const bytes = Buffer.byteLength(body)
  return { id, title: `${what}, ${bytes} bytes`, request: post(host, path, body) }
}

/** A long talk between a user, a model and its tools, as agents send it whole with each question. */
function conversation(bytes: number): readonly object[] {
  const turns: object[] = [{ role: 'system', content: 'You help with documents.' }]
  for (let held = 0; held < bytes; held += 2160) {
    turns.push({ role: 'user', content: 'What does it say about the northern branch? '.repeat(14) })
    turns.push({ role: 'assistant', content: 'It says:\n"Sales rose, costs fell".\n'.repeat(38) })
  }
  return turns
}

export function post(host: string, path: string, body: string): Buffer {
  const headers = {
    ...MCP_HEADERS,
    host,
    traceparent: TRACEPARENT,
    'user-agent': 'bench',
    'content-length': Buffer.byteLength(body),
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
}
