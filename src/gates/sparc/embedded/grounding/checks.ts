import type { Tool } from '../tool.ts'
import { isDefault } from './defaults.ts'
import type { Evidence } from './evidence.ts'
import { isExample } from './examples.ts'
import { isExplainedCode } from './explained-code.ts'
import { UNSPACED } from './heard/index.ts'
import { identifierOf } from './identifier.ts'
import type { Leaf } from './leaves.ts'
import { isPlaceholder, saidAnywhere, saidFor, supportOf, THRESHOLD } from './support.ts'
import { momentOf } from './values/moment-value.ts'
import { isCalendarWord, momentSupport } from './values/moment.ts'
import { numberSupport } from './values/number.ts'
import { namedOption, optionSupport } from './values/option.ts'
import { textSupport } from './values/text-value.ts'

export type ValueClass = 'identifier' | 'number' | 'date' | 'string' | 'enum' | 'expression' | 'free'

/** How far a value is supported, from 0 to 1, and whether that is too little. */
export interface Grade {
  readonly level: number
  readonly accepted: boolean
  readonly kind: ValueClass
  /** The option that the user names in its place. */
  readonly named?: string
  /** It is the default, against what the user says. */
  readonly contradicts?: true
}

/** Grades a value if it is of its class; the first check that does has the say. `others`: all values of the call. */
export type Check = (leaf: Leaf, tool: Tool, evidence: Evidence, others: readonly Leaf[]) => Grade | undefined

const CHECKS: readonly Check[] = [
  defaultCheck,
  placeholderCheck,
  identifierCheck,
  optionCheck,
  numberCheck,
  momentCheck,
  textCheck,
]

/** Under it, a value of the class is called made up. */
const LEAST: Readonly<Record<ValueClass, number>> = {
  identifier: THRESHOLD,
  date: 0.45,
  enum: 0.45,
  string: 0.4,
  number: 0.35,
  expression: 0.35,
  free: 0,
}

/** The grade of a value; undefined when it is of no class that we can judge. */
export function gradeOf(leaf: Leaf, tool: Tool, evidence: Evidence, others: readonly Leaf[]): Grade | undefined {
  for (const check of CHECKS) {
    const grade = check(leaf, tool, evidence, others)
    if (grade !== undefined) return grade
  }
  return undefined
}

function defaultCheck(leaf: Leaf, _tool: Tool, evidence: Evidence, others: readonly Leaf[]): Grade | undefined {
  if (!isDefault(leaf)) return undefined
  const named = leaf.options === undefined ? undefined : otherNamed(leaf, evidence, others)
  return named === undefined
    ? { level: 0.9, accepted: true, kind: leaf.options === undefined ? 'string' : 'enum' }
    : { level: 0, accepted: false, kind: 'enum', named, contradicts: true }
}

function otherNamed(leaf: Leaf, evidence: Evidence, others: readonly Leaf[]): string | undefined {
  if (saidAnywhere(String(leaf.value), saidFor(leaf.value, evidence))) return undefined
  const options = (leaf.options ?? []).filter((each) => typeof each === 'string')
  const named = namedOption(leaf, options, evidence)
  return isTakenBy(others, named) ? undefined : named
}

/** The user named it for another argument, or for another place in the same list. */
function isTakenBy(others: readonly Leaf[], named: string | undefined): boolean {
  return named !== undefined && others.some(({ value }) => String(value).toLowerCase() === named.toLowerCase())
}

function placeholderCheck({ value }: Leaf, _tool: Tool, evidence: Evidence): Grade | undefined {
  if (typeof value !== 'string' || !isPlaceholder(value)) return undefined
  return saidAnywhere(value, saidFor(value, evidence)) ? undefined : { level: 0, accepted: false, kind: 'identifier' }
}

function identifierCheck(leaf: Leaf, tool: Tool, evidence: Evidence): Grade | undefined {
  const identifier = identifierOf(leaf, tool)
  if (identifier === undefined) return undefined
  return graded(leaf, 'identifier', supportOf(leaf.value, identifier, saidFor(leaf.value, evidence)), evidence)
}

