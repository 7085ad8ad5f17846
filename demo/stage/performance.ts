import type { ExchangeRecord } from '../../src/core/record.ts'
import type { Closable } from '../../test/support/closing.ts'
import { newProgress } from '../../src/cli/eval-progress.ts'
import { playRounds, summaryOf } from './rounds.ts'
import { check, detailsOf, heading, note, showExchange } from './timeline.ts'

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
    const { rounds } = performance
    const [only] = rounds
    const good = rounds.length === 1 && only !== undefined ? await tell(only) : await count(rounds)
    await performance.keep?.()
    return good ? 0 : 1
  } finally {
    await performance.close()
  }
}

async function tell({ opening, acts }: Round): Promise<boolean> {
  for (const line of opening) note(line)
  let good = true
  for (const { title, play } of acts) {
    heading(title)
    good = show(await play()) && good
  }
  console.log(good ? '\nAll was as it should be.' : '\nSomething was not as it should be: see ✘ above.')
  return good
}

/** Only what went wrong is shown: nobody reads fifty stories. */
async function count(rounds: readonly Round[]): Promise<boolean> {
  const wrong = await playRounds(rounds, newProgress(rounds.length), ({ again = '', opening }, acts) => {
    heading(`A wrong round. Play it again: ${again}`)
    for (const line of opening) note(line)
    for (const { title, played } of acts) {
      heading(title)
      show(played)
      for (const line of detailsOf(played.records)) note(line)
    }
  })
  console.log(`\n${summaryOf(rounds.length, wrong)}`)
  return wrong.length === 0
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
