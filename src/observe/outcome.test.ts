import { describe, expect, test } from 'vitest'
import type { ExchangeRecord, Invocation } from '../core/record.ts'
import { type Summary, sumUp } from './outcome.ts'

type Entry = Partial<Invocation>

function summary(phase: ExchangeRecord['phase'], ...entries: readonly Entry[]): Summary {
  const invocations = entries.map((entry): Invocation => {
    return { plugin: 'gate', action: 'skip', phase: 'request', reason: 'not_mine', ...entry }
  })
  return sumUp({
    sessionId: undefined,
    requestId: 'r',
    traceId: undefined,
    workload: 'w',
    at: '',
    direction: 'outbound',
    phase,
    host: '',
    method: '',
    path: '',
    statusCode: undefined,
    durationMs: 0,
    session: { method: 'none', certainty: 'none' },
    invocations,
  })
}

const OURS = { plugin: 'plumbline', action: 'deny' } as const

describe('an exchange', () => {
  test.each<[Summary['outcome'], ExchangeRecord['phase'], readonly Entry[]]>([
    ['refused', 'denied', [{ action: 'deny', reason: 'blocked' }]],
    ['refused', 'denied', [{ action: 'allow' }, { ...OURS, reason: 'unreadable' }]],
    ['calls_refused', 'response', [{ action: 'deny', reason: 'blocked', phase: 'response' }, { action: 'allow' }]],
    ['calls_refused', 'response', [{ action: 'modify', reason: 'reflected', phase: 'response' }]],
    ['passed_unchecked', 'response', [{ action: 'failed', reason: 'deadline', details: { passed: true } }]],
    ['passed_unchecked', 'response', [{ reason: 'no_inference_context' }]],
    ['canary', 'request', [{ plugin: 'plumbline', action: 'failed', reason: 'canary' }]],
    ['gone', 'request', [{ action: 'failed', reason: 'gone' }]],
    ['gone', 'request', [{ action: 'allow' }]],
    ['would_refuse', 'response', [{ action: 'deny', reason: 'blocked', shadow: true }]],
    ['would_refuse', 'response', [{ action: 'observe', reason: 'reject_observed' }]],
    ['allowed', 'response', [{ action: 'allow' }, {}]],
    ['allowed', 'response', [{ action: 'observe', reason: 'read', shadow: true }, { action: 'allow' }]],
    ['not_judged', 'response', [{}, { action: 'observe', reason: 'read' }]],
  ])('is %s', (outcome, phase, entries) => {
    expect(summary(phase, ...entries).outcome).toBe(outcome)
  })

  test.each<[string, ExchangeRecord['phase'], readonly Entry[], readonly string[], readonly string[]]>([
    ['a judge that cannot be reached', 'denied', [{ action: 'deny', reason: 'judge_unavailable' }], [], ['gate']],
    ['a judge that says no', 'denied', [{ action: 'deny', reason: 'blocked' }], [], []],
    ['a gate that throws', 'denied', [{ action: 'failed' }, { ...OURS, reason: 'plugin_failed' }], [], ['gate']],
    ['a limit of ours', 'denied', [{}, { ...OURS, reason: 'overloaded' }], [], ['plumbline']],
    ['a limit that nothing enforces', 'response', [{ ...OURS, reason: 'overloaded', shadow: true }], [], []],
    ['a message that cannot be read', 'denied', [{ ...OURS, reason: 'unreadable' }], [], []],
    ['a gate that fails open', 'response', [{ action: 'failed', details: { passed: true } }], ['gate'], []],
    ['a client that left', 'request', [{ action: 'failed', reason: 'gone' }], [], []],
    ['a reader that lost its words', 'response', [{ action: 'failed', phase: 'response' }], [], []],
    ['a call without ruling', 'response', [{ action: 'failed', phase: 'response', actionId: 1 }], [], ['gate']],
    [
      'an answer that is withheld',
      'denied',
      [
        { action: 'failed', reason: 'unreadable_answer', phase: 'response', details: { why: 'x' } },
        { ...OURS, reason: 'unreadable_answer', phase: 'response' },
      ],
      [],
      ['gate'],
    ],
  ])('fails open or closed: %s', (_, phase, entries, failedOpen, failedClosed) => {
    expect(summary(phase, ...entries)).toMatchObject({ failedOpen, failedClosed })
  })
})
