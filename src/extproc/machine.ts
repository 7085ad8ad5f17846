import type { Ending, UnseenHead } from '../core/handler.ts'
import { answerBody, answerBodyVerdict, answerHead, answerTrailers, answerVerdict, inEditing } from './answer-lane.ts'
import { asksToClose } from './canary.ts'
import { finished, written } from './editing.ts'
import { hasEdits, NO_EDITS } from './edits.ts'
import type { CheckedEdits } from './edits.ts'
import type { LocalAnswer } from './local-answer.ts'
import { EXEMPT_MODES, WHOLE_MODES } from './messages.ts'
import type { Ask, Reply, ShownModes } from './messages.ts'
import { abort, answered, end, NO_ROOM, outOfTurn, still, unasked, waitsFor, WRONG_MODE } from './state.ts'
import type { HeadTurn, Input, Machine, Order, RequestLane, Step, Turn } from './state.ts'

/*
 * One HTTP exchange as Envoy shows it to us: (machine, input) → (machine, orders). No promise, no I/O, no clock.
 * What may be answered when is decided here, in `answer-lane.ts` and in `editing.ts`; who asks the handler and who writes
 * is not.
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
 *         a request's head that is a canary ▶ error status, ended
 *         an ask out of turn ▶ error status, ended          peer gone ▶ ended
 *
 * Owed is an answer in every judging state. Envoy takes a clean end for consent, so a clean end is ordered only
 * behind a local answer, or where nothing is owed and nothing is waited for: not while an answer is edited, since the
 * rest of it would pass as it comes.
 */

const AWAITING_BODY = { at: 'awaiting-body' } as const
const EMPTY = new Uint8Array(0)

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
  if (asksToClose(ask.pairs)) return canary(m, head)
  if (ask.modes !== undefined && !workable(ask.modes)) return { machine, orders: [{ ...WRONG_MODE, unseen: head }] }
  return { machine, orders: [{ kind: 'judge-head', ...head }] }
}

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

// ---- verdicts ----

const BODY_REPLY: Reply = { kind: 'body', half: 'request', edits: NO_EDITS }

function headVerdict(m: Machine, edits: CheckedEdits, body: 'whole' | 'none'): Step {
  if (m.request.at !== 'judging-head') return unasked(m)
  const { bodyless } = m.request
  const exempt = body === 'none' && !bodyless
  const request: RequestLane =
    bodyless || exempt ? { at: 'released', mode: exempt ? 'none' : 'buffered' } : AWAITING_BODY
  // Only where it leaves the answer's mode as it is.
  const waits = request === AWAITING_BODY && m.keeps
  const modes = exempt ? EXEMPT_MODES : waits ? WHOLE_MODES : undefined
  const reply: Reply = { kind: 'head', half: 'request', edits, modes }
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

// ---- ends ----

/** Whatever else would be answered: what the gateway does without an answer is what somebody wants to see. */
function canary(m: Machine, head: UnseenHead): Step {
  const close = { kind: 'error', code: 'UNAVAILABLE', why: 'a canary asked for it' } as const
  return { machine: { ...m, ended: true }, orders: [{ kind: 'end', how: 'failed', close, canary: head }] }
}

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
