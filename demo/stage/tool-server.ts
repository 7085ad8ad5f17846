import type { ServerResponse } from 'node:http'
import type { Arrival } from '../../test/support/upstream.ts'
import { json } from './json.ts'

/** One tool of an MCP server. */
export interface Tool<Args> {
  readonly name: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** What it says when it has done its work. */
  run(args: Args): Promise<string>
}

interface RpcRequest<Args> {
  readonly id?: number | string
  readonly method: string
  readonly params?: { readonly name?: string; readonly arguments?: Args }
}

/** Answers as an MCP server that has this tool and no other. */
export async function answerMcp<Args>(arrival: Arrival, outgoing: ServerResponse, tool: Tool<Args>): Promise<void> {
  const asked = JSON.parse(arrival.body.toString('utf8')) as RpcRequest<Args>
  if (asked.id === undefined) {
    outgoing.writeHead(202).end()
    return
  }
  json(outgoing, 200, { jsonrpc: '2.0', id: asked.id, ...(await outcome(asked, tool)) })
}

async function outcome<Args>({ method, params }: RpcRequest<Args>, tool: Tool<Args>): Promise<object> {
  const { name, description, inputSchema } = tool
  if (method === 'initialize') {
    const serverInfo = { name, version: '1' }
    return { result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo } }
  }
  if (method === 'tools/list') return { result: { tools: [{ name, description, inputSchema }] } }
  if (method !== 'tools/call' || params?.name !== name || params.arguments === undefined) {
    return { error: { code: -32601, message: 'There is no such tool.' } }
  }
  return { result: { content: [{ type: 'text', text: await tool.run(params.arguments) }] } }
}
