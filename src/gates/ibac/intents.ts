import type { Resolution, SessionView } from '../../core/session.ts'
import type { IbacConfig } from './config.ts'
import type { Denial } from './rulings.ts'

/** A session that the action may belong to, with what its user asked: newest first, never empty. */
export interface Candidate {
  readonly session: SessionView
  readonly intents: readonly string[]
}

export type Asked =
  | { readonly kind: 'known'; readonly candidates: readonly Candidate[]; readonly leftOut: number }
  /** Nobody is known to have asked for anything; `lenient`: `no_intent_policy` may let it pass. */
  | { readonly kind: 'unknown'; readonly denial: Denial; readonly lenient: boolean }

/** Against whose words the action is to be held. */
export function whoAsked(resolution: Resolution, config: IbacConfig): Asked {
  // There was a session, and what its user asked is gone: that is no agent acting on its own.
  if (resolution.certainty === 'lost') return { kind: 'unknown', denial: 'no_session', lenient: false }
  if (resolution.candidates.length === 0) return { kind: 'unknown', denial: 'no_session', lenient: true }
  if (resolution.certainty === 'ambiguous' && config.ambiguous_session_policy === 'deny') {
    return { kind: 'unknown', denial: 'ambiguous_session', lenient: false }
  }
  const distinct = distinctIntents(resolution.candidates, config.intent_turns)
  if (distinct.length === 0) return { kind: 'unknown', denial: 'no_intent', lenient: true }
  const candidates = distinct.slice(0, config.max_candidates)
  return { kind: 'known', candidates, leftOut: distinct.length - candidates.length }
}

/**
 * Most likely first; equal intents once. A session whose user said nothing is no candidate beside one whose user did:
 * else any idle session would open the gate for all.
 */
function distinctIntents(sessions: readonly SessionView[], turns: number): readonly Candidate[] {
  const byIntents = new Map<string, Candidate>()
  for (const session of sessions) {
    const intents = session.intents(turns)
    const key = JSON.stringify(intents)
    if (intents.length > 0 && !byIntents.has(key)) byIntents.set(key, { session, intents })
  }
  return [...byIntents.values()]
}
