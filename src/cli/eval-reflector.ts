import { writeFile } from 'node:fs/promises'
import { isSuiteHead, readScenarios } from '../eval/judge/scenario.ts'
import { POLICIES, reflectorOf, type Column } from '../eval/reflector/columns.ts'
import { tryAll, type Tried } from '../eval/reflector/measure.ts'
import { reportOf } from '../eval/reflector/report.ts'
import { reflectorText } from '../eval/reflector/text.ts'
import { isReflectorRow, trialsFrom } from '../eval/reflector/trials.ts'
import { newRandom, shuffled } from '../eval/random.ts'
import { DATA_VARIABLE, dataFiles, type DataFile } from './eval-files.ts'
import { newProgress } from './eval-progress.ts'
import type { EvalReflectorUsage } from './eval-usage.ts'
import { version } from './version.ts'

export async function evalReflector(usage: EvalReflectorUsage): Promise<void> {
  const files = await dataFiles(usage.data, process.env[DATA_VARIABLE], isReflectorRow)
  const all = trialsFrom(
    files.filter((file) => !isOfRuns(file)).flatMap(({ rows }) => rows),
    usage.seed,
    files.filter(isOfRuns).flatMap(({ file, rows }) => readScenarios(file, rows)),
  )
  const trials = all.length <= usage.limit ? all : shuffled(all, newRandom(usage.seed)).slice(0, usage.limit)
  const columns: readonly Column[] = ['static', ...(usage.policy === undefined ? POLICIES : [usage.policy])]
  const progress = newProgress(trials.length)
  const tried = await tryAll(trials, new Map(columns.map((column) => [column, reflectorOf(column)])), (done) =>
    progress.at(done),
  )
  progress.end()
  const report = reportOf(tried, columns)
  if (usage.out !== undefined) {
    const { seed } = usage
    const head = { what: 'reflector', version: version(), at: new Date().toISOString(), seed, data: usage.data }
    await writeFile(usage.out, `${JSON.stringify({ ...head, report, calls: tried.map(callOf) }, undefined, 1)}\n`)
  }
  console.log(`Plumbline ${version()}: the embedded reflector\n\n${reflectorText(report)}`)
}

function isOfRuns({ rows: [first] }: DataFile): boolean {
  return first !== undefined && isSuiteHead(first)
}

function callOf({ trial, outcomes }: Tried): unknown {
  const { source, row, label, tool, args, parameter } = trial
  return { source, row, label, tool, args, parameter, outcomes }
}
