import { expect } from 'vitest'
import type { InboundEntry, InboundQuery, Lesson, OutboundQuery, Sessions } from '../../../src/core/session.ts'
import { createSessions, type SessionOptions } from '../../../src/session/memory.ts'

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS

export const OPTIONS: SessionOptions = {
  enabled: true,
  ttlMs: 30 * MINUTE_MS,
  maxEvents: 500,
  maxSessions: 10_000,
  lingerMs: MINUTE_MS,
  maxTombstones: 100_000,
  tombstoneTtlMs: 24 * HOUR_MS,
}

/** A store whose time the test moves. */
export function fixture(changes: Partial<SessionOptions> = {}) {
  let nowMs = 1_000_000
  const sessions = createSessions({ ...OPTIONS, ...changes }, { nowMs: () => nowMs })
  return {
    sessions,
    pass: (ms: number): void => {
      nowMs += ms
    },
  }
}

export const user = (text: string, hint: { contextId?: string; taskId?: string } = {}): Lesson => ({
  kind: 'user-message',
  text,
  ...hint,
})

export const agent = (text: string, asks: boolean, hint: { contextId?: string; taskId?: string } = {}): Lesson => ({
  kind: 'agent-message',
  text,
  asks,
  ...hint,
})

export const alias = (hint: { contextId?: string; taskId?: string }): Lesson => ({ kind: 'alias', ...hint })

export function inbound(changes: Partial<InboundQuery> = {}): InboundQuery {
  return { workload: 'w', subject: 'alice', traceId: undefined, hint: undefined, speaks: true, ...changes }
}

export function outbound(changes: Partial<OutboundQuery> = {}): OutboundQuery {
  return { workload: 'w', handles: [], traceId: undefined, ...changes }
}

/** The entry of a request that must get one. */
export function enter(sessions: Sessions, changes: Partial<InboundQuery> = {}): InboundEntry {
  const entry = sessions.enter(inbound(changes))
  if (entry === undefined || entry === 'overloaded') return expect.fail(`no entry: ${String(entry)}`)
  return entry
}

/** A user's message whose exchange is still open. */
export function say(sessions: Sessions, text: string, changes: Partial<InboundQuery> = {}): InboundEntry {
  const entry = enter(sessions, changes)
  entry.learn([user(text, changes.hint)])
  return entry
}

/** A whole turn: the user speaks, the agent's answer teaches something, the exchange closes. */
export function turn(sessions: Sessions, text: string, changes: Partial<InboundQuery> = {}, answer: Lesson[] = []) {
  const entry = say(sessions, text, changes)
  entry.learn(answer)
  entry.leave()
  return entry
}

/** What a resolution says, by intent, which tests can read. */
export function seen(sessions: Sessions, changes: Partial<OutboundQuery> = {}) {
  const { certainty, method, candidates } = sessions.resolve(outbound(changes))
  return { certainty, method, intents: candidates.map((view) => view.intents(1)[0]) }
}
