import { existsSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { Closing } from '../test/support/closing.ts'
import { scratchFolder } from '../test/support/scratch.ts'
import { until } from '../test/support/until.ts'
import { startHelper } from './children.ts'
import { compareDecisions, decisionTable, type DecisionSummary } from './decisions.ts'
import type { Load } from './loads.ts'
import { measure, warmUp } from './measure.ts'
import type { LoadGenerator, Measured } from './measure.ts'
import { readOptions, USAGE } from './options.ts'
import type { Options } from './options.ts'
import { report } from './profile.ts'
import { REFLECTOR_MS } from './far-side-paths.ts'
import { startRig } from './rig.ts'
import type { Rig } from './rig.ts'
import { STREAM_ROWS } from './rows.ts'
import { compareStreams, streamTable } from './streams.ts'
import type { StreamSummary } from './streams.ts'
import { floorOf, summarize, table } from './table.ts'
import type { Series } from './table.ts'

/** All rows under all loads, taking turns: what the machine does meanwhile falls on all of them alike. */
async function compare(options: Options, rigs: readonly Rig[], generator: LoadGenerator): Promise<readonly Series[]> {
  const series = options.loads.flatMap((load) => rigs.map((rig) => ({ rig, load, rounds: [] as Measured[] })))
  for (const { rig, load } of series) await warmUp(rig, load, generator, options.clients)
  for (let round = 1; round <= options.rounds; round += 1) {
    console.error(`round ${round} of ${options.rounds}`)
    for (const { rig, load, rounds } of series) rounds.push(await measure(rig, load, generator, options))
  }
  return series.map(({ rig, load, rounds }) => ({ row: rig.row, load, rounds }))
}

function print(series: readonly Series[], options: Options): void {
  for (const load of options.loads) {
    console.log(`\n${load.title}; ${options.clients} clients\n`)
    console.log(table(series.filter((one) => one.load === load)))
  }
}

function write(
  file: string,
  series: readonly Series[],
  streams: readonly StreamSummary[],
  decisions: readonly DecisionSummary[],
  options: Options,
  envoy: string,
): void {
  const { rounds, seconds, clients } = options
  const figures = {
    at: new Date().toISOString(),
    node: process.versions.node,
    envoy,
    cpus: cpus().length,
    options: { rounds, seconds, clients },
    medians: series.map((one) => summarize(one, floorOf(series, one.load))),
    streams,
    decisions,
    rounds: series.map(({ row, load, rounds: all }) => ({ row: row.id, load: load.id, all })),
  }
  writeFileSync(file, `${JSON.stringify(figures, undefined, 2)}\n`)
}

async function bench(options: Options, farSidePort: number, generator: LoadGenerator): Promise<void> {
  const closing = new Closing()
  try {
    const rigs: Rig[] = []
    for (const row of options.rows) rigs.push(closing.add(await startRig(row, farSidePort)))
    const series = await compare(options, rigs, generator)
    print(series, options)
    const streams = await benchStreams(farSidePort)
    const decisions = await benchDecisions()
    if (options.json !== undefined)
      write(options.json, series, streams, decisions, options, rigs[0]?.envoy.version ?? '')
  } finally {
    await closing.close()
  }
}

const STREAM_ROUNDS = 31

/** What a client of a streamed completion waits for while its tool call is judged. */
async function benchStreams(farSidePort: number): Promise<readonly StreamSummary[]> {
  const closing = new Closing()
  try {
    const rigs: Rig[] = []
    for (const row of STREAM_ROWS) rigs.push(closing.add(await startRig(row, farSidePort)))
    const streams = await compareStreams(rigs, STREAM_ROUNDS)
    console.log(`\na streamed completion with a tool call; the reflection service takes ${REFLECTOR_MS} ms\n`)
    console.log(streamTable(streams))
    return streams
  } finally {
    await closing.close()
  }
}

/** What the rules that need no model take for a decision, in this process. */
async function benchDecisions(): Promise<readonly DecisionSummary[]> {
  const decisions = await compareDecisions()
  console.log('\ndecisions without a model, by what tools have answered in the session\n')
  console.log(decisionTable(decisions))
  return decisions
}

/** One row and load after the other: a profile is of one process under one load. */
async function profile(options: Options, farSidePort: number, generator: LoadGenerator): Promise<void> {
  const scratch = await scratchFolder()
  try {
    for (const row of options.rows.filter(({ processor }) => processor.kind !== 'none')) {
      for (const load of options.loads) {
        const file = join(scratch.path, `${row.id}-${load.id}.cpuprofile`)
        const { cpuMs } = await profileOne(await startRig(row, farSidePort, file), load, generator, options, file)
        console.log(`\n${row.title}; ${load.title}: ${cpuMs?.toFixed(3)} ms per exchange, profiler included\n`)
        console.log(report(file))
      }
    }
  } finally {
    await scratch.close()
  }
}

async function profileOne(
  rig: Rig,
  load: Load,
  generator: LoadGenerator,
  options: Options,
  file: string,
): Promise<Measured> {
  try {
    await warmUp(rig, load, generator, options.clients)
    rig.processor?.toggleProfile()
    const measured = await measure(rig, load, generator, options)
    rig.processor?.toggleProfile()
    await until('the profile', () => (existsSync(file) ? true : undefined))
    return measured
  } finally {
    // It ends behind what it writes.
    await rig.close()
  }
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  if (options.decisions) {
    await benchDecisions()
    return
  }
  const closing = new Closing()
  try {
    const farSide = closing.add(startHelper<'listen', number>('far-side.ts'))
    const generator: LoadGenerator = closing.add(startHelper('client.ts'))
    const port = await farSide.ask('listen')
    if (options.streams) await benchStreams(port)
    else await (options.profile ? profile : bench)(options, port, generator)
  } finally {
    await closing.close()
  }
}

if (process.argv.includes('--help')) console.log(USAGE)
else await main()
