import type { Exchange } from '../core/exchange.ts'
import type { Gate, NonEmpty, Placed } from '../core/plugin.ts'
import type { Rejection, Ruling, Run } from '../core/ruling.ts'
import type { Found } from './readings.ts'
import type { Recorder } from './recorder.ts'
import { isRuling } from './results.ts'

export type Verdict =
  /** Every enforcing gate that was not exempt allowed every action. `judged`: at least one really asked. */
  | { readonly kind: 'allowed'; readonly judged: boolean }
  | { readonly kind: 'refused'; readonly by: Placed<Gate>; readonly found: Found; readonly no: Rejection }
  | { readonly kind: 'failed'; readonly by: Placed<Gate>; readonly found: Found; readonly cause: unknown }

export interface Docket {
  readonly gates: readonly Placed<Gate>[]
  /** What gates said from the head alone: not theirs. */
  readonly exempt: ReadonlyMap<Placed<Gate>, Run>
  readonly found: NonEmpty<Found>
  readonly x: Exchange
  /** Aborts at the verdict deadline, or when the client leaves. */
  readonly signal: AbortSignal
  readonly recorder: Recorder
  /** Where to leave what observing gates still think about: nobody waits for them but the record. */
  readonly shadows: Promise<void>[]
}

/** Asks the gates in their order, action by action, and stops at the first no. */
export async function judge(docket: Docket): Promise<Verdict> {
  let judged = false
  let ruled = 0
  let enforcing = 0
  for (const placed of docket.gates) {
    const exempt = docket.exempt.get(placed)
    if (exempt !== undefined) {
      docket.recorder.add(placed.id, exempt, 'request')
    } else if (placed.mode === 'observe') {
      docket.shadows.push(watch(placed, docket))
    } else {
      enforcing += 1
      for (const [id, found] of docket.found.entries()) {
        const ruling = await ask(placed, found, docket)
        if ('cause' in ruling) {
          docket.recorder.add(placed.id, failure(docket.signal), 'request', placed.mode, id)
          return { kind: 'failed', by: placed, found, cause: ruling.cause }
        }
        docket.recorder.add(placed.id, ruling.run, 'request', placed.mode, id)
        if (!ruling.allow) return { kind: 'refused', by: placed, found, no: ruling.no }
        judged ||= ruling.run.action === 'allow'
        ruled += 1
      }
    }
  }
  // The one place where an action that nobody ruled on is caught; what throws is refused.
  const owed = enforcing * docket.found.length
  if (ruled !== owed) throw new Error(`${owed} rulings are owed, ${ruled} were given`)
  return { kind: 'allowed', judged }
}

/** An observing gate: its ruling is recorded, and changes nothing. */
async function watch(placed: Placed<Gate>, docket: Docket): Promise<void> {
  for (const [id, found] of docket.found.entries()) {
    const ruling = await ask(placed, found, docket)
    const run = 'cause' in ruling ? failure(docket.signal) : ruling.run
    docket.recorder.add(placed.id, run, 'request', placed.mode, id)
    if ('cause' in ruling || !ruling.allow) return
  }
}

function failure(signal: AbortSignal): Run {
  return { action: 'failed', reason: signal.aborted ? String(signal.reason) : 'plugin_failed' }
}

/** A gate's ruling, or why there is none: it threw, answered nonsense, or did not answer before the signal. */
async function ask(placed: Placed<Gate>, found: Found, docket: Docket): Promise<Ruling | { readonly cause: unknown }> {
  const { signal } = docket
  try {
    signal.throwIfAborted()
    const ruling = await orAborted(placed.plugin.judge(found.action, docket.x, signal), signal)
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
