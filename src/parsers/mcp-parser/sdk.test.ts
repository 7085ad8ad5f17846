import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import {
  CreateMessageRequestSchema,
  ListRootsRequestSchema,
  ResultSchema,
  type JSONRPCMessage,
} from '@modelcontextprotocol/sdk/types.js'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { answered, exchangeOf } from '../../../test/support/parsers/exchange.ts'
import type { McpConfig } from './config.ts'
import { createMcpParser } from './mcp-parser.ts'

const parser = createMcpParser({ hosts: [], paths: ['/mcp'], denial: 'http_status' })

/** Everything that an unmodified client and an unmodified server say to each other in an ordinary session. */
async function conversation(): Promise<{ readonly toServer: JSONRPCMessage[]; readonly toClient: JSONRPCMessage[] }> {
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair()
  const toServer: JSONRPCMessage[] = []
  const toClient: JSONRPCMessage[] = []
  const tap = (side: InMemoryTransport, log: JSONRPCMessage[]) => {
    const send = side.send.bind(side)
    side.send = async (message, options) => {
      log.push(message)
      await send(message, options)
    }
  }
  tap(clientSide, toServer)
  tap(serverSide, toClient)

  const server = new McpServer({ name: 's', version: '1' }, { capabilities: { logging: {} } })
  server.registerTool('inbox', { inputSchema: { folder: z.string() } }, async ({ folder }) => ({
    content: [{ type: 'text', text: `mail in ${folder}` }],
  }))
  server.registerResource('a', 'file:///a', {}, async () => ({ contents: [{ uri: 'file:///a', text: 'text of a' }] }))
  server.registerPrompt('p', {}, async () => ({ messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }] }))

  const client = new Client(
    { name: 'c', version: '1' },
    { capabilities: { sampling: {}, roots: { listChanged: true } } },
  )
  client.setRequestHandler(CreateMessageRequestSchema, async () => ({
    model: 'm',
    role: 'assistant',
    content: { type: 'text', text: 'answer' },
  }))
  client.setRequestHandler(ListRootsRequestSchema, async () => ({ roots: [{ uri: 'file:///home' }] }))

  await server.connect(serverSide)
  await client.connect(clientSide)
  await client.ping()
  await client.setLoggingLevel('info')
  await client.listTools()
  await client.listPrompts()
  await client.listResources()
  await client.listResourceTemplates()
  await client.sendRootsListChanged()
  await client.callTool({ name: 'inbox', arguments: { folder: 'new' } }, undefined, { onprogress: () => undefined })
  await client.readResource({ uri: 'file:///a' })
  await client.getPrompt({ name: 'p' })
  await server.server.ping()
  await server.server.listRoots()
  await client.request({ method: 'vendor/x' }, ResultSchema).catch(() => undefined)
  await client.close()
  return { toServer, toClient }
}

test('an ordinary session of the official SDK: only what acts is an action', async () => {
  const { toServer, toClient } = await conversation()
  const seen = toServer.map((message) => {
    const { x, body } = exchangeOf({ path: '/mcp', body: message, headers: { 'mcp-protocol-version': '2025-11-25' } })
    const result = parser.read(x, body)
    if (result.kind !== 'read') throw new Error(JSON.stringify({ message, result }))
    const [action] = result.actions
    expect(result.actions).toHaveLength(1)
    return `${action.kind} ${'what' in action ? action.what : 'tool' in action ? action.tool : ''}`
  })
  expect(seen).toEqual([
    'mechanics initialize',
    'mechanics notifications/initialized',
    'mechanics ping',
    'mechanics logging/setLevel',
    'mechanics tools/list',
    'mechanics prompts/list',
    'mechanics resources/list',
    'mechanics resources/templates/list',
    'mechanics notifications/roots/list_changed',
    'tool-call inbox',
    'request resources/read',
    'request prompts/get',
    'mechanics response',
    'request answer to a server request',
    'request vendor/x',
  ])

  const call = toServer.find((message) => 'method' in message && message.method === 'tools/call')
  const { x, body } = exchangeOf({ path: '/mcp', body: call })
  const reading = parser.read(x, body)
  const reader = parser.readAnswer(answered(x, 'text/event-stream'), reading.kind === 'read' ? reading : undefined)
  const events = toClient.map((message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`).join('')
  expect(reader?.feed(new TextEncoder().encode(events))).toEqual([
    { kind: 'tool-result', tool: 'inbox', args: { folder: 'new' }, text: 'mail in new' },
  ])
})

const NO = { code: 'ibac.blocked', status: 403, message: 'Not what the user asked.', plugin: 'ibac', requestId: 'r1' }

/** A server whose tool `pay` is refused by the parser's answer, and whose other tool works. */
function fetchBehindGate(denial: McpConfig['denial']): typeof fetch {
  const gate = createMcpParser({ hosts: [], paths: ['/mcp'], denial })
  const answerOf = (method: string | undefined): unknown =>
    method === 'initialize'
      ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }
      : { content: [{ type: 'text', text: 'done' }] }
  return async (_url, init) => {
    if (typeof init?.body !== 'string') return new Response(null, { status: 405 })
    const headers = [...new Headers(init.headers)]
    const { x, body } = exchangeOf({ path: '/mcp', body: init.body, headers })
    const reading = gate.read(x, body)
    if (reading.kind !== 'read') throw new Error(reading.kind)
    const [action] = reading.actions
    if (action.kind === 'tool-call' && action.tool === 'pay') {
      const answer = reading.refuse(NO)
      return new Response(Buffer.from(answer.body), {
        status: answer.status,
        headers: answer.headers.map(([name, value]): [string, string] => [name, value]),
      })
    }
    const message = JSON.parse(init.body) as { id?: number; method?: string }
    if (message.id === undefined) return new Response(null, { status: 202 })
    return Response.json({ jsonrpc: '2.0', id: message.id, result: answerOf(message.method) })
  }
}

const REFUSED: Readonly<Record<McpConfig['denial'], RegExp>> = {
  http_status: /Error POSTing to endpoint.*ibac\.blocked/,
  jsonrpc_error: /-31403: Not what the user asked\./,
  tool_result: /Blocked by policy: Not what the user asked\. \(ibac\.blocked\)/,
}

test.each(['http_status', 'jsonrpc_error', 'tool_result'] as const)(
  '%s: the official client sees the refusal, and its next call works',
  async (denial) => {
    const client = new Client({ name: 'c', version: '1' })
    const transport = new StreamableHTTPClientTransport(new URL('http://peer.test/mcp'), {
      fetch: fetchBehindGate(denial),
    })
    await client.connect(transport)
    const call = (name: string) =>
      client.callTool({ name, arguments: {} }).then(
        (result) => JSON.stringify(result),
        (error: unknown) => String(error),
      )
    expect(await call('pay')).toMatch(REFUSED[denial])
    expect(await call('look')).toContain('done')
    await client.close()
  },
)
