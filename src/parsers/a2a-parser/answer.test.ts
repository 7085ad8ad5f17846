import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { answered, cut, exchangeOf, type Given } from '../../../test/support/parsers/exchange.ts'
import type { AnswerReader, Reading } from '../../core/plugin.ts'
import type { Lesson } from '../../core/session.ts'
import { createA2aParser } from './index.ts'

const parser = createA2aParser({ hosts: [], paths: [], denial: 'http_status' })
const encoder = new TextEncoder()

function open(given: Given, contentType: string): AnswerReader | undefined {
  const { x, body } = exchangeOf({ direction: 'inbound', ...given })
  const result = parser.read(x, body)
  const mine: Reading | undefined = result.kind === 'read' ? result : undefined
  return parser.readAnswer(answered(x, contentType), mine)
}

const call = (method: string, params: unknown = { id: 't3' }): Given => ({
  body: { jsonrpc: '2.0', id: 1, method, params },
})
const stream = call('message/stream', { message: { role: 'user', parts: [] } })
const EVENTS = 'text/event-stream'

function taught(pieces: readonly Uint8Array[], how: 'complete' | 'cut', contentType = EVENTS): readonly Lesson[] {
  const reader = open(stream, contentType)
  if (reader === undefined) throw new Error('the answer is not read')
  return [...pieces.flatMap((piece) => reader.feed(piece)), ...reader.end(how).lessons]
}

const names = { contextId: 'c7', taskId: 't3' }
const update = (state: string, text: string) => ({
  jsonrpc: '2.0',
  id: 1,
  result: {
    kind: 'status-update',
    ...names,
    status: { state, message: { role: 'agent', parts: [{ kind: 'text', text }] } },
  },
})
const events = [update('working', 'Ich prüfe … 你好'), update('input-required', 'Which date')]
const bytes = encoder.encode(events.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`).join(''))
const lessons = [
  { kind: 'alias', ...names },
  { kind: 'agent-message', text: 'Ich prüfe … 你好\nWhich date', asks: true, ...names },
]

describe('which answers are read', () => {
  test.each<[string, Given, boolean]>([
    ['a send', stream, true],
    ['a send over HTTP', { path: '/message:send', body: { message: {} } }, true],
    ['a poll', call('tasks/get'), true],
    ['attaching again', { path: '/tasks/t3:subscribe' }, true],
    ['cancel', call('CancelTask'), true],
    ['a list is about many conversations', call('ListTasks', {}), false],
    ['a webhook', call('CreateTaskPushNotificationConfig'), false],
    ['a card', call('GetExtendedAgentCard', {}), false],
    ['an unknown name', call('tasks/purge'), false],
    ['another protocol\u2019s poll', call('tasks/get', { taskId: 't3' }), false],
    ['not ours', { body: { hello: 1 } }, false],
  ])('%s: %s', (_, given, isRead) => {
    expect(open(given, EVENTS) !== undefined).toBe(isRead)
    expect(open({ ...given, direction: 'outbound' }, EVENTS)).toBeUndefined()
  })
})

describe('an answer', () => {
  test('as JSON', () => {
    const json = encoder.encode(JSON.stringify(events[1]))
    expect(taught([json], 'complete', 'application/json')).toEqual([
      lessons[0],
      { kind: 'agent-message', text: 'Which date', asks: true, ...names },
    ])
  })

  test('names its conversation before its bytes go on', () => {
    const reader = open(stream, EVENTS)
    expect(reader?.feed(bytes.subarray(0, bytes.indexOf(0x0a) + 3))).toEqual([lessons[0]])
  })

  test('however its bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 12 }), (places) => {
        expect(taught(cut(bytes, places), 'complete')).toEqual(lessons)
      }),
      { numRuns: 100 },
    )
  })

  test('wherever it ends, it has taught what its whole events said', () => {
    const firstEnds = bytes.indexOf(0x0a) + 2
    for (let length = 0; length <= bytes.length; length++) {
      const kinds = taught([bytes.subarray(0, length)], 'cut').map((lesson) => lesson.kind)
      expect(kinds).toEqual(length < firstEnds ? [] : ['alias', 'agent-message'])
    }
  })

  test('whatever it is', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom(EVENTS, 'application/json', 'x'), (junk, type) => {
        expect(taught([junk], 'complete', type)).toEqual([])
      }),
      { numRuns: 200 },
    )
  })
})
