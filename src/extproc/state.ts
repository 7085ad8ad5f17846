import type { HeaderPair } from '../core/exchange.ts'
import type { Ending, GiveUpCode, UnseenHead } from '../core/handler.ts'
import type { Editing } from './editing.ts'
import type { CheckedEdits } from './edits.ts'
import type { LocalAnswer } from './local-answer.ts'
import type { Ask, Reply } from './messages.ts'

/* What the machine is made of: its states, what goes in, what comes out. Its rules are in `machine.ts`. */

export type RequestLane =
  | { readonly at: 'idle' }
  | { readonly at: 'judging-head'; readonly bodyless: boolean }
  /** The head is answered, Envoy keeps it and collects the body. */
  | { readonly at: 'awaiting-body' }
  /** `trailers`: they came where the body should, so the body is empty and they carry the answer. */
  | { readonly at: 'judging-body'; readonly owes: 'body' | 'trailers' }
  /** `none`: a body may pass unseen, as the handler wanted. `buffered`: it was judged, or there is none. */
  | { readonly at: 'released'; readonly mode: 'none' | 'buffered' }

export type AnswerLane =
  | { readonly at: 'idle' }
  /** `own`: Envoy made this answer itself, before the request was released. `sized`: its head says its length. */
  | { readonly at: 'judging'; readonly bodyless: boolean; readonly own: boolean; readonly sized: boolean }
  | { readonly at: 'passing' }
  /** Envoy keeps the head and collects the body. */
  | { readonly at: 'awaiting-body'; readonly sized: boolean }
  /** As for a request. */
  | { readonly at: 'judging-body'; readonly owes: 'body' | 'trailers'; readonly sized: boolean }
  | Editing
  /** `passed`: what still comes goes on. `judged`: no more bytes may come. `edited`: nobody is owed anything. */
  | { readonly at: 'done'; readonly how: 'passed' | 'judged' | 'edited' }

/** An ask that wants an answer. */
export type Turn = Ask & { readonly kind: 'head' | 'body' | 'trailers' }
export type HeadTurn = Turn & { readonly kind: 'head' }

export interface Machine {
  readonly request: RequestLane
  readonly answer: AnswerLane
  /** An answer's head that came while the request was undecided: Envoy answered by itself. It waits its turn. */
  readonly held: HeadTurn | undefined
  /** Envoy said that it shows request bodies whole. Versions before 1.35 do not say. */
  readonly shows: boolean
  /** The same of answers: so an answer that must not pass cannot, whatever becomes of our overrides. */
  readonly keeps: boolean
  readonly ended: boolean
}

export type Input =
  | { readonly kind: 'ask'; readonly ask: Ask }
  | { readonly kind: 'head-verdict'; readonly edits: CheckedEdits; readonly body: 'whole' | 'none' }
  | { readonly kind: 'body-verdict'; readonly edits: CheckedEdits }
  | { readonly kind: 'answer-verdict'; readonly body: 'none' | 'stream' | 'whole' }
  | { readonly kind: 'answer-verdict'; readonly body: 'edit'; readonly edits: CheckedEdits }
  | { readonly kind: 'answer-body-verdict'; readonly replace: Replace | undefined }
  /** What the editor of an answer says: some bytes for the client, that it has finished, that the answer must break off. */
  | { readonly kind: 'edited'; readonly bytes: Uint8Array }
  | { readonly kind: 'finished' }
  | { readonly kind: 'broken' }
  | { readonly kind: 'refuse'; readonly answer: LocalAnswer }
  /** The process stops, and its patience is over. Streams that can be refused get `refuse` instead. */
  | { readonly kind: 'stop' }
  /** Envoy sends nothing more, and may still listen. */
  | { readonly kind: 'half-closed' }
  | { readonly kind: 'gone' }

export interface Replace {
  readonly edits: CheckedEdits
  readonly body: Uint8Array
}

