import { isObject } from '../../json/rpc.ts'
import { readRow, type Row } from '../rows.ts'
import type { Gold, Unanswerable } from './bfcl.ts'
import { when2callForm } from './forms.ts'
import type { Trial } from './trial.ts'

export function isWhen2Call({ value }: Row): boolean {
  return isObject(value) && 'correct_answer' in value && 'answers' in value
}

/** Right calls, calls that a model should have asked about first, and questions that no tool answers. */
export function readWhen2Call(rows: readonly Row[]): {
  readonly gold: readonly Gold[]
  readonly trials: readonly Trial[]
  readonly unanswerable: readonly Unanswerable[]
} {
  const gold: Gold[] = []
  const trials: Trial[] = []
  const unanswerable: Unanswerable[] = []
  for (const row of rows.filter(isWhen2Call)) {
    const { uuid, question, correct_answer, answers, tools } = readRow(row, when2callForm)
    const shared = { source: 'when2call' as const, row: uuid, messages: [{ role: 'user', content: question }], tools }
    const call = answers.tool_call ?? undefined
    const spec = tools.find(({ name }) => name === call?.name)
    if (correct_answer === 'cannot_answer' && tools.length > 0) unanswerable.push(shared)
    if (call === undefined) continue
    const asked = { ...shared, tool: call.name, args: call.arguments }
    if (correct_answer === 'tool_call' && spec !== undefined) {
      const accepted = Object.fromEntries(Object.entries(call.arguments).map(([name, value]) => [name, [value]]))
      gold.push({ ...shared, spec, accepted, args: call.arguments, full: call.arguments })
    } else if (correct_answer === 'request_for_info') trials.push({ ...asked, label: 'missing_info' })
    else if (correct_answer === 'cannot_answer' && spec === undefined && tools.length > 0)
      trials.push({ ...asked, label: 'unknown_tool' })
  }
  return { gold, trials, unanswerable }
}
