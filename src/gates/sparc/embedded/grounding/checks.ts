import type { Tool } from '../tool.ts'
import { isDefault } from './defaults.ts'
import type { Evidence } from './evidence.ts'
import { isExplainedCode } from './explained-code.ts'
import { identifierOf } from './identifier.ts'
import type { Leaf } from './leaves.ts'
import { isPlaceholder, saidAnywhere, supportOf, textsFor, THRESHOLD } from './support.ts'

/** How far a value is supported, from 0 to 1, and whether that is too little. */
export interface Grade {
  readonly level: number
  readonly accepted: boolean
}

/** Grades a value if it is of its class; the first check that does has the say. */
export type Check = (leaf: Leaf, tool: Tool, evidence: Evidence) => Grade | undefined

const CHECKS: readonly Check[] = [defaultCheck, placeholderCheck, identifierCheck]

/** The grade of a value; undefined when it is of no class that we can judge. */
export function gradeOf(leaf: Leaf, tool: Tool, evidence: Evidence): Grade | undefined {
  for (const check of CHECKS) {
    const grade = check(leaf, tool, evidence)
    if (grade !== undefined) return grade
  }
  return undefined
}

function defaultCheck(leaf: Leaf): Grade | undefined {
  return isDefault(leaf) ? { level: 0.9, accepted: true } : undefined
}

function placeholderCheck({ value }: Leaf, _tool: Tool, evidence: Evidence): Grade | undefined {
  if (typeof value !== 'string' || !isPlaceholder(value)) return undefined
  return saidAnywhere(value, textsFor(value, evidence)) ? undefined : { level: 0, accepted: false }
}

function identifierCheck(leaf: Leaf, tool: Tool, evidence: Evidence): Grade | undefined {
  const identifier = identifierOf(leaf, tool)
  if (identifier === undefined) return undefined
  const level = supportOf(leaf.value, identifier, evidence)
  if (level >= THRESHOLD) return { level, accepted: true }
  return isExplainedCode(leaf, evidence) ? { level: 0.75, accepted: true } : { level, accepted: false }
}
