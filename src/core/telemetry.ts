import type { Caller } from './handler.ts'
import type { Head } from './exchange.ts'
import type { ExchangeRecord } from './record.ts'

/** Somebody outside this process whom a gate asks: a judge's model, a reflection service. */
export interface Outside {
  readonly what: Checker
  readonly endpoint: URL
  /** Where a model is named. */
  readonly model?: string
}

/** Who weighs an action for a gate, in this process or outside. */
export type Checker = 'judge' | 'reflector'

/** Why a question has no answer: a closed list, so that it can be counted. */
export const FAILURES = [
  'unreachable',
  'timed_out',
  'status',
  'too_large',
  'not_json',
  'no_text',
  'no_verdict',
  'queue_full',
  'queue_timeout',
] as const

export type FailureKind = (typeof FAILURES)[number]

/** How a question went. No text of either side. */
export interface Asked {
  readonly outcome: 'answered' | 'failed'
  /** What was decided. */
  readonly verdict?: 'allow' | 'deny' | 'uncertain' | 'approve' | 'reject'
  /** Why there is no answer, or none that can be understood. */
  readonly failure?: FailureKind
  readonly inputTokens?: number
  readonly outputTokens?: number
}

/** What plugins may tell of one exchange while it lasts. Never throws. */
export interface ExchangeTelemetry {
  /** A question leaves now. What it returns is called once, with how it went; that may be after the exchange's end. */
  asks(outside: Outside): (how: Asked) => void
  /** Whether a verdict was at hand, kept of an equal question. */
  recalls(what: Checker, found: boolean): void
}

export interface ExchangeWatch extends ExchangeTelemetry {
  /** Our word on a request that is complete, and how long it took. Not called where there was nobody to hear it. */
  decides(ms: number): void
  /** The exchange is over. Called once. */
  ends(record: ExchangeRecord): void
}

/** Whoever counts and traces. Never throws, never waits. */
export interface Telemetry {
  /**
   * `head` is undefined where the gateway showed none. `traceparent`: the exchange had none, and goes on with this one.
   */
  begins(caller: Caller | undefined, head: Head | undefined, traceparent?: string): ExchangeWatch
}

const IGNORED = (): void => undefined

/** Nobody counts this exchange. */
export const NO_WATCH: ExchangeWatch = { asks: () => IGNORED, recalls: IGNORED, decides: IGNORED, ends: IGNORED }

/** Nobody counts. */
export const NO_TELEMETRY: Telemetry = { begins: () => NO_WATCH }
