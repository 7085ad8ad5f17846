import type { Exchange } from '../../core/exchange.ts'
import type { Gate } from '../../core/plugin.ts'
import type { Ruling } from '../../core/ruling.ts'
import type { ExchangeTelemetry } from '../../core/telemetry.ts'
import { compileGlobs } from '../../http/globs.ts'
import { startDeadline } from '../kit/deadline.ts'
import { TIME_OUT } from '../kit/failure.ts'
import type { Asked, VerdictCache } from '../kit/verdict-cache.ts'
import { boundedVerdict, oneLine, type BoundedVerdict } from './bounds.ts'
import { clarify } from './clarify.ts'
import type { SparcConfig } from './config.ts'
import { contextOf, type Context, type ToolCall } from './context.ts'
import { keyOf, questionOf } from './question.ts'
import type { Reflection, Reflector } from './reflector.ts'
import { approved, denied, observed, reflected, skipped, unchecked, type Noted, type Skip } from './rulings.ts'

/** A reflection of a size that can be kept. */
export type Bounded = BoundedVerdict | Extract<Reflection, { readonly kind: 'unavailable' }>

/** What the gate is made of: each is a question with one answer. */
export interface SparcParts {
  readonly config: SparcConfig
  readonly reflector: Reflector
  readonly cache: VerdictCache<Bounded>
  /** From the head alone: a reason not to look at the exchange at all. */
  readonly exempts: (x: Exchange) => Skip | undefined
  readonly now: () => number
}

/** Holds each tool call against the conversation and the tools that it came from. */
export function createSparc(parts: SparcParts): Gate {
  const { config, exempts } = parts
  const skips = toolSkips(config)
  return {
    kind: 'gate',
    timeoutMs: config.timeout_ms,
    points: [config.enforcement === 'mcp' ? 'request' : 'completion'],
    failsOpen: config.fail_policy === 'open',
    watchesOnly:
      config.on_reject_action === 'observe' && config.deny_score_threshold === 0 && config.fail_policy === 'open',
    exempt: (x) => {
      const skip = exempts(x)
      return skip === undefined ? undefined : skipped(skip).run
    },
    judge: async (action, x, signal) => {
      if (action.kind !== 'tool-call') return skipped('not_a_tool_call')
      const skip = skips(action.tool)
      return skip === undefined ? rule(parts, action, x, signal) : skipped(skip)
    },
    close: () => parts.reflector.close?.(),
  }
}

function toolSkips({ skip_tools, reflect_tools }: SparcConfig): (tool: string) => Skip | undefined {
  const skipped = compileGlobs(skip_tools, 'tool')
  const reflected = reflect_tools.length === 0 ? () => true : compileGlobs(reflect_tools, 'tool')
  return (tool) => {
    if (skipped(tool)) return 'skip_tools'
    return reflected(tool) ? undefined : 'reflect_tools'
  }
}

async function rule(parts: SparcParts, call: ToolCall, x: Exchange, signal: AbortSignal): Promise<Ruling> {
  const { config } = parts
  const context = contextOf(call, x)
  if (context === undefined) {
    return config.fail_policy === 'open' ? skipped('no_inference_context') : denied('no_inference_context', {})
  }
  const began = parts.now()
  const answer = await reflect(parts, context, x.telemetry, signal)
  if (answer.kind === 'verdict') x.telemetry.recalls('reflector', answer.cached)
  const reflection: Bounded = answer.kind === 'left' ? { kind: 'unavailable', failure: TIME_OUT } : answer.verdict
  const details = {
    tool: oneLine(call.tool, TOOL_CHARACTERS),
    ...(reflection.kind === 'verdict' ? scoreIn(reflection) : { reflector_failure: reflection.failure }),
    latency_ms: Math.round(parts.now() - began),
    session: x.session.certainty,
    proposed: context.proposedIt,
  }
  const cached = answer.kind === 'verdict' && answer.cached
  return decide(parts, call, reflection, { details, ...(cached ? { cached } : {}) })
}

const TOOL_CHARACTERS = 200

async function reflect(
  parts: SparcParts,
  context: Context,
  telemetry: ExchangeTelemetry,
  signal: AbortSignal,
): Promise<Asked<Bounded>> {
  const key = keyOf(context)
  const kept = parts.cache.recall(key)
  // Nothing to wait for, so nothing to watch the time of.
  if (kept !== undefined) return { kind: 'verdict', verdict: kept, cached: true }
  const ask = async (flight: AbortSignal): Promise<Bounded> => {
    const reflection = await parts.reflector.reflect(questionOf(context), flight, telemetry)
    return reflection.kind === 'verdict' ? boundedVerdict(reflection) : reflection
  }
  // Covers waiting for a turn.
  const deadline = startDeadline(parts.config.timeout_ms, signal)
  try {
    return await parts.cache.ask(key, ask, deadline.signal)
  } finally {
    deadline.end()
  }
}

/** What the operator wants to become of a reflection. */
function decide({ config, reflector }: SparcParts, call: ToolCall, reflection: Bounded, noted: Noted): Ruling {
  const written = (outcome: string): Noted => ({
    ...noted,
    verdict: recorded(config, reflector, call, reflection, outcome),
  })
  if (reflection.kind === 'unavailable') {
    return config.fail_policy === 'open'
      ? unchecked(written('passed'))
      : denied('reflector_unavailable', written('refused'))
  }
  if (reflection.decision === 'approve') return approved(written('passed'))
  if (config.on_reject_action === 'deny' || escalates(config, reflection)) return denied('blocked', written('denied'))
  if (config.on_reject_action === 'observe') return observed(written('observed'))
  return reflected(clarify(call.tool, reflection), written('reflected'))
}

/** So badly grounded that asking back is not enough. */
function escalates({ deny_score_threshold }: SparcConfig, { score }: BoundedVerdict): boolean {
  return deny_score_threshold > 0 && score !== undefined && score <= deny_score_threshold
}

function scoreIn({ score }: BoundedVerdict): Readonly<Record<string, unknown>> {
  return score === undefined ? {} : { score }
}

/** The whole verdict, for the record. */
function recorded(
  config: SparcConfig,
  { track }: Reflector,
  call: ToolCall,
  reflection: Bounded,
  outcome: string,
): Readonly<Record<string, unknown>> {
  const about = { track, enforcement: config.enforcement, tool: oneLine(call.tool, TOOL_CHARACTERS), outcome }
  if (reflection.kind === 'unavailable') {
    return { decision: 'error', score: null, ...about, issues: [], failure: reflection.failure }
  }
  const { decision, score, issues, notes = [], issuesLeftOut, executionMs } = reflection
  return {
    decision,
    score: score ?? null,
    ...about,
    ...(outcome === 'denied' && config.on_reject_action !== 'deny' ? { escalated: true } : {}),
    issues,
    ...(notes.length === 0 ? {} : { notes }),
    ...(issuesLeftOut === 0 ? {} : { issues_left_out: issuesLeftOut }),
    execution_time_ms: Math.round(executionMs * 100) / 100,
  }
}
