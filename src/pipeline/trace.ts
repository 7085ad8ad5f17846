import { randomBytes } from 'node:crypto'
import type { HeaderView } from '../core/exchange.ts'

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/
const NO_TRACE = '0'.repeat(32)
const NO_SPAN = '0'.repeat(16)

/** The trace id of a W3C `traceparent` (Trace Context, level 1), when exactly one valid one was sent. */
export function traceIdOf(headers: HeaderView): string | undefined {
  const match = TRACEPARENT.exec(headers.one('traceparent') ?? '')
  if (match === null || match[1] === NO_TRACE || match[2] === NO_SPAN) return undefined
  return match[1]
}

/** A new, sampled trace context. */
export function newTrace(): { readonly traceId: string; readonly traceparent: string } {
  const traceId = randomBytes(16).toString('hex')
  return { traceId, traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01` }
}
