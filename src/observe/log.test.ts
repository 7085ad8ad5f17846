import { describe, expect, test } from 'vitest'
import type { ExchangeRecord } from '../core/record.ts'
import { createObserver, type LogLevel } from './log.ts'

function observed(level: LogLevel) {
  const lines: unknown[] = []
  const observer = createObserver(level, { write: (line: string) => void lines.push(JSON.parse(line)) })
  return { observer, lines }
}

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string

describe('the log', () => {
  test('does nothing to a terminal, whatever it quotes', () => {
    const raw: string[] = []
    const { log, record } = createObserver('info', { write: (line: string) => void raw.push(line) })
    const tool = 'pay\u001b[2J\u009b31m\u202e'
    log.warn({ tool }, 'odd')
    record({ path: tool } as Partial<ExchangeRecord> as ExchangeRecord)
    expect(raw.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ tool }, { path: tool }])
    for (const line of raw) expect(line).toMatch(/^[ -~]+\n$/)
  })

  test('is JSON, one line each, with facts of its own and of its owner', () => {
    const { observer, lines } = observed('info')
    observer.log.child({ plugin: 'ibac' }).warn({ tries: 2 }, 'judge is slow')
    expect(lines).toEqual([{ level: 'warn', time, plugin: 'ibac', tries: 2, msg: 'judge is slow' }])
  })

  test.each([
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['info', ['info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['error', ['error']],
  ] as const)('at level %s holds %j', (level, expected) => {
    const { observer, lines } = observed(level)
    for (const each of ['debug', 'info', 'warn', 'error'] as const) observer.log[each]({}, 'x')
    expect(lines).toMatchObject(expected.map((each) => ({ level: each })))
  })
})

test('the record of an exchange is written at every level, as it is', () => {
  const { observer, lines } = observed('error')
  const record: ExchangeRecord = {
    sessionId: 's1',
    requestId: 'r1',
    traceId: undefined,
    workload: 'default',
    at: '2026-01-01T00:00:00.000Z',
    direction: 'outbound',
    phase: 'denied',
    host: 'evil.example',
    method: 'POST',
    path: '/collect',
    statusCode: 403,
    durationMs: 12.5,
    session: { method: 'handle', certainty: 'exact' },
    invocations: [{ plugin: 'ibac', action: 'deny', phase: 'request', reason: 'blocked', details: { model: 'm' } }],
  }
  observer.record(record)
  const { traceId: _, ...rest } = record
  expect(lines).toEqual([{ level: 'info', time, msg: 'exchange', ...rest }])
})
