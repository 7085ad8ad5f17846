import { describe, expect, test } from 'vitest'
import type { Direction } from '../../core/exchange.ts'
import type { ExchangeRecord, Invocation } from '../../core/record.ts'
import type { CheckId } from '../catalogue.ts'
import { type Way, wayOf } from './answers.ts'
import { judgeCanary, judgeClosing, judgeLarge } from './judge.ts'

const refusal = (code: string) => JSON.stringify({ error: code, message: 'no', plugin: 'plumbline', request_id: '1' })

describe('what an answer says about its way', () => {
  const rpc = {
    jsonrpc: '2.0',
    error: { code: -32600, message: 'no', data: { reason: 'plumbline.unreadable', request_id: '1' } },
  }
  test.each<[string, number, string, Way]>([
    ['our refusal', 400, refusal('plumbline.unreadable'), { kind: 'refused', code: 'plumbline.unreadable' }],
    ['our refusal as JSON-RPC', 400, JSON.stringify(rpc), { kind: 'refused', code: 'plumbline.unreadable' }],
    [
      'an error of a server that looks alike',
      400,
      '{"error":"a.b"}',
      { kind: 'passed', status: 400, text: '{"error":"a.b"}' },
    ],
    ['status_on_error', 503, '', { kind: 'no-verdict', status: 503 }],
    ["Envoy's own", 500, '', { kind: 'no-verdict', status: 500 }],
    ['message_timeout', 504, '', { kind: 'no-verdict', status: 504 }],
    [
      'a name that was not found',
      503,
      'DNS resolution failure',
      { kind: 'passed', status: 503, text: 'DNS resolution failure' },
    ],
    [
      'a server that is not there',
      503,
      'no healthy upstream',
      { kind: 'passed', status: 503, text: 'no healthy upstream' },
    ],
    ['no route', 404, '', { kind: 'not-found' }],
    ['a server', 200, '{}', { kind: 'passed', status: 200, text: '{}' }],
    ['a server without a word', 200, '', { kind: 'passed', status: 200, text: '' }],
  ])('%s', (_name, status, text, way) => {
    expect(wayOf({ kind: 'answer', status, text, requestId: undefined })).toEqual(way)
  })
})

const REFUSED: Way = { kind: 'refused', code: 'plumbline.unreadable' }
const PASSED: Way = { kind: 'passed', status: 503, text: 'DNS resolution failure' }
const SILENT: Way = { kind: 'unanswered', why: 'ECONNREFUSED', cut: false }

function record(direction: ExchangeRecord['direction'], invocations: readonly Partial<Invocation>[]): ExchangeRecord {
  const whole = invocations.map((each) => ({ plugin: 'p', action: 'skip', phase: 'request', reason: 'r', ...each }))
  return { direction, invocations: whole } as Partial<ExchangeRecord> as ExchangeRecord
}
const read = record('outbound', [{ plugin: 'mcp-parser', action: 'observe' }])
const skipped = { plugin: 'mcp-parser', action: 'skip', reason: 'not_mine' } as const

