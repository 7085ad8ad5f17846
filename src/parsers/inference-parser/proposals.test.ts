import { describe, expect, test } from 'vitest'
import { exchangeOf } from '../../../test/support/parsers/exchange.ts'
import { createInferenceParser } from './index.ts'

const parser = createInferenceParser(['model.test'])

function proposed(body: unknown, path = '/v1/responses') {
  const { x, body: bytes } = exchangeOf({ host: 'model.test', path, body })
  const result = parser.read(x, bytes)
  return result.kind === 'read' ? result.proposes : result.kind
}

const asking = { model: 'm', input: 'hello' }

describe('what the answer to a request may propose', () => {
  test.each<[string, unknown, string | undefined]>([
    ['nothing, where no tool is offered', asking, undefined],
    ['nothing, with an empty offer', { ...asking, tools: [], conversation: null }, undefined],
    [
      'nothing: words and messages',
      { ...asking, input: ['a', { role: 'user', content: 'b' }, { type: 'message' }] },
      undefined,
    ],
    ['nothing: tokens', { ...asking, input: [[1, 2], 3] }, undefined],
    ['nothing: pictures', { ...asking, input: [{ type: 'input_image' }, { type: 'text', text: 'x' }] }, undefined],
    ['tools', { ...asking, tools: [{ type: 'function', name: 'pay' }] }, 'unreadable'],
    ['functions', { ...asking, functions: [{ name: 'pay' }] }, 'unreadable'],
    ['tools in a form that nobody knows', { ...asking, tools: { pay: {} } }, 'unreadable'],
    ['an answer that the provider keeps', { ...asking, previous_response_id: 'r1' }, 'unreadable'],
    ['a conversation that it keeps', { ...asking, conversation: { id: 'c1' } }, 'unreadable'],
    ['a prompt that it keeps', { ...asking, prompt: { id: 'p1' } }, 'unreadable'],
    ['an item that it keeps', { ...asking, input: [{ type: 'item_reference', id: 'i1' }] }, 'unreadable'],
    ['tools among the items', { ...asking, input: [{ type: 'additional_tools', tools: [] }] }, 'unreadable'],
    ['a call among the items', { ...asking, input: [{ type: 'function_call_output', call_id: 'k' }] }, 'unreadable'],
    ['a completion with tools', { model: 'm', prompt: 'p', tools: [{}] }, 'unreadable'],
    ['a dialect that nobody knows', { contents: [] }, 'unreadable'],
  ])('%s', (_, body, proposes) => {
    expect(proposed(body)).toBe(proposes)
  })

  test('what is not read that far may tell of results of tools', () => {
    const { x, body } = exchangeOf({ host: 'model.test', path: '/v1/responses', body: { ...asking, tools: [{}] } })
    expect(parser.read(x, body)).toMatchObject({ lessons: [{ kind: 'unseen-result' }] })
    const plain = exchangeOf({ host: 'model.test', path: '/v1/responses', body: asking })
    expect(parser.read(plain.x, plain.body)).toMatchObject({ lessons: [] })
  })

  test('a chat’s answer can always be read', () => {
    expect(proposed({ model: 'm', messages: [] }, '/v1/chat/completions')).toBe('readable')
  })

  test.each([
    [[], undefined],
    [[{ type: 'function', function: { name: 'pay' } }], 'unreadable'],
  ])('to Ollama, asked with the tools %j: %s', (tools, proposes) => {
    expect(proposed({ model: 'm', messages: [], tools }, '/api/chat')).toBe(proposes)
  })

  test.each([
    '/v1/chat/completions/',
    '/V1/Chat/Completions',
    '/v1/chat/completions?beta=true',
    '/v1/chat/%63ompletions',
    '/v1//chat/./completions;x=1',
    '/v1/messages/?beta=true',
    '/any',
  ])('a chat’s answer can be read, however its path is written: %s', (path) => {
    expect(proposed({ model: 'm', messages: [], stream: 'true', extra: 1 }, path)).toBe('readable')
  })

  test.each([
    ['/v1/models', undefined],
    ['/v1/files/f1', undefined],
    ['/v1/responses/r1?stream=true', 'unreadable'],
    ['/V1/Chat/Completions/c1', 'unreadable'],
    ['/v1/messages/batches/b1/results', 'unreadable'],
  ])('a look-up proposes what it fetches: %s', (path, proposes) => {
    expect(proposed(undefined, path)).toBe(proposes)
  })
})
