import type { HeaderPair } from '../core/exchange.ts'
import type { Ending, GiveUpCode, UnseenHead } from '../core/handler.ts'
import { editedBody, editedTrailers, finished, NOT_BEGUN, written } from './editing.ts'
import type { EditStep, Editing } from './editing.ts'
import { hasEdits, NO_EDITS } from './edits.ts'
import type { CheckedEdits } from './edits.ts'
import type { LocalAnswer } from './local-answer.ts'
import { ANSWER_MODES, EXEMPT_MODES } from './messages.ts'
import type { Ask, ModePair, Reply, ShownModes } from './messages.ts'

/*
 * One HTTP exchange as Envoy shows it to us: (machine, input) → (machine, orders). No promise, no I/O, no clock.
 * Everything that decides what may be answered when is in this file; who asks the handler and who writes is not.
 *
 *   request lane
 *     idle ──head──▶ judging-head ──whole──▶ awaiting-body ──body, or trailers without one──▶ judging-body ──▶ released
 *                        └──none, or no body follows──────────────────────────────────────────────────────────▶ released
 *
 *   answer lane
 *     idle ──head──▶ judging ──stream──▶ passing ──last piece, or trailers──▶ done
 *                       ├──whole──▶ awaiting-body ──body, or trailers without one──▶ judging-body ──▶ done
 *                       ├──edit──▶ editing ──the editor has finished──▶ done
 *                       └──none, or no body follows──▶ done
 *
 *   both: a refusal in a judging state, or in awaiting-body ▶ local answer, ended
 *         an ask out of turn ▶ error status, ended          peer gone ▶ ended
 *
 * Owed is an answer in every judging state. Envoy takes a clean end for consent, so a clean end is ordered only
 * behind a local answer, or where nothing is owed and nothing is waited for: not while an answer is edited, since the
 * rest of it would pass as it comes.
 */

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
type Turn = Ask & { readonly kind: 'head' | 'body' | 'trailers' }
type HeadTurn = Turn & { readonly kind: 'head' }

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

