import type { ExchangeRecord } from '../core/record.ts'
import type { AdminAnswer, AdminRoute } from './server.ts'

/** Where the records come from. */
export interface RecentExchanges {
  last(count: number): readonly ExchangeRecord[]
  of(requestId: string): readonly ExchangeRecord[]
}

const DEFAULT_LISTED = 20
const MOST_LISTED = 100

/** What became of exchanges that ended lately. Secret: it says who was blocked, and why. */
export function exchangeRoutes(recent: RecentExchanges): readonly AdminRoute[] {
  return [
    { path: '/v1/exchanges', secret: true, answer: ({ query }) => list(recent, query.get('limit')) },
    { path: '/v1/exchanges/', secret: true, answer: ({ rest }) => find(recent, rest) },
  ]
}

function list(recent: RecentExchanges, asked: string | null): AdminAnswer {
  const limit = asked === null ? DEFAULT_LISTED : /^\d{1,9}$/.test(asked) ? Number(asked) : 0
  if (limit === 0) return { status: 400, json: { error: 'bad_request', message: 'limit must be a number from 1' } }
  const exchanges = recent.last(Math.min(limit, MOST_LISTED)).map(inShort)
  return { status: 200, json: { exchanges } }
}

function inShort(record: ExchangeRecord): Readonly<Record<string, unknown>> {
  const { requestId, at, direction, workload, phase, host, method, path, statusCode, refusal } = record
  return { requestId, at, direction, workload, phase, host, method, path, statusCode, refusal }
}

function find(recent: RecentExchanges, requestId: string): AdminAnswer {
  const exchanges = recent.of(requestId)
  if (exchanges.length > 0) return { status: 200, json: { exchanges } }
  const message =
    'no exchange with this id has ended lately here: it is still open, it is older than what is kept ' +
    '(admin.recent_exchanges), or another process had it'
  return { status: 404, json: { error: 'not_found', message } }
}
