import type { Action } from '../../core/action.ts'
import type { Direction } from '../../core/exchange.ts'
import type { Reading } from '../../core/plugin.ts'
import type { Answer, Refusal } from '../../core/ruling.ts'
import type { Lesson, SessionHint } from '../../core/session.ts'
import type { Send } from './send.ts'

export type Refuse = (no: Refusal) => Answer

/** What all readings of this parser have in common. */
export interface Frame {
  readonly method: string | undefined
  readonly sure: boolean
  readonly refuse: Refuse
}

/** A record names what was read; it is no place for a payload that calls itself a method. */
const SHOWN_CHARACTERS = 128

export function actionReading(
  frame: Frame,
  action: Action,
  hint: SessionHint,
  lessons: readonly Lesson[] = [],
  details: Readonly<Record<string, unknown>> = {},
): Reading {
  return {
    kind: 'read',
    actions: [action],
    method: frame.method,
    sure: frame.sure,
    hint: Object.keys(hint).length > 0 ? hint : undefined,
    lessons,
    details: { ...(frame.method === undefined ? {} : { method: frame.method.slice(0, SHOWN_CHARACTERS) }), ...details },
    refuse: frame.refuse,
  }
}

/** A message to an agent. Only where somebody speaks to ours, it is the user who speaks. */
export function sendReading(frame: Frame, action: Action, send: Send, direction: Direction): Reading {
  const speaks = direction === 'inbound' && send.role === 'user'
  const lessons: readonly Lesson[] = speaks ? [{ kind: 'user-message', text: send.text, ...send.names }] : []
  return actionReading(frame, action, direction === 'inbound' ? send.names : {}, lessons, {
    role: send.role,
    parts: send.parts,
    ...(send.webhook === undefined ? {} : { webhook: send.webhook }),
  })
}
