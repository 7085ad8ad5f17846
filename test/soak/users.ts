import { randomBytes } from 'node:crypto'
import type { Call, Turn } from '../support/completions/dialects.ts'
import type { Client } from '../support/clients.ts'
import { a2aSend, chatRequest, mcpCall, MCP_HEADERS } from '../support/messages.ts'
import type { Stage } from '../support/stage.ts'

export const CONTEXTS = 200
/** One inbound message, one question to the model, one call of a tool. */
export const EXCHANGES_PER_TURN = 3

/** What a turn is like; a context is always of the same kind. */
interface Kind {
  /** The model's answer comes in events. */
  readonly stream: boolean
  /** The model makes up an id, and its agent calls the tool with it all the same. */
  readonly invents: boolean
}
const kindOf = (turn: number): Kind => ({ stream: turn % 2 === 1, invents: turn % 4 > 1 })

/** In how many of so many turns something is made up. */
export function inventionsIn(turns: number): number {
  return Array.from({ length: turns }, (_, turn) => kindOf(turn)).filter(({ invents }) => invents).length
}

const INVENTED = 'TX-31337'

/** What the model answers to a wish: a call that the wish supports, and where it says so one that nothing does. */
export function turnFor(wish: string): Turn {
  const customer = /customer (\S+)\./.exec(wish)?.[1] ?? ''
  const list: Call = { id: 'call_1', name: 'list_invoices', args: { customer } }
  const refund: Call = { id: 'call_2', name: 'refund', args: { transaction_id: INVENTED } }
  return { text: 'I look.', calls: wish.includes('refund') ? [refund, list] : [list] }
}

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

const TOOLS = ['list_invoices', 'refund'].map((name) => ({ type: 'function', function: { name, parameters: {} } }))

/** The user speaks; under the same trace the agent asks its model and calls a tool. */
async function takeTurn(inbound: Client, outbound: Client, turn: number): Promise<void> {
  const { stream, invents } = kindOf(turn)
  const contextId = `chat-${turn % CONTEXTS}`
  const traceparent = `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`
  const headers = { ...MCP_HEADERS, traceparent }
  const send = async (client: Client, host: string, path: string, body: string) => {
    const got = await client.send({ host, path, headers, body })
    if (got.status !== 200) throw new Error(`${host}${path} was answered ${got.status}: ${got.text}`)
    return got.text
  }
  const wish = `List the invoices of customer ${contextId}.${invents ? ' Then refund one.' : ''}`
  await send(inbound, 'agent.test', '/', a2aSend(wish, { contextId }))
  const said = await send(outbound, 'model.test', '/v1/chat/completions', chatRequest(wish, { stream, tools: TOOLS }))
  if (!said.includes('list_invoices') || said.includes(INVENTED) || said.includes('stopped') !== invents) {
    throw new Error(`The model was heard to say ${said}`)
  }
  const call = invents
    ? mcpCall('refund', { transaction_id: INVENTED })
    : mcpCall('list_invoices', { customer: contextId })
  const result = await send(outbound, 'tools.test', '/mcp', call)
  if (result.includes('"isError":true') !== invents) throw new Error(`The tool was heard to say ${result}`)
}
