import type { ExchangeRecord } from '../../src/core/record.ts'
import type { Closable } from '../../test/support/closing.ts'
import { check, heading, note, showExchange } from './timeline.ts'

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
  readonly acts: readonly { readonly title: string; readonly play: () => Promise<Played> }[]
  /** Leaves everything running, until somebody ends it. */
  readonly keep: (() => Promise<void>) | undefined
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

/** Plays and prints the demo; returns the exit code. */
export async function perform<Options>(demo: Demo<Options>, args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    console.log(demo.usage)
    return 0
  }
  const options = demo.readOptions(args)
  if (typeof options === 'string') {
    console.error(`${options}\n\n${demo.usage}`)
    return 2
  }
  const performance = await demo.setUp(options)
  try {
    for (const line of performance.opening) note(line)
    let good = true
    for (const { title, play } of performance.acts) {
      heading(title)
      good = show(await play()) && good
    }
    console.log(good ? '\nAll was as it should be.' : '\nSomething was not as it should be: see ✘ above.')
    await performance.keep?.()
    return good ? 0 : 1
  } finally {
    await performance.close()
  }
}

function show({ talk, records, checks }: Played): boolean {
  const turns = byTurn(records)
  for (const [at, { user, agent }] of talk.entries()) {
    note(`user: “${user}”`)
    for (const record of turns[at] ?? []) showExchange(record)
    note(`agent: “${agent}”`)
  }
  for (const { what, held } of checks) check(what, held)
  return checks.every(({ held }) => held)
}

/** Each request of the user begins a turn. */
function byTurn(records: readonly ExchangeRecord[]): readonly (readonly ExchangeRecord[])[] {
  const turns: ExchangeRecord[][] = []
  for (const record of records) {
    if (record.direction === 'inbound') turns.push([record])
    else turns.at(-1)?.push(record)
  }
  return turns
}
