import type { ReflectedMessage } from '../../reflector.ts'
import { TooLarge } from '../too-large.ts'
import type { JsonObject } from '../schema/values.ts'
import type { Tool } from '../tool.ts'
import { gradeOf } from './checks.ts'
import { evidenceOf, type Evidence } from './evidence.ts'
import { leavesOf, type Leaf } from './leaves.ts'

export interface Grounding {
  readonly evidence: Evidence
  /** Values that stand nowhere, with all that is known of them. */
  readonly inventions: readonly Leaf[]
  /** One for each value that could be judged. */
  readonly levels: readonly number[]
}

/** Values times characters: each value may be looked for in the whole conversation. */
const MOST_WORK = 100_000_000
const MOST_CHARACTERS = 8_000_000

/** Looks for the values of a call in its conversation. Arguments that are faulty by themselves are left out. */
export function groundingOf(
  values: JsonObject,
  tool: Tool,
  messages: readonly ReflectedMessage[],
  faulty: ReadonlySet<string>,
): Grounding {
  const leaves = leavesOf(values, tool, faulty)
  const characters = messages.reduce((sum, message) => sum + charactersIn(message), 0)
  if (characters > MOST_CHARACTERS || characters * leaves.length > MOST_WORK) throw new TooLarge()
  const evidence = evidenceOf(messages)
  const inventions: Leaf[] = []
  const levels: number[] = []
  for (const leaf of leaves) {
    const grade = gradeOf(leaf, tool, evidence)
    if (grade === undefined) continue
    levels.push(grade.level)
    if (!grade.accepted) inventions.push(leaf)
  }
  return { evidence, inventions, levels }
}

/** Results are compared with what their calls were made with. */
function charactersIn({ content, tool_calls = [] }: ReflectedMessage): number {
  return tool_calls.reduce((sum, call) => sum + call.function.arguments.length, content.length)
}
