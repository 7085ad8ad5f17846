import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exchangeOf } from '../../../test/support/parsers/exchange.ts'
import { expectAnySpelling } from '../../../test/support/parsers/respell.ts'
import type { ReadResult } from '../../core/plugin.ts'
import { createMcpParser } from './mcp-parser.ts'

const parser = createMcpParser({ hosts: [], paths: ['/mcp'], denial: 'tool_result' })
const NO = { code: 'ibac.blocked', status: 403, message: 'no', plugin: 'ibac', requestId: 'r' }

function read(body: unknown, path = '/mcp'): ReadResult {
  const { x, body: bytes } = exchangeOf({ path, method: 'POST', body })
  return parser.read(x, bytes)
}

/** Messages that clients of every revision send. */
const VALID: readonly unknown[] = [
  {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'a/b', arguments: { x: [1, { y: 'ü/"\\' }], z: null } },
  },
  {
    jsonrpc: '2.0',
    id: 'id',
    method: 'initialize',
    params: { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
  },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', id: 2, method: 'resources/read', params: { uri: 'file:///a b' } },
  { jsonrpc: '2.0', id: 3, method: 'prompts/get', params: { name: 'p', arguments: { a: '1' } } },
  { jsonrpc: '2.0', id: 4, method: 'vendor/x', params: { deep: { deeper: [[[]]] } } },
  { jsonrpc: '2.0', id: 5, result: { action: 'accept', content: { a: 1 } } },
]

describe('changes that keep the meaning keep the actions', () => {
  test.each(VALID.map((message) => [message]))('%j', (message) => {
    const meaning = expectAnySpelling(message, (text) => {
      const result = read(text)
      return result.kind === 'read' ? [result.actions, result.method, result.sure] : result
    })
    expect(meaning).toMatchObject({ 2: true })
  })
})

const near = fc
  .array(
    fc.constantFrom(
      ...['{', '}', '[', ']', ':', ',', '"jsonrpc":"2.0"', '"id":1', '"method":"tools/call"', '"method":"ping"'],
      ...['"params":', '{"name":"x"}', '"result":{}', '"error":{}', 'null', '\\', '"', ' ', '\ufeff', '\ud800'],
    ),
    { maxLength: 12 },
  )
  .map((tokens) => tokens.join(''))

test('any bytes are a reading with actions, or a named refusal that renders', () => {
  const body = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 60 }),
    near.filter((text) => text !== ''),
    fc.json(),
  )
  fc.assert(
    fc.property(body, fc.constantFrom('/mcp', '/x'), (bytes, path) => {
      const result = read(bytes, path)
      if (result.kind === 'read') expect(result.actions.length).toBeGreaterThan(0)
      if (result.kind === 'unreadable') expect(result.why).not.toBe('')
      if (path === '/mcp') expect(result.kind).not.toBe('not-mine')
      if (result.kind !== 'not-mine') expect(result.refuse?.(NO).body.length).toBeGreaterThan(0)
    }),
    { numRuns: 1500 },
  )
})

/** What a reader that takes whatever JSON.parse takes would run. */
function toolThatRuns(text: string): string | undefined {
  try {
    const message = JSON.parse(text) as { method?: unknown; params?: { name?: unknown } } | null
    return message?.method === 'tools/call' ? String(message.params?.name) : undefined
  } catch {
    return undefined
  }
}

test('what a lenient server would run as a tool call is seen as that call, or refused', () => {
  const member = fc.constantFrom(
    ...['"jsonrpc":"2.0"', '"jsonrpc":"2.0"', '"id":1', '"id":null', '"method":"tools/call"', '"method":"tools/list"'],
    ...['"m\\u0065thod":"tools/call"', '"METHOD":"ping"', '"params":{"name":"x"}', '"params":{"name":"x","name":"y"}'],
    ...['"params":{"name":"x","Name":"y"}', '"params":{"n\\u0061me":"z"}', '"result":{}', '"extra":1'],
  )
  const message = fc.array(member, { minLength: 2, maxLength: 6 }).map((members) => `{${members.join(',')}}`)
  fc.assert(
    fc.property(message, (text) => {
      const tool = toolThatRuns(text)
      const result = read(text, '/x')
      if (tool === undefined || result.kind === 'unreadable') return
      expect(result.kind === 'read' && result.actions[0]).toMatchObject({ kind: 'tool-call', tool })
    }),
    { numRuns: 1500 },
  )
})
