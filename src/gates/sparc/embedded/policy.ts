import type { Finding } from './grounding/call/finding.ts'
import type { Invention } from './grounding/grounding.ts'
import type { Tool } from './tool.ts'

/** How much it takes to reject a call. */
export type EmbeddedPolicy = 'default' | 'balanced' | 'strict'

/**
 * What weighs how much: an option that nobody named and a tool that does not seem to fit may be right in other words, so
 * that one of them alone only lowers the score.
 */
export type Weight = 'hard' | 'soft'

/** The name of a value's finding. */
export function inventionName({ leaf, grade }: Invention, tool: Tool): string {
  if (grade.contradicts) return 'contradicted_enum'
  return `${tool.required.has(leaf.parameter) ? 'ungrounded' : 'unsupported_optional'}_${grade.kind}`
}

const SOFT: ReadonlySet<string> = new Set(['ungrounded_enum', 'unsupported_optional_enum', 'no_tool_fits'])

export function rejects(
  policy: EmbeddedPolicy,
  inventions: readonly Invention[],
  findings: readonly Finding[],
  tool: Tool,
): boolean {
  const names = new Set([...inventions.map((each) => inventionName(each, tool)), ...findings.map(({ name }) => name)])
  if (names.size === 0) return false
  if (policy === 'strict' || names.size > 1 || ![...names].every((name) => SOFT.has(name))) return true
  return policy === 'balanced' && names.has('ungrounded_enum')
}
