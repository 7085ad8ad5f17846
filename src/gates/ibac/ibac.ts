import type { Action } from '../../core/action.ts'
import type { Exchange } from '../../core/exchange.ts'
import type { Gate } from '../../core/plugin.ts'
import type { Ruling } from '../../core/ruling.ts'
import { startDeadline } from '../kit/deadline.ts'
import type { IbacConfig } from './config.ts'
import { describe, type Description } from './describe.ts'
import { whoAsked } from './intents.ts'
import type { Judge } from './judge.ts'
import { askPanel, type Outcome } from './panel.ts'
import { aligned, denied, skipped, type Skip } from './rulings.ts'
import { isProposed } from './proposed.ts'
import { skipFor } from './standing.ts'

/** What the gate is made of: each is a question with one answer. */
export interface IbacParts {
  readonly config: IbacConfig
  readonly judge: Judge
  /** From the head alone: a reason not to look at the exchange at all. */
  readonly exempts: (x: Exchange) => Skip | undefined
  /** Only looked at where completions are judged: else its host exempts it. */
  readonly goesToModel: (x: Exchange) => boolean
  readonly now: () => number
}

/** Holds each action against what the user asked for. */
export function createIbac(parts: IbacParts): Gate {
  const { judge } = parts
  return {
    kind: 'gate',
    ...listening(parts),
    timeoutMs: parts.config.timeout_ms,
    points: parts.config.judge_completions ? ['request', 'completion'] : ['request'],
    failsOpen: false,
    exempt: (x) => {
      const skip = parts.exempts(x)
      return skip === undefined ? undefined : skipped(skip).run
    },
    judge: (action, x, signal) => rule(parts, action, x, signal),
    close: () => judge.close?.(),
  }
}

function listening({ judge, config }: IbacParts): Pick<Gate, 'needsResults' | 'heard'> {
  if (judge.hears === undefined) return {}
  return {
    needsResults: { bytes: config.max_results_bytes },
    heard: (session) => judge.hears?.(session, session.intents(config.intent_turns)) ?? 'done',
  }
}

/** The steps in their order, cheapest first; each may end it. */
async function rule(parts: IbacParts, action: Action, x: Exchange, signal: AbortSignal): Promise<Ruling> {
  const { config } = parts
  const skip = isProposed(action) ? undefined : parts.goesToModel(x) ? 'host_bypass' : skipFor(action, config)
  if (skip !== undefined) return skipped(skip)

  const asked = whoAsked(x.session, config)
  if (asked.kind === 'unknown') {
    return asked.lenient && config.no_intent_policy === 'allow' ? skipped('no_user_context') : denied(asked.denial)
  }

  const began = parts.now()
  const deadline = startDeadline(config.timeout_ms, signal)
  try {
    const shown = describe(action, x, { maxActionBytes: config.max_action_bytes, secrets: [config.judge_bearer] })
    if (!shown.whole && config.oversize_action === 'deny') {
      return denied('oversize', { details: { action_bytes: shown.actionBytes } })
    }
    const { candidates, leftOut } = asked
    const outcome = await askPanel(parts.judge, { action, x, shown }, candidates, leftOut, deadline.signal)
    const details = {
      ...detailsOf(outcome, shown),
      candidates: candidates.length,
      ...(leftOut === 0 ? {} : { candidates_left_out: leftOut }),
      model: parts.judge.model,
      latency_ms: Math.round(parts.now() - began),
    }
    const noted = { details, ...(outcome.opinion?.verdict.cached === true ? { cached: true } : {}) }
    return outcome.allow ? aligned(noted) : denied(outcome.denial, noted)
  } finally {
    deadline.end()
  }
}

function detailsOf(outcome: Outcome, shown: Description): Readonly<Record<string, unknown>> {
  const { opinion } = outcome
  const size = { action_bytes: shown.actionBytes, ...(shown.whole ? {} : { action_cut: true }) }
  if (opinion === undefined) return size
  const { verdict, candidate } = opinion
  const said = verdict.kind === 'unavailable' ? { judge_failure: verdict.failure } : { llm_reason: verdict.reason }
  return { ...said, ...verdict.details, candidate: candidate.session.id, ...size }
}