export type ErrorCode =
  'ABORTED' | 'CANCELLED' | 'INVALID_ARGUMENT' | 'FAILED_PRECONDITION' | 'INTERNAL' | 'UNAVAILABLE'

export type Close =
  | { readonly kind: 'ok' }
  | { readonly kind: 'error'; readonly code: ErrorCode; readonly why: string }
  /** Nobody is there to be told. */
  | { readonly kind: 'silent' }

export type Order =
  | { readonly kind: 'judge-head'; readonly pairs: readonly HeaderPair[]; readonly bodyless: boolean }
  | { readonly kind: 'judge-body'; readonly bytes: Uint8Array }
  | JudgeAnswer
  | { readonly kind: 'judge-answer-body'; readonly bytes: Uint8Array }
  /** The answer is the editor's from now on. */
  | { readonly kind: 'open-editor' }
  /** A piece for the editor. */
  | { readonly kind: 'feed'; readonly bytes: Uint8Array; readonly last: boolean }
  /** A piece of an answer that is read in passing. */
  | { readonly kind: 'read'; readonly bytes: Uint8Array; readonly last: boolean }
  | { readonly kind: 'reply'; readonly reply: Reply }
  /** Ask the handler for its refusal, and come back with it. */
  | { readonly kind: 'give-up'; readonly code: GiveUpCode; readonly unseen?: UnseenHead }
  /** `canary`: the head of an exchange that asked for its end. */
  | { readonly kind: 'end'; readonly how: Ending; readonly close: Close; readonly canary?: UnseenHead }

interface JudgeAnswer {
  readonly kind: 'judge-answer'
  readonly pairs: readonly HeaderPair[]
  readonly bodyless: boolean
  /** `fixed`: nothing can be held or changed. `unkept`: it could, if Envoy were known to keep answers. */
  readonly form: 'rewritable' | 'fixed' | 'unkept'
}

export interface Step {
  readonly machine: Machine
  readonly orders: readonly Order[]
}

const IDLE = { at: 'idle' } as const
export const START: Machine = { request: IDLE, answer: IDLE, held: undefined, shows: false, keeps: false, ended: false }

/**
 * What the peer waits for: `owed` = our answer; `body` = the rest of a message, whose head is held; `editor` = the end
 * of an answer that we write; `nothing` = the answer is passing or has passed; `upstream` = something else.
 */
export function waitsFor(m: Machine): 'owed' | 'body' | 'editor' | 'nothing' | 'upstream' {
  if (m.request.at === 'judging-head' || m.request.at === 'judging-body') return 'owed'
  switch (m.answer.at) {
    case 'idle':
      return m.request.at === 'awaiting-body' ? 'body' : 'upstream'
    case 'judging':
    case 'judging-body':
      return 'owed'
    case 'awaiting-body':
      return 'body'
    case 'editing':
      return 'editor'
    case 'passing':
    case 'done':
      return 'nothing'
  }
}

// ---- ways to step ----

export function still(machine: Machine): Step {
  return { machine, orders: [] }
}

export function answered(machine: Machine, reply: Reply): Step {
  return { machine, orders: [{ kind: 'reply', reply }] }
}

export function outOfTurn(m: Machine, ask: Turn): Step {
  return abort(m, 'INVALID_ARGUMENT', `a ${ask.half} ${ask.kind} out of turn`)
}

export function unasked(m: Machine): Step {
  return abort(m, 'INTERNAL', 'a verdict that nothing waits for')
}

export function abort(m: Machine, code: ErrorCode, why: string): Step {
  return end(m, 'failed', { kind: 'error', code, why })
}

export function end(m: Machine, how: Ending, close: Close): Step {
  return { machine: { ...m, ended: true }, orders: [{ kind: 'end', how, close }] }
}

/** Envoy does not show what has to be checked. */
export const WRONG_MODE = { kind: 'give-up', code: 'plumbline.wrong_mode' } as const

/** Trailers stand where a body should be, so nothing can be done to its message. */
export const NO_ROOM = { kind: 'give-up', code: 'plumbline.unreadable' } as const
