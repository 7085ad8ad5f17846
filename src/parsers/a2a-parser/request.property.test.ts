import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exchangeOf, type Given } from '../../../test/support/parsers/exchange.ts'
import { expectAnySpelling } from '../../../test/support/parsers/respell.ts'
import { createA2aParser } from './index.ts'

const parser = createA2aParser({ hosts: ['peer.test'], paths: ['/a2a'], denial: 'jsonrpc_error' })
const no = { code: 'x.y', status: 403, message: 'No.', plugin: 'x', requestId: 'r' }

const message = {
  role: 'user',
  contextId: 'c/7',
  parts: [
    { kind: 'text', text: 'Buche "Köln" \u{1f600}' },
    { kind: 'data', data: {} },
  ],
}
const MESSAGES: readonly unknown[] = [
  { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message, configuration: { blocking: true } } },
  { jsonrpc: '2.0', id: 'a', method: 'tasks/get', params: { id: 't3' } },
  { jsonrpc: '2.0', id: 2, method: 'tasks/cancel', params: { id: 't3' } },
  { jsonrpc: '2.0', method: 'SendMessage', params: { message } },
  { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'pay', arguments: { n: 1 } } },
]

const paths = fc.constantFrom('/', '/a2a', '/message:send', '/v1/tasks/t3:cancel', '/tasks/t3', '/x%2f', '/%')
const verbs = fc.constantFrom('GET', 'POST', 'PUT', 'DELETE')
const directions = fc.constantFrom('inbound' as const, 'outbound' as const)

/** Bytes of every kind: none that mean anything, and messages with some bytes changed. */
const damaged = fc
  .tuple(fc.constantFrom(...MESSAGES), fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 4 }))
  .map(([value, changes]) => {
    const bytes = new TextEncoder().encode(JSON.stringify(value))
    for (const [place, byte] of changes) bytes[place % bytes.length] = byte
    return bytes
  })

describe('every request', () => {
  test('is read, refused by name, or not ours; a refusal can always be written', () => {
    fc.assert(
      fc.property(
        fc.oneof(damaged, fc.uint8Array({ maxLength: 80 })),
        paths,
        verbs,
        directions,
        (body, path, method, direction) => {
          const { x, body: shown } = exchangeOf({ direction, path, method, body })
          const result = parser.read(x, shown)
          expect(['not-mine', 'read', 'unreadable']).toContain(result.kind)
          if (result.kind === 'read') expect(result.actions.length).toBeGreaterThan(0)
          if (result.kind !== 'not-mine') expect(result.refuse?.(no).details ?? 'x.y').toBe('x.y')
        },
      ),
      { numRuns: 400 },
    )
  })

  test.each(MESSAGES.map((value) => [JSON.stringify(value).slice(0, 60), value]))(
    'means the same in any spelling: %s',
    (_, value) => {
      const read = (body: unknown) => {
        const given: Given = { direction: 'inbound', body }
        const { x, body: shown } = exchangeOf(given)
        const result = parser.read(x, shown)
        return result.kind === 'read' ? [result.actions, result.lessons, result.hint, result.details] : result
      }
      expect(Array.isArray(expectAnySpelling(value, read))).toBe(true)
    },
  )
})
