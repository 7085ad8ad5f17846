import type { Gate, Mode, Parser, Placed } from '../core/plugin.ts'
import type { ExchangeRecord, Invocation } from '../core/record.ts'
import type { Run } from '../core/ruling.ts'

export type Phase = Invocation['phase']

/** Collects what plugins did in one exchange. */
export interface Recorder {
  /** `mode` says whether a no took effect; an observing plugin's is a shadow. */
  add(plugin: string, run: Run, phase: Phase, mode?: Mode, actionId?: number): void
  /** The framework's own word. */
  own(run: Run, shadow: boolean, phase?: Phase): void
  /** All entries; a plugin that has none gets one that says why. */
  finish(configured: readonly Placed[]): Pick<ExchangeRecord, 'invocations' | 'plugins'>
}

export function createRecorder(): Recorder {
  const entries: Invocation[] = []
  const verdicts = new Map<string, NonNullable<Run['verdict']>[]>()
  const push = (plugin: string, run: Run, phase: Phase, shadow: boolean, actionId?: number): void => {
    entries.push({
      plugin,
      action: run.action,
      phase,
      reason: run.reason,
      ...(actionId === undefined ? {} : { actionId }),
      ...(run.details === undefined ? {} : { details: run.details }),
      ...(run.cached === true ? { cached: true } : {}),
      ...(shadow ? { shadow: true } : {}),
    })
    if (run.verdict === undefined) return
    const whole = actionId === undefined ? run.verdict : { actionId, ...run.verdict }
    const earlier = verdicts.get(plugin)
    if (earlier === undefined) verdicts.set(plugin, [whole])
    else earlier.push(whole)
  }
  return {
    add: (plugin, run, phase, mode = 'enforce', actionId) => {
      push(plugin, run, phase, mode === 'observe' && run.action !== 'skip' && run.action !== 'allow', actionId)
    },
    own: (run, shadow, phase = 'request') => {
      push('plumbline', run, phase, shadow)
    },
    finish: (configured) => {
      const seen = new Set(entries.map((e) => e.plugin))
      const gates = new Set(configured.filter(({ plugin }) => plugin.kind === 'gate').map(({ id }) => id))
      const proposed = entries.some((e) => e.phase === 'response' && gates.has(e.plugin))
      for (const placed of configured) {
        const run: Run = { action: 'skip', reason: silence(placed, proposed) }
        if (!seen.has(placed.id)) push(placed.id, run, 'request', false)
      }
      return { invocations: entries, ...(verdicts.size === 0 ? {} : { plugins: Object.fromEntries(verdicts) }) }
    },
  }
}

/** Why a plugin has nothing to say of an exchange. `proposed`: gates were asked about calls in its answer. */
function silence({ mode, plugin }: Placed, proposed: boolean): string {
  if (mode === 'off') return 'off'
  return !proposed && waitsForCompletions(plugin) ? 'no_completion' : 'not_reached'
}

function waitsForCompletions(plugin: Parser | Gate): boolean {
  return plugin.kind === 'gate' && !plugin.points.includes('request')
}