function optionCheck(leaf: Leaf, tool: Tool, evidence: Evidence, others: readonly Leaf[]): Grade | undefined {
  if (leaf.options === undefined) return undefined
  const { level, named } = optionSupport(leaf, tool, evidence)
  const isContradicted = named !== undefined && !isTakenBy(others, named)
  if (isContradicted) return { level, accepted: false, kind: 'enum', named }
  return muted(leaf, graded(leaf, 'enum', level, evidence), evidence)
}

const NUMERIC = /^(?:[$€£¥]\s?)?([-+]?\d{1,15}(?:\.\d{1,15})?)\s?(?:%|[a-zµ°]{1,3})?$/i

function numberCheck(leaf: Leaf, tool: Tool, evidence: Evidence): Grade | undefined {
  const { value } = leaf
  if (typeof value === 'number') return graded(leaf, 'number', numberSupport(value, leaf, tool, evidence), evidence)
  const digits = NUMERIC.exec(value.trim())?.[1]
  if (digits === undefined) return undefined
  if (saidAnywhere(value, saidFor(value, evidence))) return { level: 1, accepted: true, kind: 'number' }
  const moment = momentOf(value)
  const ofMoment = moment === undefined ? 0 : momentSupport(moment, leaf, evidence)
  const level = Math.max(ofMoment, numberSupport(Number(digits), leaf, tool, evidence))
  return graded(leaf, 'number', level, evidence)
}

function momentCheck(leaf: Leaf, _tool: Tool, evidence: Evidence): Grade | undefined {
  if (typeof leaf.value !== 'string') return undefined
  const moment = momentOf(leaf.value)
  return moment === undefined ? undefined : graded(leaf, 'date', momentSupport(moment, leaf, evidence), evidence)
}

function textCheck(leaf: Leaf, tool: Tool, evidence: Evidence): Grade | undefined {
  if (typeof leaf.value !== 'string') return undefined
  const { level, kind } = textSupport(leaf, tool, evidence)
  // "Monday" for what was said as a date needs a calendar, and is no name that somebody made up.
  if (level === 0 && isCalendarWord(leaf.value)) return { level: 0.5, accepted: true, kind: 'date' }
  const grade = graded(leaf, kind, level, evidence)
  return kind === 'string' ? muted(leaf, grade, evidence) : grade
}

function graded(leaf: Leaf, kind: ValueClass, level: number, evidence: Evidence): Grade {
  const isPlain = kind === 'identifier' || kind === 'number' || kind === 'string' || kind === 'enum'
  if (level < LEAST[kind] && isPlain && isExplainedCode(leaf, evidence)) return { level: 0.75, accepted: true, kind }
  const capped =
    level < LEAST_OVER_EXAMPLE && kind !== 'free' && kind !== 'enum' && isExample(leaf)
      ? Math.min(level, OF_EXAMPLE)
      : level
  return { level: capped, accepted: capped >= LEAST[kind], kind }
}

const LEAST_OVER_EXAMPLE = 0.6
const OF_EXAMPLE = 0.2

/** Our words are English ones: of another language they say nothing. */
function muted(leaf: Leaf, grade: Grade, evidence: Evidence): Grade {
  const isJudged = grade.accepted || evidence.isEnglish() || isForeignToAll(leaf, evidence)
  return isJudged ? grade : { ...grade, level: LEAST.enum, accepted: true }
}

/** A value in the user's own script, of whose signs hardly one was said: no word list is needed to tell. */
function isForeignToAll({ value }: Leaf, { all, userText }: Evidence): boolean {
  const signs = [...new Set(String(value).slice(0, LONGEST_FOREIGN).match(UNSPACED) ?? [])]
  if (signs.length < 2 || !UNSPACED_ONE.test(userText())) return false
  const known = signs.filter((sign) => all.has(all.index.signs, sign))
  return known.length * 2 < signs.length
}

const LONGEST_FOREIGN = 100
const UNSPACED_ONE = new RegExp(UNSPACED.source, 'u')
