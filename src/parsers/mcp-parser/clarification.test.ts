import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterEach, describe, expect, test } from 'vitest'
import { exchangeOf } from '../../../test/support/parsers/exchange.ts'
import type { Answer, Refusal } from '../../core/ruling.ts'
import { createMcpParser } from './mcp-parser.ts'

const parser = createMcpParser({ hosts: [], paths: ['/mcp'], denial: 'http_status' })
const REFLECTED: Refusal = {
  code: 'sparc.reflected',
  status: 200,
  message: 'This call was not run.',
  clarification: 'The call of `refund` was not run.\nNothing says that tx is TX-9. Ask your user for it.',
  plugin: 'sparc',
  requestId: 'r-1',
}
const SCHEMA = { type: 'object', properties: { refunded: { type: 'number' } }, required: ['refunded'] } as const
const TOOL = { name: 'refund', inputSchema: { type: 'object' }, outputSchema: SCHEMA }
const INITIALIZED = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {}, tasks: { requests: { tools: { call: {} } } } },
  serverInfo: { name: 's', version: '1' },
}

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** A server whose tool has a schema for its results. The call with TX-9 is refused with our bytes, another one runs. */
async function connect(): Promise<Client> {
  server = createServer((incoming, outgoing) => {
    void answerTo(incoming).then(({ status, headers, body }) =>
      outgoing.writeHead(status, Object.fromEntries(headers)).end(body),
    )
  })
  await new Promise<void>((done) => server?.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const client = new Client({ name: 'c', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)))
  // From here on the client holds every result of the tool against its schema.
  await client.listTools()
  return client
}

async function answerTo(incoming: IncomingMessage): Promise<Omit<Answer, 'details'>> {
  const text = Buffer.concat(await incoming.toArray()).toString()
  if (incoming.method !== 'POST') return { status: 405, headers: [], body: new Uint8Array() }
  const { x, body } = exchangeOf({ path: '/mcp', body: text })
  const reading = parser.read(x, body)
  if (reading.kind !== 'read') throw new Error(reading.kind)
  if (text.includes('TX-9')) return reading.refuse(REFLECTED)
  const { id, method } = JSON.parse(text) as { id?: number; method: string }
  if (id === undefined) return { status: 202, headers: [], body: new Uint8Array() }
  const done = { content: [{ type: 'text', text: 'done' }], structuredContent: { refunded: 1 } }
  const result = { initialize: INITIALIZED, 'tools/list': { tools: [TOOL] }, 'tools/call': done }[method]
  return {
    status: 200,
    headers: [['content-type', 'application/json']],
    body: Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, result })),
  }
}

describe('a clarification, as the official client reads it', () => {
  // req: sparc:parsers:clarification_result
  test('is the result of a tool that has a schema for its results; the next call works', async () => {
    const client = await connect()
    const reflected = await client.callTool({ name: 'refund', arguments: { tx: 'TX-9' } })
    expect(reflected).toEqual({
      content: [{ type: 'text', text: REFLECTED.clarification }],
      isError: true,
      _meta: { 'plumbline/reason': 'sparc.reflected', 'plumbline/request_id': 'r-1' },
    })
    const allowed = await client.callTool({ name: 'refund', arguments: { tx: 'TX-1' } })
    expect(allowed).toMatchObject({ structuredContent: { refunded: 1 } })
    await client.close()
  })

  test('to a call for a task is an error with the code of a no', async () => {
    const client = await connect()
    const stream = client.experimental.tasks.callToolStream({ name: 'refund', arguments: { tx: 'TX-9' } }, undefined, {
      task: { ttl: 1000 },
    })
    const seen: unknown[] = []
    for await (const message of stream) seen.push(message)
    expect(seen).toMatchObject([{ type: 'error', error: { code: -31403 } }])
    await client.close()
  })
})
