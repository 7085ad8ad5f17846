import type { Mode } from '../core/plugin.ts'
import type { Invocation } from '../core/record.ts'
import type { Run } from '../core/ruling.ts'

/** Collects what plugins did in one exchange. */
export interface Recorder {
  /** `mode` says whether a no took effect; an observing plugin's is a shadow. */
  add(plugin: string, run: Run, phase: 'request' | 'response', mode?: Mode, actionId?: number): void
  /** The framework's own word. */
  own(run: Run, shadow: boolean): void
  /** All entries; a plugin that has none gets one that says that it was not reached. */
  finish(configured: readonly { readonly id: string; readonly mode: Mode }[]): readonly Invocation[]
}

export function createRecorder(): Recorder {
  const entries: Invocation[] = []
  const push = (plugin: string, run: Run, phase: 'request' | 'response', shadow: boolean, actionId?: number): void => {
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
  }
  return {
    add: (plugin, run, phase, mode = 'enforce', actionId) => {
      push(plugin, run, phase, mode === 'observe' && run.action !== 'skip' && run.action !== 'allow', actionId)
    },
    own: (run, shadow) => {
      push('plumbline', run, 'request', shadow)
    },
    finish: (configured) => {
      const seen = new Set(entries.map((e) => e.plugin))
      for (const { id, mode } of configured) {
        if (seen.has(id)) continue
        push(id, { action: 'skip', reason: mode === 'off' ? 'off' : 'not_reached' }, 'request', false)
      }
      return entries
    },
  }
}
