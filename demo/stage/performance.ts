import type { ExchangeRecord } from '../../src/core/record.ts'
import type { Closable } from '../../test/support/closing.ts'

/** One of the demos: it reads its options and sets everything up. */
export interface Demo<Options> {
  readonly usage: string
  /** Or, in words, what is wrong with what was written. */
  readOptions(args: readonly string[]): Options | string
  setUp(options: Options): Promise<Performance>
}

/** A demo that stands ready. */
export interface Performance extends Closable {
  readonly opening: readonly string[]
  /** One is told as a story; several are counted. */
  readonly rounds: readonly Round[]
  /** Leaves everything running, until somebody ends it. */
  readonly keep: (() => Promise<void>) | undefined
}

/** The whole story, once. */
export interface Round {
  /** The options that play it again, alone. */
  readonly again?: string
  readonly opening: readonly string[]
  readonly acts: readonly { readonly title: string; readonly play: () => Promise<Played> }[]
}

export interface Played {
  /** What the user and the agent said, in turn. */
  readonly talk: readonly { readonly user: string; readonly agent: string }[]
  readonly records: readonly ExchangeRecord[]
  readonly checks: readonly Check[]
}

export interface Check {
  readonly what: string
  readonly held: boolean
}

/** What should be true at the end of an act. */
export interface Expectation<Outcome> {
  readonly what: string
  readonly holds: (outcome: Outcome) => boolean
}

export function checked<Outcome>(outcome: Outcome, expected: readonly Expectation<Outcome>[]): readonly Check[] {
  return expected.map(({ what, holds }) => ({ what, held: holds(outcome) }))
}
