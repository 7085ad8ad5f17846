import { PLUMBLINE_CODES } from '../core/errors.ts'

/** Reasons of records (`docs/record.md`) beside those that are codes of our own. */
const REASONS = [
  // What became of a message, and why a plugin did nothing.
  'read',
  'not_mine',
  'other_protocol',
  'unreadable',
  'body_not_read',
  'not_reached',
  'off',
  'no_completion',
  'no_proposed_call',
  'call_cut_off',
  'given_up',
  'gone',
  'canary',
  // Gates, from the head.
  'own_call',
  'path_bypass',
  'host_bypass',
  'preflight',
  // Gates, of an action.
  'aligned',
  'approved',
  'blocked',
  'oversize',
  'judge_uncertain',
  'judge_unavailable',
  'no_intent',
  'no_session',
  'ambiguous_session',
  'protocol_mechanics',
  'unclassified',
  'inference_bypass',
  'no_user_context',
  'reflected',
  'reject_observed',
  'reflector_unavailable',
  'no_inference_context',
  'not_a_tool_call',
  'skip_tools',
  'reflect_tools',
] as const

/** All that are documented. A label with any other text could grow without end, so it becomes `other`. */
const KNOWN: ReadonlySet<string> = new Set([
  ...REASONS,
  ...Object.keys(PLUMBLINE_CODES).map((code) => code.slice(code.indexOf('.') + 1)),
])

export function knownReason(reason: string): string {
  return KNOWN.has(reason) ? reason : 'other'
}
