import type { Caller } from './handler.ts'
import type { Head } from './exchange.ts'
import type { ExchangeRecord } from './record.ts'

/** Somebody outside this process whom a gate asks: a judge's model, a reflection service. */
export interface Outside {
  readonly what: 'judge' | 'reflector'
  readonly endpoint: URL
  /** Where a model is named. */
  readonly model?: string
}

/** How a question went. No text of either side. */
export interface Asked {
  readonly outcome: 'answered' | 'failed'
  /** What was decided, one of a closed list of the gate's own. */
  readonly verdict?: string
  /** Why there is no answer, one of a closed list (`gates/kit/failure.ts`). */
  readonly failure?: string
  readonly inputTokens?: number
  readonly outputTokens?: number
}

/** What plugins may tell of one exchange while it lasts. Never throws. */
export interface ExchangeTelemetry {
  /** A question leaves now. What it returns is called once, with how it went. */
  asks(outside: Outside): (how: Asked) => void
}

export interface ExchangeWatch extends ExchangeTelemetry {
  /** The exchange is over. Called once, after every question has ended. */
  ends(record: ExchangeRecord): void
}

/** Whoever counts and traces. Never throws, never waits. */
export interface Telemetry {
  /** `head` is undefined where the gateway showed none. */
  begins(caller: Caller | undefined, head: Head | undefined): ExchangeWatch
}
