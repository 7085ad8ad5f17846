import type { Exchange } from '../core/exchange.ts'

/** What a line of the log says so that it can be found beside the exchange's record, and in its trace. */
export function about({ requestId, traceId }: Pick<Exchange, 'requestId' | 'traceId'>): {
  readonly requestId: string
  readonly traceId: string | undefined
} {
  return { requestId, traceId }
}
