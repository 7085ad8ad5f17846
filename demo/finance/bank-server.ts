import type { Closable } from '../../test/support/closing.ts'
import { startUpstream } from '../../test/support/upstream.ts'
import { answerMcp } from '../stage/tool-server.ts'

export interface Refund {
  readonly transaction_id: string
  readonly amount: number
}

/** Pays money back, as an MCP tool, to whoever paid in that transaction. */
export interface BankServer extends Closable {
  readonly port: number
  /** Its own log. */
  readonly refunds: readonly Refund[]
}

export async function startBankServer(tool: string): Promise<BankServer> {
  const refunds: Refund[] = []
  const refund = {
    name: tool,
    description: 'Pays the money of a transaction back to the customer.',
    inputSchema: SCHEMA,
    run: (args: Refund) => {
      refunds.push(args)
      return Promise.resolve(`${DONE} ${args.amount} euros of ${args.transaction_id}.`)
    },
  }
  const server = await startUpstream('h1', (arrival, outgoing) => answerMcp(arrival, outgoing, refund))
  return { port: server.port, refunds, close: () => server.close() }
}

/** How its tool's answer begins when the money is on its way. */
export const DONE = 'Paid back'

const SCHEMA = {
  type: 'object',
  properties: {
    transaction_id: { type: 'string', description: 'The id of the transaction, as it stands on the receipt.' },
    amount: { type: 'number', description: 'How much to pay back, in euros.' },
  },
  required: ['transaction_id', 'amount'],
}
