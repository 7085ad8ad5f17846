import { randomBytes } from 'node:crypto'
import type { Client } from '../support/clients.ts'
import { a2aSend, chatRequest, mcpCall, MCP_HEADERS } from '../support/messages.ts'
import type { Stage } from '../support/stage.ts'

export const CONTEXTS = 200
/** One inbound message, one question to the model, one call of a tool. */
export const EXCHANGES_PER_TURN = 3

/** Has `clients` users at once say what comes next, until `turns` are done; each waits for its answers only. */
export async function takeTurns(stage: Stage, clients: number, turns: number): Promise<void> {
  let taken = 0
  const user = async () => {
    const inbound = stage.client('h1', 'inbound')
    const outbound = stage.client('h1', 'outbound')
    for (let turn = taken++; turn < turns; turn = taken++) await takeTurn(inbound, outbound, turn)
    await Promise.all([inbound.close(), outbound.close()])
  }
  await Promise.all(Array.from({ length: clients }, user))
}

/** The user speaks; under the same trace the agent asks its model and calls a tool. */
async function takeTurn(inbound: Client, outbound: Client, turn: number): Promise<void> {
  const contextId = `chat-${turn % CONTEXTS}`
  const traceparent = `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`
  const headers = { ...MCP_HEADERS, traceparent }
  const send = async (client: Client, host: string, path: string, body: string) => {
    const got = await client.send({ host, path, headers, body })
    if (got.status !== 200) throw new Error(`${host}${path} was answered ${got.status}: ${got.text}`)
  }
  const wish = `List the invoices of customer ${contextId}.`
  await send(inbound, 'agent.test', '/', a2aSend(wish, { contextId }))
  await send(outbound, 'model.test', '/v1/chat/completions', chatRequest(wish))
  await send(outbound, 'tools.test', '/mcp', mcpCall('list_invoices', { customer: contextId }))
}
