import { POLICIES, type Policy } from '../eval/reflector/columns.ts'

interface Shared {
  readonly name: 'eval'
  /** Empty: those of the folder in the environment. */
  readonly data: readonly string[]
  readonly limit: number
  readonly seed: string
  readonly out?: string
}

export interface EvalJudgeUsage extends Shared {
  readonly what: 'judge'
  readonly judge: 'embedded' | 'llm'
  readonly endpoint: string
  readonly model: string
  readonly prefilter: boolean
  readonly denyAt: number
  readonly concurrency: number
  readonly timeoutMs: number
  readonly plot?: string
  readonly resume: boolean
}

export interface EvalReflectorUsage extends Shared {
  readonly what: 'reflector'
  /** Absent: each of them. */
  readonly policy?: Policy
}

export interface EvalImportUsage extends Shared {
  readonly what: 'import'
  readonly suite: string
}

export type EvalUsage = EvalJudgeUsage | EvalReflectorUsage | EvalImportUsage

/** Not how it is used. */
export class WrongUse extends Error {}

export const EVAL_OPTIONS = {
  data: { type: 'string', multiple: true },
  judge: { type: 'string' },
  'judge-endpoint': { type: 'string' },
  'judge-model': { type: 'string' },
  prefilter: { type: 'boolean' },
  limit: { type: 'string' },
  'deny-at': { type: 'string' },
  concurrency: { type: 'string' },
  'timeout-ms': { type: 'string' },
  seed: { type: 'string' },
  out: { type: 'string' },
  plot: { type: 'string' },
  resume: { type: 'boolean' },
  policy: { type: 'string' },
  suite: { type: 'string' },
} as const

export type EvalOption = keyof typeof EVAL_OPTIONS
export type EvalValues = Readonly<Partial<Record<EvalOption, string | boolean | string[]>>>

const TAKES: Readonly<Record<EvalUsage['what'], readonly EvalOption[]>> = {
  judge: [
    'data',
    'judge',
    'judge-endpoint',
    'judge-model',
    'prefilter',
    'limit',
    'deny-at',
    'concurrency',
    'timeout-ms',
    'seed',
    'out',
    'plot',
    'resume',
  ],
  reflector: ['data', 'policy', 'limit', 'seed', 'out'],
  import: ['data', 'suite', 'limit', 'out'],
}

const WHATS = Object.keys(TAKES)

/** Throws a `WrongUse`. */
export function readEvalUsage(what: string, files: readonly string[], values: EvalValues): EvalUsage {
  if (what !== 'judge' && what !== 'reflector' && what !== 'import') {
    throw new WrongUse(`eval knows no "${what}" (known: ${WHATS.join(', ')})`)
  }
  const foreign = (Object.keys(values) as EvalOption[]).find((option) => !TAKES[what].includes(option))
  if (foreign !== undefined) throw new WrongUse(`eval ${what} takes no --${foreign}`)
  const shared: Shared = {
    name: 'eval',
    data: [...(Array.isArray(values.data) ? values.data : []), ...files],
    limit: values.limit === undefined ? Infinity : numberIn(values, 'limit', 1),
    seed: textIn(values, 'seed', '1'),
    ...(typeof values.out === 'string' ? { out: values.out } : {}),
  }
  switch (what) {
    case 'judge':
      return judgeUsage(shared, values)
    case 'reflector':
      return { ...shared, what, ...policyIn(values) }
    case 'import':
      return { ...shared, what, suite: textIn(values, 'suite', 'own') }
  }
}

function judgeUsage(shared: Shared, values: EvalValues): EvalJudgeUsage {
  const judge = oneOf(values, 'judge', ['embedded', 'llm'] as const) ?? 'embedded'
  const usage: EvalJudgeUsage = {
    ...shared,
    what: 'judge',
    judge,
    endpoint: textIn(values, 'judge-endpoint', ''),
    model: textIn(values, 'judge-model', ''),
    prefilter: values.prefilter === true,
    denyAt: numberIn(values, 'deny-at', 0, 5),
    concurrency: numberIn(values, 'concurrency', 1, judge === 'llm' ? 8 : 1),
    timeoutMs: numberIn(values, 'timeout-ms', 100, 60_000),
    resume: values.resume === true,
    ...(typeof values.plot === 'string' ? { plot: values.plot } : {}),
  }
  if (judge === 'embedded') {
    const idle = (['judge-endpoint', 'judge-model', 'prefilter', 'timeout-ms'] as const).find((name) => name in values)
    if (idle !== undefined) throw new WrongUse(`--${idle} needs --judge llm`)
  } else {
    const missing = (['judge-endpoint', 'judge-model'] as const).find((name) => textIn(values, name, '') === '')
    if (missing !== undefined) throw new WrongUse(`--judge llm needs --${missing}`)
    if ('deny-at' in values) throw new WrongUse('--deny-at is for --judge embedded: a model answers allow or deny')
  }
  if (usage.resume && usage.out === undefined) throw new WrongUse('--resume needs --out FILE, which it goes on with')
  return usage
}

function policyIn(values: EvalValues): { readonly policy?: Policy } {
  const policy = oneOf(values, 'policy', POLICIES)
  return policy === undefined ? {} : { policy }
}

function oneOf<T extends string>(values: EvalValues, name: EvalOption, known: readonly T[]): T | undefined {
  const given = values[name]
  if (given === undefined) return undefined
  const found = known.find((each) => each === given)
  if (found === undefined) throw new WrongUse(`--${name} is one of ${known.join(', ')}`)
  return found
}

function textIn(values: EvalValues, name: EvalOption, absent: string): string {
  const given = values[name]
  return typeof given === 'string' ? given : absent
}

function numberIn(values: EvalValues, name: EvalOption, least: number, absent?: number): number {
  const given = values[name]
  if (given === undefined && absent !== undefined) return absent
  const number = typeof given === 'string' && given.trim() !== '' ? Number(given) : NaN
  if (!(number >= least) || !Number.isFinite(number)) throw new WrongUse(`--${name} is a number from ${least}`)
  return number
}
