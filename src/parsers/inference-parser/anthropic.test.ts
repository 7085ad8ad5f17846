import { describe, expect, test } from 'vitest'
import { exchangeOf, type Given } from '../../../test/support/parsers/exchange.ts'
import type { ReadResult, Reading } from '../../core/plugin.ts'
import { createInferenceParser } from './index.ts'

const HOST = 'model.test'
const POST: Given = { host: HOST, path: '/v1/messages', headers: { 'anthropic-version': '2023-06-01' } }

function read(given: Given): ReadResult {
  const { x, body } = exchangeOf(given)
  return createInferenceParser([HOST]).read(x, body)
}

function reading(body: unknown, given: Given = POST): Reading {
  const result = read({ ...given, body })
  if (result.kind !== 'read') throw new Error(JSON.stringify(result))
  return result
}

function messagesOf(body: object): unknown {
  const [lesson] = reading({ model: 'm', max_tokens: 9, messages: [], ...body }).lessons
  return lesson?.kind === 'inference' ? lesson.messages : lesson
}

const call = (id: string | undefined, tool: string, argumentsText: string) => ({ id, tool, argumentsText })
const asking = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hello' }] }
const tool = { name: 'pay', description: 'Pays.', input_schema: { type: 'object' } }

describe("a request in Anthropic's Messages", () => {
  // req: sparc:parsers:every_role, sparc:parsers:tools_form
  test('teaches every role, the system prompt first, and tools in the form of functions', () => {
    const bash = { type: 'bash_20250124', name: 'bash' }
    const { actions, lessons, details, proposes } = reading({
      model: 'm',
      max_tokens: 9,
      system: [
        { type: 'text', text: 'Be brief.' },
        { type: 'text', text: 'Be kind.' },
      ],
      tools: [tool, { type: 'custom', name: 'log', input_schema: {} }, bash],
      messages: [
        { role: 'user', content: 'Pay the bill' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 's' },
            { type: 'text', text: 'I look.' },
            { type: 'tool_use', id: 'u1', name: 'look', input: { at: 'bill' } },
            { type: 'tool_use', id: 'u2', name: 'log', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'u1', content: [{ type: 'text', text: '9 EUR' }], is_error: false },
            { type: 'tool_result', tool_use_id: 'u2' },
            { type: 'text', text: 'Go on.' },
          ],
        },
      ],
    })
    expect(actions).toEqual([
      { kind: 'inference', model: 'm', firstUserText: 'Pay the bill', effect: 'write', home: 'own' },
    ])
    expect(lessons).toEqual([
      {
        kind: 'inference',
        model: 'm',
        tools: [
          { type: 'function', function: { name: 'pay', description: 'Pays.', parameters: { type: 'object' } } },
          { type: 'function', function: { name: 'log', parameters: {} } },
          bash,
        ],
        messages: [
          { role: 'system', text: 'Be brief.\nBe kind.' },
          { role: 'user', text: 'Pay the bill' },
          {
            role: 'assistant',
            text: 'I look.',
            toolCalls: [call('u1', 'look', '{"at":"bill"}'), call('u2', 'log', '{}')],
          },
          { role: 'tool', text: '9 EUR', toolCallId: 'u1' },
          { role: 'tool', text: '', toolCallId: 'u2' },
          { role: 'user', text: 'Go on.' },
        ],
      },
    ])
    expect(details).toEqual({ dialect: 'anthropic', model: 'm', messages: 6, tools: 3 })
    expect(proposes).toBe('readable')
  })

  test('a system prompt that is one text, and one among the messages', () => {
    const messages = [{ role: 'system', content: 'b' }]
    expect(messagesOf({ system: 'a', messages })).toEqual([
      { role: 'system', text: 'a' },
      { role: 'system', text: 'b' },
    ])
  })

  test("what the provider's own tools did keeps its place", () => {
    const content = [
      { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'bill' } },
      {
        type: 'web_search_tool_result',
        tool_use_id: 's1',
        content: [{ type: 'web_search_result', title: 'Bills', url: 'https://b.test/7', encrypted_content: 'x' }],
      },
      { type: 'text', text: 'Found.' },
    ]
    expect(messagesOf({ messages: [{ role: 'assistant', content }] })).toEqual([
      { role: 'assistant', text: '', toolCalls: [call('s1', 'web_search', '{"query":"bill"}')] },
      { role: 'tool', text: 'Bills\nhttps://b.test/7', toolCallId: 's1' },
      { role: 'assistant', text: 'Found.' },
    ])
  })

  test.each<[string, unknown, string]>([
    ['a text', 'TX-1', 'TX-1'],
    ['nothing', undefined, ''],
    [
      'a document',
      [{ type: 'document', title: 'T', source: { type: 'text', media_type: 'text/plain', data: 'TX-1' } }],
      'T\nTX-1',
    ],
    ['a file', [{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' } }], ''],
    ['a picture', [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBO' } }], ''],
    [
      'a search result',
      [{ type: 'search_result', source: 's', title: 't', content: [{ type: 'text', text: 'TX-1' }] }],
      't\ns\nTX-1',
    ],
    [
      'the output of a command',
      { type: 'bash_code_execution_result', stdout: 'o', stderr: 'e', return_code: 1 },
      'o\ne',
    ],
  ])('the words of a result: %s', (_, content, text) => {
    const blocks = [{ type: 'tool_result', tool_use_id: 'u1', content }]
    expect(messagesOf({ messages: [{ role: 'user', content: blocks }] })).toEqual([
      { role: 'tool', text, toolCallId: 'u1' },
    ])
  })

  test.each<[string, readonly unknown[], string]>([
    [
      'no result of a tool',
      [
        { type: 'tool_result', tool_use_id: 'u', content: 'result' },
        { type: 'text', text: 'a' },
      ],
      'a',
    ],
    [
      'text of a list',
      [
        { type: 'image', source: {} },
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      'a\nb',
    ],
    ['what fits, among what does not', [5, null, { type: 'text' }, { type: 'text', text: 'a' }], 'a'],
    ['nothing', [], ''],
  ])('what the user first said: %s', (_, content, firstUserText) => {
    expect(reading({ ...asking, messages: [{ role: 'user', content }] }).actions).toMatchObject([{ firstUserText }])
  })

  test.each([
    [{ model: 5, messages: 'x', tools: {}, system: 7 }],
    [{ messages: [5, null, { role: 1, content: {} }, { content: [{ type: 'tool_result' }, { type: 'tool_use' }] }] }],
  ])('whatever its members hold: %j', (body) => {
    expect(reading(body).actions).toMatchObject([{ kind: 'inference', model: '', firstUserText: '' }])
  })
})

describe('which dialect a request is in', () => {
  const versioned = { 'anthropic-version': '2023-06-01' }
  test.each<[string, Given, string]>([
    ['by path', { path: '/v1/messages?beta=true', body: asking }, 'anthropic'],
    ['by path, behind a prefix', { path: '/anthropic/v1/Messages/', body: asking }, 'anthropic'],
    ['by path, escaped', { path: '/v1/m%65ssages', body: asking }, 'anthropic'],
    ['by path, without a model', { path: '/v1/messages', body: { messages: [] } }, 'anthropic'],
    ['the path of chat before the header', { path: '/chat/completions', headers: versioned, body: asking }, 'chat'],
    ['by header', { headers: versioned, body: asking }, 'anthropic'],
    ['by the system prompt', { body: { ...asking, system: 's' } }, 'anthropic'],
    ['by the form of a tool', { body: { ...asking, tools: [tool] } }, 'anthropic'],
    [
      'by a block that only it has',
      { body: { model: 'm', messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'u' }] }] } },
      'anthropic',
    ],
    ['by a version in the body', { body: { anthropic_version: 'vertex-2023-10-16', messages: [] } }, 'anthropic'],
    ['both have max_tokens', { body: asking }, 'chat'],
    ['a batch', { path: '/v1/messages/batches', body: { requests: [] } }, 'anthropic-batches'],
    ['a count', { path: '/v1/messages/count_tokens', body: asking }, 'anthropic'],
  ])('%s', (_, given, dialect) => {
    expect(read({ host: 'anywhere.test', path: '/x', ...given })).toMatchObject({ kind: 'read', details: { dialect } })
  })

  test.each<[string, Given]>([
    ["a chat room's messages", { path: '/v1/messages', body: { text: 'hello' } }],
    ['MCP of the first revision', { path: '/messages', body: { jsonrpc: '2.0', id: 1, method: 'ping' } }],
    ['a message in words', { path: '/v1/messages', body: 'hello' }],
    ["another API's batches", { path: '/v1/messages/batches', body: { ids: [1] } }],
  ])('elsewhere it is nobody’s: %s', (_, given) => {
    expect(read({ host: 'anywhere.test', ...given })).toEqual({ kind: 'not-mine' })
  })

  test.each<[string, Given]>([
    ['a key in capitals', { path: '/x', headers: {}, body: { ...asking, System: 's' } }],
    ['a key twice', { body: '{"model":"m","messages":[],"messages":[{}]}' }],
    ['no JSON', { body: 'hello' }],
    ['JSON-RPC as well', { body: { jsonrpc: '2.0', id: 1, method: 'ping', ...asking } }],
  ])('refused: %s', (_, given) => {
    expect(read({ ...POST, ...given })).toMatchObject({ kind: 'unreadable', code: 'plumbline.unreadable' })
  })
})

describe('what stands beside messages', () => {
  test('a count is housekeeping on own hosts, and inference elsewhere', () => {
    const count = (host: string) => reading(asking, { host, path: '/v1/messages/count_tokens' })
    expect(count(HOST).actions).toEqual([
      { kind: 'mechanics', what: 'messages/count_tokens', effect: 'read', home: 'own' },
    ])
    const [elsewhere] = count('anywhere.test').actions
    expect(elsewhere).toMatchObject({ kind: 'inference', firstUserText: 'hello', home: 'foreign' })
    for (const { lessons, proposes } of [count(HOST), count('anywhere.test')]) {
      expect([lessons, proposes]).toEqual([[], undefined])
    }
  })

  test('a batch is judged whole, and its answers cannot be read', () => {
    const requests = [{ custom_id: 'a', params: asking }]
    const batch = (host: string) => reading({ requests }, { host, path: '/v1/messages/batches' })
    expect(batch(HOST)).toMatchObject({
      actions: [{ kind: 'inference', model: '', firstUserText: '' }],
      proposes: 'unreadable',
      lessons: [{ kind: 'unseen-result' }],
    })
    expect(batch('anywhere.test').actions[0]).toHaveProperty('beside', { requests })
  })
})
