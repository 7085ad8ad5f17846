import { randomBytes } from 'node:crypto'
import type { HeaderView } from '../core/exchange.ts'

// Version 00 has four fields. Later versions may add more, and are read by their first four; ff is not a version.
const TRACEPARENT =
  /^(?:00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}|(?!00|ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?)$/
const NO_TRACE = '0'.repeat(32)
const NO_SPAN = '0'.repeat(16)

/** The trace id of a W3C `traceparent` (Trace Context), when exactly one valid one was sent. */
export function traceIdOf(headers: HeaderView): string | undefined {
  const match = TRACEPARENT.exec(headers.one('traceparent') ?? '')
  const traceId = match?.[1] ?? match?.[3]
  const spanId = match?.[2] ?? match?.[4]
  return traceId === NO_TRACE || spanId === NO_SPAN ? undefined : traceId
}

/** A new, sampled trace context. */
export function newTrace(): { readonly traceId: string; readonly traceparent: string } {
  const traceId = randomBytes(16).toString('hex')
  return { traceId, traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01` }
}
