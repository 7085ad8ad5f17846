import type { ByteBudget } from '../core/byte-budget.ts'
import { PLUMBLINE_CODES, type PlumblineCode } from '../core/errors.ts'
import type { Exchange } from '../core/exchange.ts'
import type { CompletionGuard, FoundCall, Gate, Guarded, Placed } from '../core/plugin.ts'
import type { Refusal, Rejection, Run as GateRun } from '../core/ruling.ts'
import type { Lesson } from '../core/session.ts'
import { about } from './about.ts'
import { createHoldClock, type HoldClock } from './hold-clock.ts'
import { judge, onlyWatches } from './judging.ts'
import type { Recorder } from './recorder.ts'
import { shortCode } from './short-code.ts'

/** What one guarded answer may hold. */
export interface HoldLimits {
  /** Bytes that wait for rulings. */
  readonly bytes: number
  /** How long bytes may wait: for the rest of a call, and for its ruling. */
  readonly ms: number
  /** Calls that one answer may propose. */
  readonly calls: number
}

export interface GuardedAnswerOptions {
  readonly guard: CompletionGuard
  /** The parser whose guard it is. */
  readonly parser: string
  /** Those that look at completions and are not exempt, in their order. Not empty. */
  readonly gates: readonly Placed<Gate>[]
  readonly x: Exchange
  /** The number of the first proposed call in the record. */
  readonly firstId: number
  /** For one call, by all gates together. */
  readonly verdictMs: number
  readonly limits: HoldLimits
  /** Shared by all answers that are read at once. */
  readonly budget: ByteBudget
  readonly recorder: Recorder
  readonly shadows: Promise<void>[]
  readonly warn: (facts: Readonly<Record<string, unknown>>, message: string) => void
  readonly refusalOf: (plugin: string, no: Rejection) => Refusal
  readonly onLessons: (lessons: readonly Lesson[]) => void
  /** Bytes for the client, in their order. */
  readonly emit: (bytes: Uint8Array) => void
  /** Nothing more will be emitted. Called once, unless the client leaves first. */
  readonly onDone: () => void
}

/** An answer whose proposed calls are judged before the client has them. Its guard says what; this says when. */
export interface GuardedAnswer {
  feed(bytes: Uint8Array): void
  end(how: 'complete' | 'cut'): void
  /** The exchange is over. `cut`: nobody is there any more, and what is being asked is given up. Idempotent. */
  leave(how: 'complete' | 'cut'): void
  /** It cannot go on as it should: by policy all that is held passes, or none of it ever does. */
  giveUp(code: PlumblineCode, why: string): void
}

/** Whether these gates, failing all together, let pass. */
export function allFailOpen(gates: readonly Placed<Gate>[]): boolean {
  return gates.every((gate) => onlyWatches(gate) || gate.plugin.failsOpen)
}

/** What becomes of an answer that is not looked into to its end: for each gate that should have, and in our own name. */
export function recordGivenUp(
  recorder: Recorder,
  gates: readonly Placed<Gate>[],
  code: PlumblineCode,
  why: string,
): void {
  const passed = allFailOpen(gates)
  const reason = shortCode(code)
  for (const { id, mode } of gates) {
    recorder.add(id, { action: 'failed', reason, details: { why, ...(passed ? { passed } : {}) } }, 'response', mode)
  }
  if (!passed) recorder.own({ action: 'deny', reason, details: { why } }, false, 'response')
}

export function createGuardedAnswer(options: GuardedAnswerOptions): GuardedAnswer {
  return new GuardedRun(options)
}

const NOTHING_PROPOSED: GateRun = { action: 'skip', reason: 'no_proposed_call' }
/** The answer broke off within a call, and no byte of it went out. */
const CUT_WITHIN: GateRun = { action: 'skip', reason: 'call_cut_off' }

class GuardedRun implements GuardedAnswer {
  private readonly options: GuardedAnswerOptions
  private readonly abort = new AbortController()
  /** `given-up` and `over`: rulings that still come change nothing. */
  private state: 'open' | 'given-up' | 'over' = 'open'
  private readonly clock: HoldClock
  /** Of the shared budget. */
  private taken = 0
  private proposed = 0
  private ended = false
  private told = false

  constructor(options: GuardedAnswerOptions) {
    this.options = options
    const { ms } = options.limits
    this.clock = createHoldClock(ms, () => {
      this.giveUp('plumbline.deadline', `bytes were held for ${ms} ms`)
    })
  }

  feed(bytes: Uint8Array): void {
    if (this.state === 'over' || this.ended) return
    this.clock.came(bytes.length)
    this.take(this.options.guard.feed(bytes))
  }

  end(how: 'complete' | 'cut'): void {
    if (this.state === 'over' || this.ended) return
    this.ended = true
    this.take(this.options.guard.end(how))
  }

  giveUp(code: PlumblineCode, why: string): void {
    if (this.state !== 'open') return
    this.state = 'given-up'
    this.abort.abort('given_up')
    const { gates, guard, recorder, warn, x } = this.options
    const passed = allFailOpen(gates)
    warn({ ...about(x), code, why }, passed ? 'an answer passed unchecked' : 'an answer was withheld')
    recordGivenUp(recorder, gates, code, why)
    this.release(guard.abandon(passed ? undefined : this.ownRefusal(code)))
    this.settle()
  }

