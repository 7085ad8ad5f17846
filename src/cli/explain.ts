import { printable } from '../core/printable.ts'
import type { ExchangeRecord } from '../core/record.ts'
import { type AdminReply, adminOf } from './admin-client.ts'
import { explanation } from './explanation.ts'
import type { ExplainUsage } from './usage.ts'

const NOT_FOUND = 1
const WRONG_USE = 2

/** Says why an exchange of a running server was refused or passed. Gives the exit code. */
export async function explain(usage: ExplainUsage): Promise<number> {
  const admin = await adminOf(usage)
  if ('wrong' in admin) {
    console.error(admin.wrong)
    return WRONG_USE
  }
  const reply = await admin.get(`/v1/exchanges/${encodeURIComponent(usage.requestId)}`)
  const found = exchangesIn(reply)
  if (found === undefined) {
    console.error(whyNot(reply, admin.address, usage.requestId))
    return NOT_FOUND
  }
  const told = usage.json ? JSON.stringify({ exchanges: found }, undefined, 2) : found.map(explanation).join('\n\n')
  console.log(printable(told))
  return 0
}

function exchangesIn(reply: AdminReply): readonly ExchangeRecord[] | undefined {
  if (reply.kind !== 'answer' || reply.status !== 200) return undefined
  const { json } = reply
  if (typeof json !== 'object' || json === null || !('exchanges' in json) || !Array.isArray(json.exchanges)) {
    return undefined
  }
  return json.exchanges as readonly ExchangeRecord[]
}

function whyNot(reply: AdminReply, address: string, requestId: string): string {
  if (reply.kind === 'unreachable') {
    return `no plumbline answers at ${address}: ${reply.why}\nSay where its admin address is: --config FILE or --admin ADDRESS.`
  }
  switch (reply.status) {
    case 401:
      return `${address} wants its token: give --config FILE, or --token-file FILE with the token of admin.token_file.`
    case 403:
      return (
        `${address} tells this to nobody: admin.token_file is not set there. Records are in its log as well: ` +
        `search it for ${JSON.stringify(requestId)}.`
      )
    case 404:
      return (
        `${address} knows no exchange ${JSON.stringify(requestId)} that ended lately. It may still be open, be older than ` +
        `what is kept (admin.recent_exchanges), or another process had it. Records are in the log as well.`
      )
    default:
      return `${address} answered ${reply.status}, which plumbline does not do: is it the admin address?`
  }
}
