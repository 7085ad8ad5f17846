import type { Conversation, SessionView } from '../../../core/session.ts'
import type { Case, Judge } from '../judge.ts'
import { isProposed } from '../proposed.ts'
import type { Verdict } from '../verdict.ts'
import { attentionTo } from './attention.ts'
import { callOf, type Call } from './call.ts'
import { effectOf, nameWords, TIERS, type Effect } from './effects.ts'
import { MOST_VALUES, textsIn } from './find.ts'
import { fitOf } from './fit.ts'
import { createIntake, type Intake, type Known } from './intake.ts'
import { remembering } from './memo.ts'
import { inWords, reported } from './report.ts'
import { score, type Scored } from './score.ts'
import { conversationOf, givenBy, toolsIn } from './spec.ts'
import { stemsOf } from './stem.ts'
import { userFacts } from './user.ts'

export interface EmbeddedOptions {
  /** At this score and above an action is denied. */
  readonly denyAt: number
  readonly trusts: (host: string) => boolean
  /** What the operator says that a tool does. */
  readonly effectNamed: (tool: string) => Effect | undefined
  /** What users say when they hand over to what a text says. */
  readonly delegationPhrases: readonly string[]
  /** Of the results of one session, how much is held. */
  readonly maxResultsBytes: number
}

/** What was made of an action, or why nothing could be. */
export type Weighed =
  | {
      readonly kind: 'scored'
      readonly score: number
      /** It only looks: that is never denied. */
      readonly onlyReads: boolean
      readonly reason: string
      readonly details: Readonly<Record<string, unknown>>
    }
  | { readonly kind: 'unreadable'; readonly reason: string }

export interface EmbeddedJudge extends Judge {
  score(question: Case): Weighed
  hears(session: SessionView, intents: readonly string[]): 'done' | 'more'
}

/**
 * A judge without a model: it weighs where the values of an action come from, whether the user asked for such an effect,
 * and how much of it stands in text that tells somebody to act. A heuristic, and no boundary.
 */
export function createEmbeddedJudge(options: EmbeddedOptions): EmbeddedJudge {
  const intake = createIntake(options.maxResultsBytes)
  const phrases = options.delegationPhrases.map((phrase) => phrase.toLowerCase())
  const facts = remembering((text) => userFacts(text, phrases))
  const system = remembering((text) => ({ text: text.toLowerCase(), stems: new Set(stemsOf(text)) }))

  const weighed = (question: Case): Weighed => {
    const { action, x, session, intents } = question
    const call = callOf(action, x)
    if (call === undefined) return unreadable('The content of the action cannot be read.')
    if (call.goesOut && !x.routesByHost) return unreadable('It is not known which host the action goes to.')
    if (isTooMuch(call)) return unreadable('The action holds more than is weighed.')
    const conversation = conversationOf(action, x, session)
    const tools = toolsIn(conversation)
    const given = givenBy(conversation, tools, call.tool)
    const known = knownOf(question, conversation, intake)
    const effect = options.effectNamed(call.tool) ?? effectBySight(question, call, given.description)
    const user = facts(intents.join('\n'))
    const fit = fitOf(call.tool, tools, user)
    const scored = score(
      { tool: call.tool, effect, spec: given.spec, args: call.args, fit },
      {
        user,
        system: system(given.system),
        // Trust in a host is worth nothing where the Host header is only a word.
        trusts: (host) => x.routesByHost && options.trusts(host),
        ...known,
      },
    )
    return weighedAs(scored, effect, known, options.denyAt)
  }

  return {
    model: 'embedded',
    score: weighed,
    hears: (session, intents) => {
      const known = intake.pieceOfSession(session)
      if (known === undefined) return 'more'
      // What the user's words point at is looked up ahead, too.
      attentionTo(known.evidence, facts(intents.join('\n')))
      return 'done'
    },
    weigh: (question) => Promise.resolve(verdictOn(weighed(question), options.denyAt)),
  }
}

/** Longer is nothing that a tool is asked for, and nothing else runs while it is weighed. */
const MOST_CHARACTERS = 131_072

function isTooMuch({ args }: Call): boolean {
  const texts = textsIn(args)
  return texts.length > MOST_VALUES || texts.reduce((sum, { length }) => sum + length, 0) > MOST_CHARACTERS
}

function knownOf({ action, x, session }: Case, conversation: Conversation | undefined, intake: Intake): Known {
  if (!isProposed(action) || conversation === undefined) return intake.ofSession(session)
  // What this model was shown would pass for what another session's tools said.
  if (x.session.candidates.length > 1) return intake.ofConversation(conversation)
  return intake.withConversation(session, conversation)
}

/** What a parser or the way of an action says can only make it worse than its name. */
const DEED_PARAMETER = /^(?:op|operation|action|act|command|method|verb|do|mode|verdict)$/i

/** What a tool for several things is asked to do. */
function deedsIn(args: unknown): readonly string[] {
  if (typeof args !== 'object' || args === null) return []
  return Object.entries(args).flatMap(([name, value]) =>
    DEED_PARAMETER.test(name) && typeof value === 'string' && /^[a-z_ -]{1,30}$/i.test(value) ? nameWords(value) : [],
  )
}

function effectBySight({ action }: Case, { tool, goesOut, given }: Call, description: string): Effect {
  const named =
    action.kind === 'inference' ? (goesOut ? 'send' : 'read') : effectOf(nameWords(tool), description, deedsIn(given))
  if (TIERS[named] > 0) return named
  if (action.effect === 'write') return 'write'
  return goesOut ? 'net' : named
}

function weighedAs(scored: Scored, effect: Effect, { evidence, incomplete }: Known, denyAt: number): Weighed {
  return {
    kind: 'scored',
    score: scored.score,
    onlyReads: TIERS[effect] === 0,
    reason: inWords(scored, effect, denyAt),
    details: { ...reported(scored, effect, evidence), ...(incomplete ? { results_incomplete: true } : {}) },
  }
}

function unreadable(reason: string): Weighed {
  return { kind: 'unreadable', reason }
}

function verdictOn(weighed: Weighed, denyAt: number): Verdict {
  if (weighed.kind === 'unreadable') return { kind: 'uncertain', reason: weighed.reason }
  const { score, onlyReads, reason, details } = weighed
  return { kind: score >= denyAt && !onlyReads ? 'deny' : 'allow', reason, details }
}
