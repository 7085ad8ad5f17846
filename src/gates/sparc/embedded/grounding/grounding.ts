import type { ReflectedMessage } from '../../reflector.ts'
import { TooLarge } from '../too-large.ts'
import type { JsonObject } from '../schema/values.ts'
import type { Tool } from '../tool.ts'
import type { Finding } from './call/finding.ts'
import { formatFindings } from './call/format.ts'
import { orderFindings } from './call/order.ts'
import { relevanceFindings, relevanceOf } from './call/relevance.ts'
import { staleFindings } from './call/stale.ts'
import { swapFindings } from './call/swapped.ts'
import { gradeOf, type Grade } from './checks.ts'
import type { Evidence } from './evidence.ts'
import { leavesOf, type Leaf } from './leaves.ts'
import { onlyFromTools } from './provenance.ts'
import { flagSupport } from './values/flag.ts'

/** A value that stands nowhere, and follows from nothing. */
export interface Invention {
  readonly leaf: Leaf
  readonly grade: Grade
}

export interface Grounding {
  readonly evidence: Evidence
  readonly inventions: readonly Invention[]
  /** What is wrong with the values together, or with the call. */
  readonly findings: readonly Finding[]
  /** One for each value that could be judged. */
  readonly levels: readonly number[]
  /** How far the tool fits the request; undefined where words cannot tell. */
  readonly relevance: number | undefined
  /** Destinations that only a tool's result names. */
  readonly fromTools: readonly Leaf[]
}

/** Values times characters: each value may be looked for in the whole conversation. */
const MOST_WORK = 100_000_000
const MOST_CHARACTERS = 8_000_000

/** Looks for the values of a call in its conversation. Arguments that are faulty by themselves are left out. */
export function groundingOf(
  values: JsonObject,
  tool: Tool,
  messages: readonly ReflectedMessage[],
  evidenceOfThem: () => Evidence,
  faulty: ReadonlySet<string>,
): Grounding {
  const { plain, flags } = leavesOf(values, tool, faulty)
  const characters = messages.reduce((sum, message) => sum + charactersIn(message), 0)
  const work = characters * (plain.length + flags.length)
  if (characters > MOST_CHARACTERS || work > MOST_WORK) throw new TooLarge()
  const evidence = evidenceOfThem()
  const graded = plain.flatMap((leaf) => {
    const grade = gradeOf(leaf, tool, evidence, plain)
    return grade === undefined ? [] : [{ leaf, grade }]
  })
  const relevance = relevanceOf(tool, plain, evidence)
  return {
    evidence,
    inventions: graded.filter(({ grade }) => !grade.accepted),
    findings: [
      ...formatFindings(plain),
      ...orderFindings(plain),
      ...swapFindings(plain, evidence),
      ...staleFindings(plain, evidence),
      ...relevanceFindings(relevance, tool),
    ],
    levels: [...graded.map(({ grade }) => grade.level), ...flags.map((flag) => flagSupport(flag, evidence))],
    relevance,
    fromTools: onlyFromTools(plain, tool, evidence),
  }
}

/** Results are compared with what their calls were made with. */
function charactersIn({ content, tool_calls = [] }: ReflectedMessage): number {
  return tool_calls.reduce((sum, call) => sum + call.function.arguments.length, content.length)
}
