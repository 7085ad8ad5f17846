import { nearest } from '../../../config/nearest.ts'
import type { Violation } from './schema/validate.ts'
import type { Tool } from './tool.ts'
import { isShort, listed, shown } from './words.ts'

/** A fault by SPARC's name for it, and what is wrong in words. */
export interface Fault {
  readonly name: string
  readonly explanation: string
}

export function noTools(): Fault {
  return { name: 'empty_api_spec', explanation: 'No API specifications provided.' }
}

export function invalidJson(why: string): Fault {
  return { name: 'invalid_json', explanation: `The arguments ${why}.` }
}

export function unknownTool(name: string, known: readonly string[]): Fault {
  const near = nearest(name, known.filter(isShort))
  const hint = near === undefined ? '' : ` The nearest name is ${shown(near)}.`
  return {
    name: 'non_existent_function',
    explanation: `Function ${shown(name)} does not exist in the provided API specifications: ${listed(known)}.${hint}`,
  }
}

export function unknownArguments(tool: Tool, unknown: readonly string[]): Fault {
  const possible = listed([...(tool.names ?? [])].sort())
  return {
    name: 'non_existent_parameter',
    explanation: `Parameters not defined in function ${shown(tool.name)}: ${listed([...unknown].sort())}. Possible parameters are: ${possible}.`,
  }
}

const KINDS = [
  ['missing', 'missing_required_parameter', 'Missing required parameter(s)'],
  ['type', 'incorrect_parameter_type', 'Incorrect parameter type(s)'],
  ['enum', 'allowed_values_violation', 'Invalid parameter value(s)'],
  ['other', 'json_schema_validation', 'Other validation error(s)'],
] as const

/** One fault for each kind, as SPARC has it; what is told of each is bounded. */
export function violationIssues(violations: readonly Violation[]): readonly Fault[] {
  return KINDS.flatMap(([kind, name, opening]) => {
    const told = violations.filter((each) => each.kind === kind).map(wordsFor)
    return told.length === 0 ? [] : [{ name, explanation: `${opening}: ${listed([...new Set(told)], '; ')}.` }]
  })
}

function wordsFor({ kind, path, value, expected, says }: Violation): string {
  const place = path.join('.')
  switch (kind) {
    case 'missing':
      return expected.map((name) => `${shown(name)} is a required property${place && ` of ${place}`}`).join('; ')
    case 'type':
      return `${place || 'arguments'}: ${shown(value)} is not of type ${expected.map(shown).join(', ')}`
    case 'enum':
      return `${place || 'arguments'}: ${shown(value)} is not one of [${listed(expected.map(shown))}]`
    case 'other':
      return `${place || 'arguments'}: ${shown(value)}: ${says.replace(/\.$/, '')}`
  }
}
