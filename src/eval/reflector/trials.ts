import type { Scenario } from '../judge/scenario.ts'
import type { Row } from '../rows.ts'
import { isAnswer, isQuestion, readBfcl, type Gold } from './bfcl.ts'
import { filledCall } from './filled.ts'
import { donorsOf, mutationsOf } from './mutate.ts'
import { goldOfRuns } from './runs.ts'
import type { Trial } from './trial.ts'
import { isWhen2Call, readWhen2Call } from './when2call.ts'

/** Whether a row is of the data that a reflector is measured on. */
export function isReflectorRow(row: Row): boolean {
  return isAnswer(row) || isQuestion(row) || isWhen2Call(row)
}

/** All calls that a reflector is asked about: those of the data, and those that are made wrong out of them. */
export function trialsFrom(rows: readonly Row[], seed: string, runs: readonly Scenario[] = []): readonly Trial[] {
  const bfcl = readBfcl(rows)
  const when2call = readWhen2Call(rows)
  const changed = [...bfcl.gold, ...goldOfRuns(runs)]
  const donors = donorsOf(changed)
  return [
    ...[...changed, ...when2call.gold].flatMap(rightCalls),
    ...changed.flatMap((gold) => mutationsOf(gold, donors, seed)),
    ...when2call.trials,
    ...[...bfcl.unanswerable, ...when2call.unanswerable].flatMap((each) => filledCall(each, seed) ?? []),
  ]
}

function rightCalls({ source, row, messages, tools, spec, args, full }: Gold): readonly Trial[] {
  const call = { source, row, messages, tools, tool: spec.name }
  const more = Object.keys(full).length > Object.keys(args).length
  return [{ ...call, args, label: 'gold' }, ...(more ? [{ ...call, args: full, label: 'gold_full' as const }] : [])]
}