interface Replace {
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
  | { readonly kind: 'end'; readonly how: Ending; readonly close: Close }

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
const AWAITING_BODY = { at: 'awaiting-body' } as const
const PASSING = { at: 'passing' } as const
const PASSED = { at: 'done', how: 'passed' } as const
const EMPTY = new Uint8Array(0)

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

export function step(m: Machine, input: Input): Step {
  if (m.ended) return still(m)
  switch (input.kind) {
    case 'ask':
      return asked(m, input.ask)
    case 'head-verdict':
      return headVerdict(m, input.edits, input.body)
    case 'body-verdict':
      return bodyVerdict(m, input.edits)
    case 'answer-verdict':
      return answerVerdict(m, input)
    case 'answer-body-verdict':
      return answerBodyVerdict(m, input.replace)
    case 'edited':
      return inEditing(m, (lane) => written(lane, input.bytes))
    case 'finished':
      return inEditing(m, finished)
    case 'broken':
      return m.answer.at === 'editing' ? abort(m, 'ABORTED', 'the answer was broken off') : still(m)
    case 'refuse':
      return refuse(m, input.answer)
    case 'stop':
      return stop(m)
    case 'half-closed':
      return halfClosed(m)
    case 'gone':
      return end(m, soFar(m), { kind: 'silent' })
  }
}

// ---- asks ----

function asked(m: Machine, ask: Ask): Step {
  if (ask.kind === 'nothing') return still(m)
  if (ask.kind === 'observing') return abort(m, 'FAILED_PRECONDITION', 'observability_mode cannot enforce anything')
  if (waitsFor(m) === 'owed') return hold(m, ask)
  if (ask.half === 'request') {
    if (ask.kind === 'head') return requestHead(m, ask)
    return ask.kind === 'body' ? requestBody(m, ask.bytes) : requestTrailers(m)
  }
  if (ask.kind === 'head') return answerHead(m, ask)
  return ask.kind === 'body' ? answerBody(m, ask.bytes, ask.last) : answerTrailers(m)
}

/** Answers go out in the order of the asks, so what comes in between waits. Only Envoy's own answer can. */
function hold(m: Machine, ask: Turn): Step {
  const ownAnswer = ask.kind === 'head' && ask.half === 'response' && m.answer.at === 'idle' && m.held === undefined
  return ownAnswer ? { machine: { ...m, held: ask }, orders: [] } : outOfTurn(m, ask)
}

function requestHead(m: Machine, ask: HeadTurn): Step {
  if (m.request.at !== 'idle' || m.answer.at !== 'idle') return outOfTurn(m, ask)
  const machine: Machine = {
    ...m,
    request: { at: 'judging-head', bodyless: ask.last },
    shows: ask.modes !== undefined,
    keeps: ask.modes?.response === 'buffered',
  }
  const head = { pairs: ask.pairs, bodyless: ask.last }
  if (ask.modes !== undefined && !workable(ask.modes)) return { machine, orders: [{ ...WRONG_MODE, unseen: head }] }
  return { machine, orders: [{ kind: 'judge-head', ...head }] }
}

const WRONG_MODE = { kind: 'give-up', code: 'plumbline.wrong_mode' } as const

/** Request bodies must come whole before they are released, and the answer's mode must be open to our override. */
function workable(modes: ShownModes): boolean {
  const overridable = modes.response !== 'full_duplex' && modes.response !== 'grpc' && modes.response !== 'unknown'
  return modes.request === 'buffered' && overridable && !modes.early
}

function requestBody(m: Machine, bytes: Uint8Array): Step {
  switch (m.request.at) {
    case 'awaiting-body':
      // Whole, whatever its end_of_stream says: that is false where trailers follow.
      return {
        machine: { ...m, request: { at: 'judging-body', owes: 'body' } },
        orders: [{ kind: 'judge-body', bytes }],
      }
    case 'released':
      // A second end of stream is harmless; more bytes than were judged are not.
      if (m.request.mode === 'none' || bytes.length === 0) return answered(m, BODY_REPLY)
      return abort(m, 'INVALID_ARGUMENT', 'a request body after its decision')
    case 'idle':
    case 'judging-head':
    case 'judging-body':
      return abort(m, 'INVALID_ARGUMENT', 'a request body out of turn')
  }
}

function requestTrailers(m: Machine): Step {
  switch (m.request.at) {
    case 'awaiting-body':
      return {
        machine: { ...m, request: { at: 'judging-body', owes: 'trailers' } },
        orders: [{ kind: 'judge-body', bytes: EMPTY }],
      }
    case 'released':
      return answered(m, { kind: 'trailers', half: 'request' })
    case 'idle':
    case 'judging-head':
    case 'judging-body':
      return abort(m, 'INVALID_ARGUMENT', 'request trailers out of turn')
  }
}

function answerHead(m: Machine, ask: HeadTurn, own = m.request.at !== 'released'): Step {
  if (m.answer.at !== 'idle') return outOfTurn(m, ask)
  const bodyless = ask.last
  const sized = ask.pairs.some(([name]) => name === 'content-length')
  const machine: Machine = { ...m, answer: { at: 'judging', bodyless, own, sized } }
  // The request went upstream although its body was asked for: unless Envoy is known to show bodies, it does not.
  if (m.request.at === 'awaiting-body' && !m.shows) return { machine, orders: [WRONG_MODE] }
  const form = own || bodyless ? 'fixed' : m.keeps ? 'rewritable' : 'unkept'
  return { machine, orders: [{ kind: 'judge-answer', pairs: ask.pairs, bodyless, form }] }
}

function answerBody(m: Machine, bytes: Uint8Array, last: boolean): Step {
  switch (m.answer.at) {
    case 'passing':
      return read(last ? { ...m, answer: PASSED } : m, ANSWER_BODY_REPLY, bytes, last)
    case 'awaiting-body':
      // Whole, as a request's.
      return judgeAnswerBody(m, 'body', m.answer.sized, bytes)
    case 'editing':
      return inEditing(m, (lane) => editedBody(lane, bytes, last))
    case 'done':
      if (m.answer.how === 'edited') return still(m)
      if (m.answer.how === 'passed' || bytes.length === 0) return answered(m, ANSWER_BODY_REPLY)
      return abort(m, 'INVALID_ARGUMENT', 'an answer body after its decision')
    case 'idle':
    case 'judging':
    case 'judging-body':
      return abort(m, 'INVALID_ARGUMENT', 'an answer body out of turn')
  }
}

function answerTrailers(m: Machine): Step {
  switch (m.answer.at) {
    case 'passing':
      return read({ ...m, answer: PASSED }, ANSWER_TRAILERS_REPLY, EMPTY, true)
    case 'awaiting-body':
      return judgeAnswerBody(m, 'trailers', m.answer.sized, EMPTY)
    case 'editing':
      return inEditing(m, editedTrailers)
    case 'done':
      return m.answer.how === 'edited' ? still(m) : answered(m, ANSWER_TRAILERS_REPLY)
    case 'idle':
    case 'judging':
    case 'judging-body':
      return abort(m, 'INVALID_ARGUMENT', 'answer trailers out of turn')
  }
}

function judgeAnswerBody(m: Machine, owes: 'body' | 'trailers', sized: boolean, bytes: Uint8Array): Step {
  return {
    machine: { ...m, answer: { at: 'judging-body', owes, sized } },
    orders: [{ kind: 'judge-answer-body', bytes }],
  }
}

function inEditing(m: Machine, change: (lane: Editing) => EditStep): Step {
  if (m.answer.at !== 'editing') return still(m)
  const { lane, orders } = change(m.answer)
  return { machine: { ...m, answer: lane }, orders }
}

/** Read first: what the bytes say of the conversation is known before the client can refer to it. */
function read(machine: Machine, reply: Reply, bytes: Uint8Array, last: boolean): Step {
  return {
    machine,
    orders: [
      { kind: 'read', bytes, last },
      { kind: 'reply', reply },
    ],
  }
}

// ---- verdicts ----

const BODY_REPLY: Reply = { kind: 'body', half: 'request', edits: NO_EDITS }
const ANSWER_BODY_REPLY: Reply = { kind: 'body', half: 'response', replacement: undefined }
const ANSWER_TRAILERS_REPLY: Reply = { kind: 'trailers', half: 'response' }
const JUDGED = { at: 'done', how: 'judged' } as const
const NO_ROOM: Order = { kind: 'give-up', code: 'plumbline.unreadable' }

function headVerdict(m: Machine, edits: CheckedEdits, body: 'whole' | 'none'): Step {
  if (m.request.at !== 'judging-head') return unasked(m)
  const { bodyless } = m.request
  const exempt = body === 'none' && !bodyless
  const request: RequestLane =
    bodyless || exempt ? { at: 'released', mode: exempt ? 'none' : 'buffered' } : AWAITING_BODY
  const reply: Reply = { kind: 'head', half: 'request', edits, modes: exempt ? EXEMPT_MODES : undefined }
  return thenHeld(answered({ ...m, request }, reply))
}

function bodyVerdict(m: Machine, edits: CheckedEdits): Step {
  if (m.request.at !== 'judging-body') return unasked(m)
  const machine: Machine = { ...m, request: { at: 'released', mode: 'buffered' } }
  if (m.request.owes === 'body') return thenHeld(answered(machine, { kind: 'body', half: 'request', edits }))
  // An answer to trailers edits trailers: what the head needs can no longer be done to it.
  if (hasEdits(edits)) return { machine: m, orders: [NO_ROOM] }
  return thenHeld(answered(machine, { kind: 'trailers', half: 'request' }))
}

function thenHeld(stepped: Step): Step {
  const { held } = stepped.machine
  if (held === undefined) return stepped
  const next = answerHead({ ...stepped.machine, held: undefined }, held, true)
  return { machine: next.machine, orders: [...stepped.orders, ...next.orders] }
}

function answerVerdict(m: Machine, verdict: Input & { readonly kind: 'answer-verdict' }): Step {
  if (m.answer.at !== 'judging') return unasked(m)
  const { bodyless, own, sized } = m.answer
  const fixed = own || bodyless || !m.keeps
  if (fixed && (verdict.body === 'whole' || verdict.body === 'edit')) return unasked(m)
  // What Envoy answered in the request's stead ends the request too.
  const request: RequestLane = m.request.at === 'released' ? m.request : { at: 'released', mode: 'buffered' }
  // An override replaces both modes, so it repeats the request's as it is in force.
  const modes = ANSWER_MODES[request.mode]
  const machine: Machine = { ...m, request }
  switch (verdict.body) {
    case 'whole':
      // As it is configured, and as every override of ours before this has left it.
      return answered({ ...machine, answer: { at: 'awaiting-body', sized } }, answerHeadReply(NO_EDITS, undefined))
    case 'edit': {
      const { machine: editing, orders } = answered(
        { ...machine, answer: NOT_BEGUN },
        answerHeadReply(verdict.edits, modes.edit),
      )
      return { machine: editing, orders: [...orders, { kind: 'open-editor' }] }
    }
    case 'none':
    case 'stream': {
      const show = own ? 'none' : verdict.body
      const answer = show === 'stream' && !bodyless ? PASSING : PASSED
      return answered({ ...machine, answer }, answerHeadReply(NO_EDITS, bodyless ? undefined : modes[show]))
    }
  }
}

function answerHeadReply(edits: CheckedEdits, modes: ModePair | undefined): Reply {
  return { kind: 'head', half: 'response', edits, modes }
}

function answerBodyVerdict(m: Machine, replace: Replace | undefined): Step {
  if (m.answer.at !== 'judging-body') return unasked(m)
  const { owes, sized } = m.answer
  const machine: Machine = { ...m, answer: JUDGED }
  if (owes === 'body') {
    const replacement = replace === undefined ? undefined : { ...replace, sized }
    return answered(machine, { kind: 'body', half: 'response', replacement })
  }
  // An answer to trailers edits trailers: there is no body to put another in place of.
  return replace === undefined ? answered(machine, ANSWER_TRAILERS_REPLY) : { machine: m, orders: [NO_ROOM] }
}

// ---- ends ----

function refuse(m: Machine, answer: LocalAnswer): Step {
  const waiting = waitsFor(m)
  if (waiting !== 'owed' && waiting !== 'body') return abort(m, 'INTERNAL', 'a refusal where none can be given')
  const orders: Order[] = [
    { kind: 'reply', reply: { kind: 'local', answer } },
    { kind: 'end', how: 'refused', close: { kind: 'ok' } },
  ]
  return { machine: { ...m, ended: true }, orders }
}

function stop(m: Machine): Step {
  if (waitsFor(m) === 'nothing') return end(m, soFar(m), { kind: 'ok' })
  return abort(m, 'UNAVAILABLE', 'shutting down')
}

function halfClosed(m: Machine): Step {
  const waiting = waitsFor(m)
  if (waiting === 'nothing') return end(m, soFar(m), { kind: 'ok' })
  return end(m, 'gone', { kind: 'error', code: 'CANCELLED', why: 'the peer closed the stream early' })
}

/** Complete once the answer's end was seen, or nobody wanted to see it. */
function soFar(m: Machine): Ending {
  return waitsFor(m) === 'nothing' && m.answer.at === 'done' ? 'complete' : 'gone'
}

function still(machine: Machine): Step {
  return { machine, orders: [] }
}

function answered(machine: Machine, reply: Reply): Step {
  return { machine, orders: [{ kind: 'reply', reply }] }
}

function outOfTurn(m: Machine, ask: Turn): Step {
  return abort(m, 'INVALID_ARGUMENT', `a ${ask.half} ${ask.kind} out of turn`)
}

function unasked(m: Machine): Step {
  return abort(m, 'INTERNAL', 'a verdict that nothing waits for')
}

function abort(m: Machine, code: ErrorCode, why: string): Step {
  return end(m, 'failed', { kind: 'error', code, why })
}

function end(m: Machine, how: Ending, close: Close): Step {
  return { machine: { ...m, ended: true }, orders: [{ kind: 'end', how, close }] }
}
