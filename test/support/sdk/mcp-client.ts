import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

/** The official client, with its own time-outs. */
export interface ToolClient {
  readonly client: Client
  readonly transport: StreamableHTTPClientTransport
}

export async function connectTools(url: string, through: typeof fetch): Promise<ToolClient> {
  const client = new Client({ name: 'agent', version: '1' }, { capabilities: { roots: { listChanged: true } } })
  const transport = new StreamableHTTPClientTransport(new URL(url), { fetch: through })
  await client.connect(transport)
  return { client, transport }
}
