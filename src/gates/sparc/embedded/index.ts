import type { Issue, Question, Reflection, Reflector } from '../reflector.ts'
import { groundingOf, type Grounding } from './grounding/grounding.ts'
import { inventionIssues, staticIssues } from './issues.ts'
import { UnusableSchema } from './schema/compile.ts'
import { Unbounded } from './schema/validate.ts'
import { scoreOf } from './score.ts'
import { checkStatically } from './static-check.ts'
import { TooLarge } from './too-large.ts'

export type EmbeddedTrack = 'syntax' | 'embedded'

/**
 * A reflector without a service or a model. `syntax` looks at the call and its tool only, as SPARC's track of this name
 * does; `embedded` looks for the call's identifiers in the conversation too.
 */
export function createEmbeddedReflector({ track }: { readonly track: EmbeddedTrack }): Reflector {
  return { track, reflect: (question) => Promise.resolve(reflect(question, track)) }
}

function reflect(question: Question, track: EmbeddedTrack): Reflection {
  const start = performance.now()
  try {
    const { issues, score } = judge(question, track)
    const decision = issues.length === 0 ? 'approve' : 'reject'
    return { kind: 'verdict', decision, issues, score, executionMs: performance.now() - start }
  } catch (error) {
    return { kind: 'unavailable', failure: failureOf(error) }
  }
}

const MOST_ARGUMENT_CHARACTERS = 1_000_000

function judge(question: Question, track: EmbeddedTrack): { issues: readonly Issue[]; score: number | undefined } {
  const { messages, call } = question
  if (call.argumentsText.length > MOST_ARGUMENT_CHARACTERS) throw new TooLarge()
  const checked = checkStatically(question)
  const found = staticIssues(checked, call)
  if (track === 'syntax' || checked.call === undefined)
    return { issues: found, score: found.length > 0 ? 0 : undefined }
  const { tool, values } = checked.call
  const grounding = groundingOr(found, () => groundingOf(values, tool, messages, checked.faulty))
  if (grounding === undefined) return { issues: found, score: 0 }
  const issues = [...found, ...inventionIssues(grounding, values, tool, call)]
  return { issues, score: found.length > 0 ? 0 : scoreOf(grounding.levels, issues.length > 0) }
}

/** A fault that was found stands, also where the rest is too large to look at. */
function groundingOr(found: readonly Issue[], ground: () => Grounding): Grounding | undefined {
  try {
    return ground()
  } catch (error) {
    if (found.length > 0 && error instanceof TooLarge) return undefined
    throw error
  }
}

/** What we could not look at has no verdict: the gate's policy for a missing one decides. */
function failureOf(error: unknown): string {
  if (error instanceof TooLarge) return 'too_large'
  if (error instanceof UnusableSchema) return 'unusable_schema'
  return error instanceof Unbounded || error instanceof RangeError ? 'too_complex' : 'internal_error'
}
