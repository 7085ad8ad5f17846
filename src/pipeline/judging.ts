import type { Action } from '../core/action.ts'
import type { Exchange } from '../core/exchange.ts'
import type { Gate, NonEmpty, Placed } from '../core/plugin.ts'
import type { Rejection, Ruling, Run } from '../core/ruling.ts'
import type { Phase, Recorder } from './recorder.ts'
import { isRuling } from './results.ts'

export type Verdict =
  /** Every enforcing gate that was not exempt allowed every action. `judged`: at least one really asked. */
  | { readonly kind: 'allowed'; readonly judged: boolean }
  /** `index`: which action. */
  | { readonly kind: 'refused'; readonly by: Placed<Gate>; readonly index: number; readonly no: Rejection }
  | { readonly kind: 'failed'; readonly by: Placed<Gate>; readonly index: number; readonly cause: unknown }

export interface Docket {
  /** Those that look at this point, in their order. */
  readonly gates: readonly Placed<Gate>[]
  readonly actions: NonEmpty<Action>
  /** The number of the first action in the record; the others follow. */
  readonly firstId: number
  readonly phase: Phase
  readonly x: Exchange
  /** Aborts at the verdict deadline, or when the client leaves. */
  readonly signal: AbortSignal
  readonly recorder: Recorder
  /** Where to leave what nobody waits for but the record. */
  readonly shadows: Promise<void>[]
}

/** A gate whose rulings change nothing. */
export function onlyWatches({ mode, plugin }: Placed<Gate>): boolean {
  return mode !== 'enforce' || plugin.watchesOnly === true
}

/** Asks the gates in their order, action by action, and stops at the first no. */
export async function judge(docket: Docket): Promise<Verdict> {
  let judged = false
  let ruled = 0
  let enforcing = 0
  for (const placed of docket.gates) {
    if (onlyWatches(placed)) {
      docket.shadows.push(watch(placed, docket))
      continue
    }
    enforcing += 1
    for (const [index, action] of docket.actions.entries()) {
      const ruling = await ask(placed, action, docket)
      note(placed, docket, index, ruling)
      if ('cause' in ruling) {
        if (!placed.plugin.failsOpen) return { kind: 'failed', by: placed, index, cause: ruling.cause }
      } else {
        if (!ruling.allow) return { kind: 'refused', by: placed, index, no: ruling.no }
        judged ||= ruling.run.action === 'allow'
      }
      ruled += 1
    }
  }
  // The one place where an action that nobody ruled on is caught; what throws is refused.
  const owed = enforcing * docket.actions.length
  if (ruled !== owed) throw new Error(`${owed} rulings are owed, ${ruled} were given`)
  return { kind: 'allowed', judged }
}

/** An observing gate: its ruling is recorded, and changes nothing. */
async function watch(placed: Placed<Gate>, docket: Docket): Promise<void> {
  for (const [index, action] of docket.actions.entries()) {
    const ruling = await ask(placed, action, docket)
    note(placed, docket, index, ruling)
    if ('cause' in ruling || !ruling.allow) return
  }
}

type Answered = Ruling | { readonly cause: unknown }

function note(placed: Placed<Gate>, docket: Docket, index: number, ruling: Answered): void {
  const run = 'cause' in ruling ? failure(docket.signal, placed.plugin.failsOpen) : ruling.run
  docket.recorder.add(placed.id, run, docket.phase, placed.mode, docket.firstId + index)
}

function failure(signal: AbortSignal, passed: boolean): Run {
  const reason = signal.aborted ? String(signal.reason) : 'plugin_failed'
  // Nobody is there for whom it could pass, or another word was the last.
  const nobody = reason === 'gone' || reason === 'given_up'
  return { action: 'failed', reason, ...(passed && !nobody ? { details: { passed } } : {}) }
}

/** A gate's ruling, or why there is none: it threw, answered nonsense, or did not answer before the signal. */
async function ask(placed: Placed<Gate>, action: Action, docket: Docket): Promise<Answered> {
  const { signal } = docket
  try {
    signal.throwIfAborted()
    const ruling = await orAborted(placed.plugin.judge(action, docket.x, signal), signal)
    if (isRuling(ruling)) return ruling
    return { cause: new TypeError('the gate returned no ruling') }
  } catch (cause) {
    return { cause }
  }
}

function orAborted(work: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      reject(new Error(`no ruling: ${String(signal.reason)}`))
    }
    signal.addEventListener('abort', leave, { once: true })
    Promise.resolve(work)
      .then(resolve, reject)
      .finally(() => {
        signal.removeEventListener('abort', leave)
      })
  })
}
