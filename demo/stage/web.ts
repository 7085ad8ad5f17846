import { openClient } from '../../test/support/clients.ts'
import type { Client, Got } from '../../test/support/clients.ts'
import type { Closable } from '../../test/support/closing.ts'
import { MCP_HEADERS } from '../../test/support/messages.ts'

const HELLO = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'demo-agent', version: '1' } }

/** The world as the agent reaches it: through Envoy as its HTTP proxy, the whole URL in the request line. */
export class Web implements Closable {
  readonly #proxy: Client

  constructor(proxyPort: number) {
    this.#proxy = openClient('h1', proxyPort)
  }

  send(url: string, body?: string, onPiece?: (piece: Buffer) => void): Promise<Got> {
    return this.#proxy.send({
      host: new URL(url).host,
      path: url,
      headers: { accept: MCP_HEADERS.accept, ...(body === undefined ? {} : { 'content-type': typeOf(body) }) },
      ...(body === undefined ? {} : { body }),
      ...(onPiece === undefined ? {} : { onPiece }),
    })
  }

  /** Calls a tool of an MCP server, in a session of its own. */
  async callTool(url: string, name: string, args: unknown): Promise<Got> {
    await this.rpc(url, { id: 1, method: 'initialize', params: HELLO })
    await this.rpc(url, { method: 'notifications/initialized' })
    return this.rpc(url, { id: 2, method: 'tools/call', params: { name, arguments: args } })
  }

  rpc(url: string, request: object): Promise<Got> {
    return this.send(url, JSON.stringify({ jsonrpc: '2.0', ...request }))
  }

  close(): Promise<void> {
    return this.#proxy.close()
  }
}

function typeOf(body: string): string {
  return body.startsWith('{') || body.startsWith('[') ? 'application/json' : 'text/plain'
}

/** The code of a refusal. */
export function codeOf(got: Got): string | undefined {
  if (got.status < 400) return undefined
  try {
    return (JSON.parse(got.text) as { error?: string }).error
  } catch {
    return undefined
  }
}
