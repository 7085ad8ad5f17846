import type { Reflection, Reflector } from '../../gates/sparc/reflector.ts'
import { NO_WATCH } from '../../core/telemetry.ts'
import type { Column } from './columns.ts'
import type { Trial } from './trial.ts'

export interface Outcome {
  /** `failed`: no verdict could be had. */
  readonly decision: 'approve' | 'reject' | 'failed'
  readonly issues: readonly string[]
  readonly ms: number
}

export interface Tried {
  readonly trial: Trial
  readonly outcomes: Readonly<Partial<Record<Column, Outcome>>>
}

/** Nothing here is given up on: the embedded reflector answers at once. */
const NEVER = new AbortController().signal

export async function tryAll(
  trials: readonly Trial[],
  reflectors: ReadonlyMap<Column, Reflector>,
  progress: (done: number) => void,
): Promise<readonly Tried[]> {
  const tried: Tried[] = []
  for (const trial of trials) {
    const outcomes: Partial<Record<Column, Outcome>> = {}
    for (const [column, reflector] of reflectors) outcomes[column] = await outcomeOf(trial, reflector)
    tried.push({ trial, outcomes })
    progress(tried.length)
  }
  return tried
}

async function outcomeOf(trial: Trial, reflector: Reflector): Promise<Outcome> {
  const start = performance.now()
  const said = await reflector.reflect(
    {
      messages: trial.messages,
      tools: trial.tools.map((spec) => ({ type: 'function', function: spec })),
      call: { id: undefined, tool: trial.tool, argumentsText: JSON.stringify(trial.args) },
      sessionId: undefined,
    },
    NEVER,
    NO_WATCH,
  )
  return { ...decisionOf(said), ms: performance.now() - start }
}

function decisionOf(said: Reflection): Omit<Outcome, 'ms'> {
  if (said.kind === 'unavailable') return { decision: 'failed', issues: [said.failure] }
  return { decision: said.decision, issues: said.issues.map(({ metric_name }) => metric_name) }
}
