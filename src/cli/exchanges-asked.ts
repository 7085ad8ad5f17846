import type { ExchangeRecord } from '../core/record.ts'
import type { Exchanges } from '../doctor/canaries/run.ts'
import type { AdminClient } from './admin-client.ts'

/** Records of the running server, or why they cannot be asked for. */
export interface Asking {
  readonly exchanges: Exchanges | undefined
  readonly why: string | undefined
}

export async function exchangesOf(admin: AdminClient | undefined): Promise<Asking> {
  const no = (why: string): Asking => ({ exchanges: undefined, why })
  if (admin === undefined) return no('give --config FILE, or --admin ADDRESS and --token-file FILE')
  const first = await admin.get('/v1/exchanges?limit=1')
  if (first.kind === 'unreachable') return no('Plumbline does not answer')
  if (first.status === 403) return no('set admin.token_file in its configuration: records are not for all')
  if (first.status === 401) return no('give --token-file FILE, the token of admin.token_file')
  if (first.status !== 200) return no(`Plumbline keeps no records (status ${first.status}): set admin.recent_exchanges`)
  return {
    exchanges: { byId: async (id) => recordsOf(await admin.get(`/v1/exchanges/${encodeURIComponent(id)}`)) },
    why: undefined,
  }
}

type Reply = Awaited<ReturnType<AdminClient['get']>>

/** Our own server wrote them. */
function recordsOf(reply: Reply): readonly ExchangeRecord[] {
  if (reply.kind === 'unreachable' || reply.status !== 200) return []
  const { exchanges } = reply.json as { readonly exchanges: readonly ExchangeRecord[] }
  return exchanges
}
