import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exchangeOf } from '../../../test/support/parsers/exchange.ts'
import { expectAnySpelling } from '../../../test/support/parsers/respell.ts'
import { createInferenceParser } from './index.ts'

const parser = createInferenceParser(['peer.test'])

const REQUESTS: readonly unknown[] = [
  {
    model: 'm/7',
    stream: true,
    tools: [{ type: 'function', function: { name: 'pay' } }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Zahle "Jürgen" \u{1f600}' }] },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'k', type: 'function', function: { name: 'pay', arguments: '{"to":"J"}' } }],
      },
      { role: 'tool', tool_call_id: 'k', content: 'paid' },
    ],
  },
  {
    model: 'm',
    max_tokens: 9,
    system: [{ type: 'text', text: 'Sei kurz.' }],
    tools: [{ name: 'pay', input_schema: { type: 'object' } }],
    messages: [
      { role: 'user', content: 'Zahle "Jürgen"' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'u', name: 'pay', input: { to: 'J/7' } }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'u', content: [{ type: 'text', text: 'bezahlt' }] },
          { type: 'text', text: 'Danke \u{1f600}' },
        ],
      },
    ],
  },
  { model: 'm', prompt: ['hello', 'you'] },
  { model: 'm', input: ['hello', 'you'] },
  { contents: [{ role: 'user' }] },
]

const damaged = fc
  .tuple(fc.constantFrom(...REQUESTS), fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 4 }))
  .map(([value, changes]) => {
    const bytes = new TextEncoder().encode(JSON.stringify(value))
    for (const [place, byte] of changes) bytes[place % bytes.length] = byte
    return bytes
  })
const fitting = fc
  .json()
  .map(
    (text) =>
      `{"model":${text},"messages":[${text},{"role":"user","content":[${text}]}],"system":${text},"tools":${text},"prompt":${text}}`,
  )

describe('every request', () => {
  test('is read, refused by name, or not ours', () => {
    const bodies = fc.oneof(damaged, fitting, fc.uint8Array({ maxLength: 80 }))
    fc.assert(
      fc.property(
        bodies,
        fc.constantFrom('/x', '/v1/chat/completions', '/v1/messages', '/v1/completions', '/%'),
        (given, path) => {
          const { x, body } = exchangeOf({ path, body: given })
          const result = parser.read(x, body)
          if (result.kind === 'read') expect(['inference', 'unclassified']).toContain(result.actions[0].kind)
          else expect(['not-mine', 'unreadable']).toContain(result.kind)
        },
      ),
      { numRuns: 400 },
    )
  })

  test.each(REQUESTS.map((value) => [JSON.stringify(value).slice(0, 40), value]))(
    'means the same in any spelling: %s',
    (_, value) => {
      const read = (given: unknown) => {
        const { x, body } = exchangeOf({ path: '/x', body: given })
        const result = parser.read(x, body)
        return result.kind === 'read' ? [result.actions, result.lessons, result.details] : result.kind
      }
      expect(Array.isArray(expectAnySpelling(value, read))).toBe(true)
    },
  )
})
