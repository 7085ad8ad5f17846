import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { answered, cut, exchangeOf } from '../../../test/support/parsers/exchange.ts'
import type { AnswerReader } from '../../core/plugin.ts'
import { createInferenceParser } from './index.ts'

const parser = createInferenceParser(['peer.test'])
const EVENTS = 'text/event-stream'

const CHAT = { model: 'm', messages: [] }
const MESSAGES = { ...CHAT, system: 's' }

function open(contentType: string, requestBody: unknown = CHAT): AnswerReader | undefined {
  const { x, body } = exchangeOf({ path: '/x', body: requestBody })
  const result = parser.read(x, body)
  return parser.readAnswer(answered(x, contentType), result.kind === 'read' ? result : undefined)
}

function taught(pieces: readonly Uint8Array[], how: 'complete' | 'cut', contentType = EVENTS, requestBody = CHAT) {
  const reader = open(contentType, requestBody)
  if (reader === undefined) throw new Error('the answer is not read')
  const passing = pieces.flatMap((piece) => reader.feed(piece))
  const end = reader.end(how)
  return { lessons: [...passing, ...end.lessons], details: end.details }
}

const events = [
  { choices: [{ index: 0, delta: { role: 'assistant', content: 'Ich zahle … 你好' } }] },
  {
    choices: [
      { index: 0, delta: { tool_calls: [{ index: 0, id: 'k1', function: { name: 'pay', arguments: '{"to":' } }] } },
    ],
  },
  { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '"Jürgen"}' } }] } }] },
  { choices: [], usage: { total_tokens: 10 } },
]
const bytes = new TextEncoder().encode(
  [...events.map((event) => JSON.stringify(event)), '[DONE]'].map((data) => `data: ${data}\n\n`).join(''),
)
const calls = [{ id: 'k1', tool: 'pay', argumentsText: '{"to":"Jürgen"}' }]
const lesson = { kind: 'completion', text: 'Ich zahle … 你好', calls, usage: { total_tokens: 10 } }

describe('a model\u2019s answer', () => {
  test('in a stream, however its bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 12 }), (places) => {
        const { lessons, details } = taught(cut(bytes, places), 'complete')
        expect(lessons).toEqual([lesson])
        expect(details).toEqual({ answer: 'events', choices: 1, tools: ['pay'] })
      }),
      { numRuns: 100 },
    )
  })

  test("of Anthropic's in a stream, however its bytes are cut", () => {
    const answer = new TextEncoder().encode(
      [
        { type: 'message_start', message: { content: [], usage: { input_tokens: 3 } } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Ich zahle … 你好' } },
        {
          type: 'content_block_start',
          index: 1,
          content_block: { type: 'tool_use', id: 'k1', name: 'pay', input: {} },
        },
        { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"to":"Jürgen"}' } },
        { type: 'message_delta', delta: {}, usage: { output_tokens: 7 } },
        { type: 'message_stop' },
      ]
        .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
        .join(''),
    )
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 12 }), (places) => {
        const { lessons, details } = taught(cut(answer, places), 'complete', EVENTS, MESSAGES)
        expect(lessons).toEqual([{ ...lesson, usage: { input_tokens: 3, output_tokens: 7 } }])
        expect(details).toEqual({ answer: 'events', messages: 1, tools: ['pay'] })
      }),
      { numRuns: 100 },
    )
    expect(open(EVENTS, MESSAGES)?.feed(answer)).toHaveLength(1)
  })

  test('is told with its last event, before the connection ends', () => {
    expect(open(EVENTS)?.feed(bytes)).toEqual([lesson])
  })

  test('that is cut teaches what was heard', () => {
    const half = bytes.subarray(0, bytes.indexOf(0x0a) + 2)
    expect(taught([half], 'cut')).toEqual({
      lessons: [{ kind: 'completion', text: 'Ich zahle … 你好', calls: [], usage: undefined }],
      details: { answer: 'events', choices: 1, unread: 'cut' },
    })
  })

  test('as JSON, whatever the content type says', () => {
    const json = new TextEncoder().encode(JSON.stringify({ choices: [{ message: { content: 'Hi' } }] }))
    for (const type of ['application/json', EVENTS, 'text/plain']) {
      expect(taught([json.subarray(0, 9), json.subarray(9)], 'complete', type)).toMatchObject({
        lessons: [{ kind: 'completion', text: 'Hi' }],
        details: { answer: 'json' },
      })
    }
  })

  test('in a stream that some events of which are no JSON', () => {
    const odd = new TextEncoder().encode(`: ping\n\ndata: {bad\n\n${new TextDecoder().decode(bytes)}`)
    expect(taught([odd], 'complete').lessons).toEqual([lesson])
  })

  test('whatever it is', () => {
    const junk = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.json().map((text) => new TextEncoder().encode(`data: ${text}\n\n`)),
      fc
        .json()
        .map((text) =>
          new TextEncoder().encode(`data: {"choices":[{"delta":{"tool_calls":[${text}]},"message":${text}}]}\n\n`),
        ),
      fc
        .tuple(fc.json(), fc.constantFrom('message', 'message_start', 'content_block_start', 'content_block_delta'))
        .map(([text, type]) =>
          new TextEncoder().encode(
            `data: {"type":"${type}","index":${text},"content":[${text}],"message":${text},"content_block":${text},"delta":${text}}\n\n`,
          ),
        ),
    )
    fc.assert(
      fc.property(
        junk,
        fc.constantFrom(EVENTS, 'application/json'),
        fc.constantFrom(CHAT, MESSAGES),
        (piece, type, to) => {
          for (const { kind } of taught([piece], 'complete', type, to).lessons) expect(kind).toBe('completion')
        },
      ),
      { numRuns: 200 },
    )
  })

  test('to a dialect whose answers are not known is left alone', () => {
    expect(open(EVENTS, { model: 'm', input: 'hello' })).toBeUndefined()
    expect(open(EVENTS, { contents: [] })).toBeUndefined()
    expect(open(EVENTS, 'hello')).toBeUndefined()
  })
})
