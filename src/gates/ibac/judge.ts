import type { Action } from '../../core/action.ts'
import type { Exchange } from '../../core/exchange.ts'
import type { SessionView } from '../../core/session.ts'
import type { Description } from './describe.ts'
import type { Verdict } from './verdict.ts'

/** What a judge is asked: one action, against what one session's user asked for. */
export interface Case {
  readonly action: Action
  readonly x: Exchange
  readonly shown: Description
  readonly session: SessionView
  /** Newest first, never empty. */
  readonly intents: readonly string[]
}

export interface Judge {
  /** For the record. */
  readonly model: string
  weigh(question: Case, signal: AbortSignal): Promise<Verdict>
  /** A session has new results, where it looks at them; `intents` as it will be asked about. A piece at a time, off the decision path. */
  hears?(session: SessionView, intents: readonly string[]): 'done' | 'more'
  /** Where it keeps connections. */
  close?(): void
}
