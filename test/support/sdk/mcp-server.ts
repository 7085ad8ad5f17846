import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { z } from 'zod'
import type { Closable } from '../closing.ts'

/** A mailbox by the official server: sessions, streams, notifications, and the metadata that clients look for. */
export interface ToolServer extends Closable {
  readonly port: number
  /** Tools that were really called. */
  readonly called: readonly string[]
  /** Asks every client that is there whether it is still there. */
  pingClients(): Promise<void>
  /** Tells every client that there are other tools now. */
  tellOfTools(): void
}

export async function startToolServer(): Promise<ToolServer> {
  const called: string[] = []
  const sessions = new Map<string, { readonly transport: StreamableHTTPServerTransport; readonly server: McpServer }>()
  const open = async () => {
    const server = mailbox(called)
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, { transport, server }),
      onsessionclosed: (id) => void sessions.delete(id),
    })
    await server.connect(transport)
    return transport
  }
  const http = createServer((incoming, outgoing) => {
    if (incoming.url?.startsWith('/mcp') !== true) return sayJson(outgoing)
    const known = sessions.get(String(incoming.headers['mcp-session-id']))?.transport
    void (known === undefined ? open() : Promise.resolve(known)).then((transport) =>
      transport.handleRequest(incoming, outgoing),
    )
  })
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done))
  const servers = () => [...sessions.values()].map(({ server }) => server)
  return {
    port: (http.address() as AddressInfo).port,
    called,
    pingClients: async () => {
      await Promise.all(servers().map((server) => server.server.ping()))
    },
    tellOfTools: () => servers().forEach((server) => server.sendToolListChanged()),
    close: async () => {
      http.closeAllConnections()
      await new Promise((done) => http.close(done))
    },
  }
}

function mailbox(called: string[]): McpServer {
  const server = new McpServer({ name: 'mail', version: '1' }, { capabilities: { logging: {} } })
  const tool = (name: string, says: string) =>
    server.registerTool(name, { inputSchema: { about: z.string() } }, async ({ about }) => {
      called.push(name)
      return { content: [{ type: 'text', text: `${says} ${about}` }] }
    })
  tool('read_inbox', 'Two messages about')
  tool('send_mail', 'Sent to')
  server.registerPrompt('hello', {}, async () => ({ messages: [] }))
  server.registerResource('inbox', 'mail:inbox', {}, async () => ({ contents: [{ uri: 'mail:inbox', text: 'mail' }] }))
  return server
}

/** Metadata, health and the like. */
function sayJson(outgoing: ServerResponse): void {
  outgoing.writeHead(200, { 'content-type': 'application/json' })
  outgoing.end('{"ok":true}')
}