describe('a canary', () => {
  test.each<[string, Direction, Way, readonly ExchangeRecord[] | undefined, readonly CheckId[]]>([
    ['refused, and recorded', 'outbound', REFUSED, [record('outbound', [skipped])], []],
    ['refused; records cannot be asked for', 'outbound', REFUSED, undefined, []],
    ['refused by one that has no record of it', 'outbound', REFUSED, [], ['canary_unseen']],
    ['refused on the wrong chain', 'outbound', REFUSED, [record('inbound', [])], ['canary_direction']],
    ['passed unseen', 'outbound', PASSED, [], ['canary_unseen']],
    ['passed; records cannot be asked for', 'outbound', PASSED, undefined, ['canary_passed']],
    [
      'passed, because nobody enforces',
      'outbound',
      PASSED,
      [record('outbound', [{ plugin: 'mcp-parser', action: 'deny', shadow: true }])],
      ['canary_watched'],
    ],
    [
      'passed, because no parser claims it',
      'outbound',
      PASSED,
      [record('outbound', [skipped])],
      ['canary_watched', 'canary_unread'],
    ],
    ['no verdict', 'outbound', { kind: 'no-verdict', status: 503 }, [], ['canary_no_verdict']],
    ['no answer', 'outbound', SILENT, [], ['canary_unanswered']],
    [
      'bodies that are not shown',
      'outbound',
      { kind: 'refused', code: 'plumbline.wrong_mode' },
      [read],
      ['canary_wrong_set_up'],
    ],
    [
      'no direction',
      'inbound',
      { kind: 'refused', code: 'plumbline.no_direction' },
      [record('unknown', [])],
      ['canary_wrong_set_up', 'canary_direction'],
    ],
    [
      'answered by the agent, and read',
      'inbound',
      { kind: 'passed', status: 200, text: '{}' },
      [record('inbound', [{ plugin: 'a2a-parser', action: 'observe' }])],
      [],
    ],
    [
      'answered by the agent, and not read',
      'inbound',
      { kind: 'passed', status: 200, text: '{}' },
      [record('inbound', [skipped])],
      ['canary_unread'],
    ],
    ['answered by the agent, unseen', 'inbound', { kind: 'passed', status: 200, text: '{}' }, [], ['canary_unseen']],
    ['not found by the agent', 'inbound', { kind: 'not-found' }, [], ['canary_unseen']],
    [
      'answered by the agent; records cannot be asked for',
      'inbound',
      { kind: 'passed', status: 200, text: '{}' },
      undefined,
      [],
    ],
  ])('%s', (_name, direction, way, records, ids) => {
    expect(judgeCanary({ direction, way, records }).findings.map(({ id }) => id)).toEqual(ids)
  })

  test('whether it was read is not known where no plugin stands in the chain', () => {
    const { findings, unchecked } = judgeCanary({ direction: 'inbound', way: PASSED, records: [record('inbound', [])] })
    expect([findings, unchecked.map(({ id }) => id)]).toEqual([[], ['canary_unread']])
  })
})

describe.each([
  [
    'the one that breaks its stream',
    (way: Way) => judgeClosing('inbound', way),
    [
      ['Envoy refuses', { kind: 'no-verdict', status: 503 }, [], []],
      ['the agent answers', { kind: 'passed', status: 404, text: 'no such page' }, ['closing_passes'], []],
      ['a name is looked up', PASSED, ['closing_passes'], []],
      ['404 of whoever', { kind: 'not-found' }, [], ['closing_passes']],
      ['a Plumbline that does not know it', REFUSED, [], ['closing_passes']],
      ['no answer', SILENT, [], ['closing_passes']],
    ],
  ],
  [
    'the large one',
    (way: Way) => judgeLarge(way, 1000),
    [
      ['refused as the small one', REFUSED, [], []],
      ['413 of Envoy', { kind: 'passed', status: 413, text: 'Payload Too Large' }, ['canary_too_large'], []],
      ['cut off', { kind: 'unanswered', why: 'EPIPE', cut: true }, ['canary_too_large'], []],
      ['413 of Plumbline', { kind: 'refused', code: 'plumbline.too_large' }, ['canary_too_large'], []],
      ['no verdict', { kind: 'no-verdict', status: 503 }, ['canary_too_large'], []],
      ['no memory left', { kind: 'refused', code: 'plumbline.overloaded' }, [], ['canary_too_large']],
      ['no answer', SILENT, [], ['canary_too_large']],
      ['404', { kind: 'not-found' }, [], ['canary_too_large']],
      ['another answer', PASSED, [], ['canary_too_large']],
    ],
  ],
] as const)('%s', (_what, judge, rows) => {
  test.each(rows.map((row) => [...row] as const))('%s', (_name, way, found, notMade) => {
    const { findings, unchecked } = judge(way)
    expect([findings.map(({ id }) => id), unchecked.map(({ id }) => id)]).toEqual([found, notMade])
  })
})