  leave(how: 'complete' | 'cut'): void {
    if (this.state === 'over') return
    const { gates, guard, parser, recorder } = this.options
    const open = this.state === 'open'
    const within = how === 'cut' && guard.heldBytes > 0
    this.state = 'over'
    // What nobody waits for may still end in time for the record.
    if (how === 'cut') this.abort.abort('gone')
    if (!this.ended) this.options.onLessons(guard.end('cut').lessons)
    if (open && this.proposed === 0) {
      for (const { id } of gates) recorder.add(id, within ? CUT_WITHIN : NOTHING_PROPOSED, 'response')
    }
    recorder.add(parser, { action: 'observe', reason: 'read', details: guard.details }, 'response')
    this.settle()
  }

  /** Works off what the guard has for us: lessons before bytes, bytes before questions. */
  private take(guarded: Guarded): void {
    this.release(guarded)
    if (this.state === 'open') {
      for (const call of guarded.calls) this.ask(call)
      const wrong = this.wrongWith(guarded)
      if (wrong !== undefined) this.giveUp(...wrong)
    }
    this.settle()
  }

  private release({ lessons, out }: Guarded): void {
    if (lessons.length > 0) this.options.onLessons(lessons)
    for (const bytes of out) this.options.emit(bytes)
  }

  private wrongWith({ unreadable }: Guarded): [PlumblineCode, string] | undefined {
    const { guard, limits } = this.options
    if (unreadable !== undefined) return ['plumbline.unreadable_answer', unreadable]
    if (this.proposed > limits.calls) return ['plumbline.unreadable_answer', `more than ${limits.calls} calls`]
    if (guard.heldBytes > limits.bytes) return ['plumbline.unreadable_answer', `more than ${limits.bytes} bytes held`]
    return this.affords(guard.keptBytes) ? undefined : ['plumbline.overloaded', 'all answers together hold too much']
  }

  private ask(call: FoundCall): void {
    this.proposed += 1
    if (this.proposed > this.options.limits.calls) return
    const ruled = this.refusalFor(call).then((no) => {
      if (this.state === 'open') this.take(this.options.guard.rule(call.id, no))
    })
    // The record waits for it, also when the client does not.
    this.options.shadows.push(ruled)
  }

  /** Undefined: the gates let the call go. Never rejects. */
  private async refusalFor(call: FoundCall): Promise<Refusal | undefined> {
    const { gates, x, recorder, shadows, firstId, verdictMs, refusalOf, warn } = this.options
    const clock = startClock(verdictMs, this.abort.signal)
    const watched: Promise<void>[] = []
    const docket = { gates, actions: [call.action], firstId: firstId + call.id, phase: 'response', x } as const
    try {
      const verdict = await judge({ ...docket, recorder, signal: clock.signal, shadows: watched })
      if (verdict.kind === 'allowed') return undefined
      if (verdict.kind === 'refused') return refusalOf(verdict.by.id, verdict.no)
      throw verdict.cause
    } catch (cause) {
      if (this.state === 'open') warn({ ...about(x), call: call.id, err: cause }, 'a gate failed')
      const late = clock.signal.reason === 'deadline'
      return this.ownRefusal(late ? 'plumbline.deadline' : 'plumbline.plugin_failed')
    } finally {
      shadows.push(Promise.allSettled(watched).then(clock.stop))
    }
  }

  private ownRefusal(code: PlumblineCode): Refusal {
    const { status, message } = PLUMBLINE_CODES[code]
    return this.options.refusalOf('plumbline', { code, status, message })
  }

  /** Watches the clock while bytes wait, gives back what is free, and says when nothing more will come. */
  private settle(): void {
    const { guard, onDone } = this.options
    this.clock.wait(this.state === 'open' ? guard.heldBytes : 0)
    if (this.state !== 'open') this.affords(this.state === 'over' ? 0 : guard.keptBytes)
    if (!guard.done || this.told || this.state === 'over') return
    this.told = true
    onDone()
  }

  /** Takes of the shared budget what is in memory now. */
  private affords(bytes: number): boolean {
    const { budget } = this.options
    const more = bytes - this.taken
    if (more > 0 && !budget.take(more)) return false
    if (more < 0) budget.give(-more)
    this.taken = bytes
    return true
  }
}

/** A signal that ends at the deadline, or with another signal. */
function startClock(ms: number, outer: AbortSignal): { readonly signal: AbortSignal; readonly stop: () => void } {
  const inner = new AbortController()
  const timer = setTimeout(() => {
    inner.abort('deadline')
  }, ms)
  const leave = (): void => {
    inner.abort(outer.reason)
  }
  if (outer.aborted) leave()
  else outer.addEventListener('abort', leave, { once: true })
  const stop = (): void => {
    clearTimeout(timer)
    outer.removeEventListener('abort', leave)
  }
  return { signal: inner.signal, stop }
}
