import { PLUMBLINE_CODES } from '../core/errors.ts'
import type { ExchangeRecord, Invocation } from '../core/record.ts'

/** What became of an exchange, the gravest first: the first that holds is the one. */
export const OUTCOMES = [
  /** We answered in the upstream's stead. */
  'refused',
  /** The answer went on without calls that it proposed, or with words in their place. */
  'calls_refused',
  /** Something that should have been checked was not, and passed. */
  'passed_unchecked',
  /** It ended with an error because `plumbline doctor` asked for that. */
  'canary',
  /** It ended before an answer came. */
  'gone',
  /** It passed; an observing plugin would have refused. */
  'would_refuse',
  /** At least one gate looked and allowed. */
  'allowed',
  /** No gate had anything to look at. */
  'not_judged',
] as const

export type Outcome = (typeof OUTCOMES)[number]

export interface Summary {
  readonly outcome: Outcome
  /** Plugins without whose verdict something passed, and those without whose verdict it was refused. */
  readonly failedOpen: readonly string[]
  readonly failedClosed: readonly string[]
}

const OURSELVES = 'plumbline'

/** Refusals of gates that had no verdict to give. */
const WITHOUT_VERDICT: ReadonlySet<string> = new Set([
  'judge_unavailable',
  'reflector_unavailable',
  'no_inference_context',
])

/** Our own refusals that are nobody's fault outside. */
const OWN_FAULTS: ReadonlySet<string> = new Set([
  'unreadable_answer',
  ...Object.entries(PLUMBLINE_CODES)
    .filter(([, { fault }]) => fault !== 'peer')
    .map(([code]) => code.slice(code.indexOf('.') + 1)),
])

/** Nobody was there any more for whom it could have passed. */
const NOBODY: ReadonlySet<string> = new Set(['gone', 'given_up', 'canary'])

export function sumUp({ phase, invocations }: ExchangeRecord): Summary {
  const failedOpen = new Set<string>()
  const failedClosed = new Set<string>()
  let callsRefused = false
  let wouldRefuse = false
  let allowed = false
  let canary = false
  let ourFault = false
  for (const each of invocations) {
    const { plugin, action, reason } = each
    if (passedUnchecked(each)) failedOpen.add(plugin)
    else if (each.shadow === true) wouldRefuse ||= refuses(each)
    else if (failed(each, phase)) failedClosed.add(plugin)
    else if (plugin === OURSELVES) ourFault ||= action === 'deny' && OWN_FAULTS.has(reason)
    if (each.shadow === true) continue
    callsRefused ||= each.phase === 'response' && refuses(each)
    wouldRefuse ||= reason === 'reject_observed'
    allowed ||= action === 'allow'
    canary ||= reason === 'canary'
  }
  // Where a plugin failed, our own refusal says the same once more.
  if (ourFault && failedClosed.size === 0) failedClosed.add(OURSELVES)
  const holds: Readonly<Record<Outcome, boolean>> = {
    refused: phase === 'denied',
    calls_refused: callsRefused,
    passed_unchecked: failedOpen.size > 0,
    canary,
    gone: phase === 'request',
    would_refuse: wouldRefuse,
    allowed,
    not_judged: true,
  }
  const outcome = OUTCOMES.find((each) => holds[each]) ?? 'not_judged'
  return { outcome, failedOpen: [...failedOpen], failedClosed: [...failedClosed] }
}

function refuses({ action }: Invocation): boolean {
  return action === 'deny' || action === 'modify'
}

function passedUnchecked({ action, reason, details }: Invocation): boolean {
  return (
    (action === 'failed' && details?.['passed'] === true) || (action === 'skip' && reason === 'no_inference_context')
  )
}

/** It could not do its work, and what it should have looked at did not pass. */
function failed({ action, reason, phase, actionId, details }: Invocation, end: ExchangeRecord['phase']): boolean {
  if (action === 'deny') return WITHOUT_VERDICT.has(reason)
  if (action !== 'failed' || NOBODY.has(reason)) return false
  // Who reads an answer in passing loses its words alone: such an entry is about no action and says no why.
  return phase === 'request' ? end === 'denied' : actionId !== undefined || details?.['why'] !== undefined
}
