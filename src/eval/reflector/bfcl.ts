import type { ReflectedMessage } from '../../gates/sparc/reflector.ts'
import { isObject } from '../../json/rpc.ts'
import { BadData, readRow, type Row } from '../rows.ts'
import { answerForm, questionForm, type FunctionSpec } from './forms.ts'
import type { Arguments, Source } from './trial.ts'

/** A question with the calls that answer it. */
export interface Gold {
  readonly source: Source
  readonly row: string
  readonly messages: readonly ReflectedMessage[]
  readonly tools: readonly FunctionSpec[]
  readonly spec: FunctionSpec
  /** Without what may be left out. */
  readonly args: Arguments
  /** With it, where the data says what it would be; else the same. */
  readonly full: Arguments
  /** Of each parameter all values that are right. */
  readonly accepted: Readonly<Record<string, readonly unknown[]>>
}

/** A question that none of its functions answers. */
export interface Unanswerable {
  readonly source: Source
  readonly row: string
  readonly messages: readonly ReflectedMessage[]
  readonly tools: readonly FunctionSpec[]
}

export function isAnswer({ value }: Row): boolean {
  return isObject(value) && 'ground_truth' in value
}

export function isQuestion({ value }: Row): boolean {
  return isObject(value) && 'question' in value && 'function' in value
}

/** Questions whose answers are among the rows are gold; the others no function answers. */
export function readBfcl(rows: readonly Row[]): { gold: readonly Gold[]; unanswerable: readonly Unanswerable[] } {
  const answers = new Map(
    rows.filter(isAnswer).map((row) => {
      const { id, ground_truth } = readRow(row, answerForm)
      return [id, { row, calls: ground_truth }] as const
    }),
  )
  const gold: Gold[] = []
  const unanswerable: Unanswerable[] = []
  for (const row of rows.filter(isQuestion)) {
    const question = readRow(row, questionForm)
    const shared = {
      source: 'bfcl' as const,
      row: question.id,
      messages: question.question.flat(),
      tools: question.function,
    }
    const answer = answers.get(question.id)
    if (answer === undefined) {
      if (!question.id.includes('irrelevance')) throw new BadData(row, `no answer to ${question.id} in the data`)
      unanswerable.push(shared)
      continue
    }
    for (const call of answer.calls) {
      for (const [name, accepted] of Object.entries(call)) {
        const spec = question.function.find((each) => each.name === name)
        if (spec === undefined) throw new BadData(answer.row, `a call of ${name}, which ${question.id} does not offer`)
        gold.push({ ...shared, spec, accepted, args: chosen(accepted, false), full: chosen(accepted, true) })
      }
    }
  }
  return { gold, unanswerable }
}

const LEFT_OUT = ''

function chosen(accepted: Readonly<Record<string, readonly unknown[]>>, all: boolean): Arguments {
  return Object.fromEntries(
    Object.entries(accepted).flatMap(([name, values]) => {
      if (!all && values.includes(LEFT_OUT)) return []
      const value = values.find((each) => each !== LEFT_OUT)
      return value === undefined ? [] : [[name, plain(value)]]
    }),
  )
}

/** An object among the right values has lists of right values itself. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => (isObject(each) ? plain(each) : each))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, values]) => {
      if (!Array.isArray(values)) return [[name, values]]
      const first: unknown = values.find((each) => each !== LEFT_OUT)
      return first === undefined || values.includes(LEFT_OUT) ? [] : [[name, plain(first)]]
    }),
  )
}
