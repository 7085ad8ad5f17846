import { editedBody, editedTrailers, NOT_BEGUN } from './editing.ts'
import type { EditStep, Editing } from './editing.ts'
import { NO_EDITS } from './edits.ts'
import type { CheckedEdits } from './edits.ts'
import { ANSWER_MODES } from './messages.ts'
import type { ModePair, Reply } from './messages.ts'
import { abort, answered, NO_ROOM, outOfTurn, still, unasked, WRONG_MODE } from './state.ts'
import type { HeadTurn, Input, Machine, Replace, RequestLane, Step } from './state.ts'

/* The answer's half of the machine: what Envoy asks of an answer, and what is decided of it. */

const PASSING = { at: 'passing' } as const
const PASSED = { at: 'done', how: 'passed' } as const
const JUDGED = { at: 'done', how: 'judged' } as const
const EMPTY = new Uint8Array(0)
const BODY_REPLY: Reply = { kind: 'body', half: 'response', replacement: undefined }
const TRAILERS_REPLY: Reply = { kind: 'trailers', half: 'response' }

export function answerHead(m: Machine, ask: HeadTurn, own = m.request.at !== 'released'): Step {
  if (m.answer.at !== 'idle') return outOfTurn(m, ask)
  const bodyless = ask.last
  const sized = ask.pairs.some(([name]) => name === 'content-length')
  const machine: Machine = { ...m, answer: { at: 'judging', bodyless, own, sized } }
  // The request went upstream although its body was asked for: unless Envoy is known to show bodies, it does not.
  if (m.request.at === 'awaiting-body' && !m.shows) return { machine, orders: [WRONG_MODE] }
  const form = own || bodyless ? 'fixed' : m.keeps ? 'rewritable' : 'unkept'
  return { machine, orders: [{ kind: 'judge-answer', pairs: ask.pairs, bodyless, form }] }
}

export function answerBody(m: Machine, bytes: Uint8Array, last: boolean): Step {
  switch (m.answer.at) {
    case 'passing':
      return read(last ? { ...m, answer: PASSED } : m, BODY_REPLY, bytes, last)
    case 'awaiting-body':
      // Whole, as a request's.
      return judgeAnswerBody(m, 'body', m.answer.sized, bytes)
    case 'editing':
      return inEditing(m, (lane) => editedBody(lane, bytes, last))
    case 'done':
      if (m.answer.how === 'edited') return still(m)
      if (m.answer.how === 'passed' || bytes.length === 0) return answered(m, BODY_REPLY)
      return abort(m, 'INVALID_ARGUMENT', 'an answer body after its decision')
    case 'idle':
    case 'judging':
    case 'judging-body':
      return abort(m, 'INVALID_ARGUMENT', 'an answer body out of turn')
  }
}

export function answerTrailers(m: Machine): Step {
  switch (m.answer.at) {
    case 'passing':
      return read({ ...m, answer: PASSED }, TRAILERS_REPLY, EMPTY, true)
    case 'awaiting-body':
      return judgeAnswerBody(m, 'trailers', m.answer.sized, EMPTY)
    case 'editing':
      return inEditing(m, editedTrailers)
    case 'done':
      return m.answer.how === 'edited' ? still(m) : answered(m, TRAILERS_REPLY)
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

export function inEditing(m: Machine, change: (lane: Editing) => EditStep): Step {
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

export function answerVerdict(m: Machine, verdict: Input & { readonly kind: 'answer-verdict' }): Step {
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

export function answerBodyVerdict(m: Machine, replace: Replace | undefined): Step {
  if (m.answer.at !== 'judging-body') return unasked(m)
  const { owes, sized } = m.answer
  const machine: Machine = { ...m, answer: JUDGED }
  if (owes === 'body') {
    const replacement = replace === undefined ? undefined : { ...replace, sized }
    return answered(machine, { kind: 'body', half: 'response', replacement })
  }
  // An answer to trailers edits trailers: there is no body to put another in place of.
  return replace === undefined ? answered(machine, TRAILERS_REPLY) : { machine: m, orders: [NO_ROOM] }
}
