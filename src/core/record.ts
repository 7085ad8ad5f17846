import type { Direction } from './exchange.ts'
import type { RunAction } from './ruling.ts'
import type { Certainty } from './session.ts'

/** What one plugin did in one exchange. */
export interface Invocation {
  readonly plugin: string
  readonly action: RunAction
  readonly phase: 'request' | 'response'
  readonly reason: string
  readonly path?: string
  /** Position of the action in the exchange, where the entry is about one. */
  readonly actionId?: number
  readonly details?: Readonly<Record<string, unknown>>
  /** What an observing plugin would have done; it did not happen. */
  readonly shadow?: true
  readonly cached?: true
}

/** One line per exchange, written once, at its end. */
export interface ExchangeRecord {
  readonly sessionId: string | undefined
  readonly requestId: string
  readonly traceId: string | undefined
  readonly workload: string
  /** ISO 8601, when the exchange began. */
  readonly at: string
  /** `unknown`: the filter did not say; such an exchange is refused. */
  readonly direction: Direction | 'unknown'
  /** `denied`: we answered in the upstream's stead. */
  readonly phase: 'request' | 'response' | 'denied'
  readonly host: string
  readonly method: string
  /** Without query. */
  readonly path: string
  readonly statusCode: number | undefined
  /** Where `phase` is `denied`: whose no it was, and the code that the client got. */
  readonly refusal?: { readonly plugin: string; readonly code: string }
  readonly durationMs: number
  readonly session: { readonly method: string; readonly certainty: Certainty }
  readonly invocations: readonly Invocation[]
  /** Whole verdicts by plugin id, one for each call that was looked at. Absent when there is none. */
  readonly plugins?: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>
}
