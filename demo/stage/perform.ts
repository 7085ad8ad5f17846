import { newProgress } from '../../src/cli/eval-progress.ts'
import type { ExchangeRecord } from '../../src/core/record.ts'
import type { Demo, Played, Round } from './performance.ts'
import { playRounds, summaryOf } from './rounds.ts'
import { check, detailsOf, heading, note, showExchange } from './timeline.ts'

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
