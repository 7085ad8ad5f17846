import type { Issue, Note, Question, Reflection, Reflector } from '../reflector.ts'
import { groundingOf, type Grounding } from './grounding/grounding.ts'
import { Stocks } from './grounding/heard/stocks.ts'
import { groundingIssues, provenanceNotes, staticIssues } from './issues.ts'
import { rejects, type EmbeddedPolicy } from './policy.ts'
import { UnusableSchema } from './schema/compile.ts'
import { Unbounded } from './schema/validate.ts'
import { scoreOf } from './score.ts'
import { checkStatically } from './static-check.ts'
import { TooLarge } from './too-large.ts'

export type EmbeddedTrack = 'syntax' | 'embedded'

export interface EmbeddedOptions {
  readonly track: EmbeddedTrack
  /** How much it takes to reject a call; `default` if nothing is said. */
  readonly policy?: EmbeddedPolicy
}

/** Of all embedded reflectors of the process, so that its memory has one bound. */
const SHARED = new Stocks({ mostConversations: 200, mostCharacters: 4_000_000, mostUnused: 1_000_000 })

/**
 * A reflector without a service or a model. `syntax` looks at the call and its tool only, as SPARC's track of this name
 * does; `embedded` looks for what the call is made of in the conversation too.
 */
export function createEmbeddedReflector(options: EmbeddedOptions, stocks: Stocks = SHARED): Reflector {
  return { track: options.track, reflect: (question) => Promise.resolve(reflect(question, options, stocks)) }
}

function reflect(question: Question, options: EmbeddedOptions, stocks: Stocks): Reflection {
  const start = performance.now()
  try {
    const { issues, score, notes } = judge(question, options, stocks)
    const decision = issues.length === 0 ? 'approve' : 'reject'
    return { kind: 'verdict', decision, issues, notes, score, executionMs: performance.now() - start }
  } catch (error) {
    return { kind: 'unavailable', failure: failureOf(error) }
  }
}

const MOST_ARGUMENT_CHARACTERS = 1_000_000

interface Judged {
  readonly issues: readonly Issue[]
  readonly score: number | undefined
  readonly notes: readonly Note[]
}

function judge(question: Question, { track, policy = 'default' }: EmbeddedOptions, stocks: Stocks): Judged {
  const { messages, call, sessionId } = question
  if (call.argumentsText.length > MOST_ARGUMENT_CHARACTERS) throw new TooLarge()
  const checked = checkStatically(question)
  const found = staticIssues(checked, call)
  if (track === 'syntax' || checked.call === undefined)
    return { issues: found, score: found.length > 0 ? 0 : undefined, notes: [] }
  const { tool, values } = checked.call
  const grounding = groundingOr(found, () =>
    groundingOf(values, tool, messages, () => stocks.evidenceOf(messages, sessionId), checked.faulty),
  )
  if (grounding === undefined) return { issues: found, score: 0, notes: [] }
  const rejected = rejects(policy, grounding.inventions, grounding.findings, tool)
  const told = groundingIssues(grounding, values, tool, call)
  const notes = [...provenanceNotes(grounding), ...(rejected ? [] : told.map(noteOf))]
  if (found.length > 0) return { issues: [...found, ...(rejected ? told : [])], score: 0, notes }
  return { issues: rejected ? told : [], score: scoreOf(grounding, rejected), notes }
}

/** What only lowered the score. */
function noteOf({ finding, metric_name, explanation }: Issue): Note {
  return { finding: finding ?? metric_name, explanation }
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
