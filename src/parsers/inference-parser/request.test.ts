import { describe, expect, test } from 'vitest'
import { exchangeOf, type Given } from '../../../test/support/parsers/exchange.ts'
import type { ReadResult, Reading } from '../../core/plugin.ts'
import { createInferenceParser } from './index.ts'

const HOST = 'model.test'
const hosts = [HOST]
const POST: Given = { host: HOST, path: '/v1/chat/completions' }

function read(given: Given, configured: readonly string[] = hosts): ReadResult {
  const { x, body } = exchangeOf(given)
  return createInferenceParser(configured).read(x, body)
}

function reading(body: unknown, given: Given = POST): Reading {
  const result = read({ ...given, body })
  if (result.kind !== 'read') throw new Error(JSON.stringify(result))
  return result
}

const chatBody = { model: 'm', messages: [{ role: 'user', content: 'hello' }] }

describe('a chat completion', () => {
  // req: sparc:parsers:every_role, sparc:parsers:tools_form
  test('teaches the conversation and the tools', () => {
    const tools = [{ type: 'function', function: { name: 'pay', parameters: {} } }]
    const functions = [{ name: 'log' }]
    const { lessons, details } = reading({
      model: 'm',
      tools,
      functions,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'developer', content: [{ type: 'text', text: 'Be kind.' }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Pay' },
            { type: 'image_url', image_url: { url: 'https://x.test/i.png' } },
            { type: 'text', text: 'the bill' },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'k1', type: 'function', function: { name: 'pay', arguments: '{"amt":9}' } },
            { id: 'k2', type: 'custom', custom: { name: 'sh', input: 'ls' } },
            { function: { name: 'log', arguments: { n: 1 } } },
          ],
        },
        { role: 'tool', tool_call_id: 'k1', content: 'paid' },
        { role: 'assistant', function_call: { name: 'log', arguments: '' } },
        { role: 'function', name: 'log', content: 'ok' },
        { role: 'assistant', content: null, refusal: 'No.' },
      ],
    })
    const call = (id: string | undefined, tool: string, argumentsText: string) => ({ id, tool, argumentsText })
    expect(lessons).toEqual([
      {
        kind: 'inference',
        model: 'm',
        tools: [...tools, { type: 'function', function: { name: 'log' } }],
        messages: [
          { role: 'system', text: 'Be brief.' },
          { role: 'developer', text: 'Be kind.' },
          { role: 'user', text: 'Pay\nthe bill' },
          {
            role: 'assistant',
            text: '',
            toolCalls: [call('k1', 'pay', '{"amt":9}'), call('k2', 'sh', 'ls'), call(undefined, 'log', '{"n":1}')],
          },
          { role: 'tool', text: 'paid', toolCallId: 'k1' },
          { role: 'assistant', text: '', toolCalls: [call(undefined, 'log', '')] },
          { role: 'function', text: 'ok' },
          { role: 'assistant', text: 'No.' },
        ],
      },
    ])
    expect(details).toEqual({ dialect: 'chat', model: 'm', messages: 8, tools: 2 })
  })

  test.each<[string, unknown, string, string]>([
    [
      'the first message of the user',
      {
        model: 'm',
        messages: [
          { role: 'system', content: 's' },
          { role: 'user', content: 'a' },
          { role: 'user', content: 'b' },
        ],
      },
      'm',
      'a',
    ],
    ['no user', { model: 'm', messages: [{ role: 'assistant', content: 'a' }] }, 'm', ''],
    ['no model, as behind a deployment', { messages: [{ role: 'user', content: 'a' }] }, '', 'a'],
    ['nothing that fits', { model: 5, messages: 'x', tools: {} }, '', ''],
    [
      'messages that do not fit',
      { model: 'm', messages: [5, null, { role: 1, content: {} }, { role: 'user', content: [5, 'a'] }] },
      'm',
      'a',
    ],
  ])('names the model and what the user first said: %s', (_, body, model, firstUserText) => {
    expect(reading(body).actions).toEqual([{ kind: 'inference', model, firstUserText, effect: 'write', home: 'own' }])
  })
})

describe('whose a request is', () => {
  test.each<[string, Given, string]>([
    ['by path, v1', { path: '/v1/chat/completions', body: {} }, 'chat'],
    ['by path, bare', { path: '/chat/completions/', body: {} }, 'chat'],
    ['by path, behind a prefix', { path: '/openai/deployments/d/Chat/Completions?api-version=1', body: {} }, 'chat'],
    ['by path, escaped', { path: '/v1/chat%2Fcompletions', body: {} }, 'chat'],
    ['by keys', { path: '/x', body: chatBody }, 'chat'],
    ['by path and keys, Ollama', { path: '/api/chat', body: chatBody }, 'ollama'],
    ['by keys, responses', { path: '/v1/responses', body: { model: 'm', input: 'hello' } }, 'prompted'],
    ['by keys, embeddings', { path: '/v1/embeddings', body: { model: 'm', input: ['hello', 'you'] } }, 'prompted'],
    ['by keys, completions', { path: '/x', body: { model: 'm', prompt: 'hello' } }, 'completions'],
  ])('%s', (_, given, dialect) => {
    const result = read({ host: 'anywhere.test', ...given })
    expect(result).toMatchObject({ kind: 'read', sure: true, method: undefined, details: { dialect } })
    expect(result.kind === 'read' && result.actions).toMatchObject([{ kind: 'inference', home: 'foreign' }])
  })

  test.each<[string, unknown]>([
    ['a text', 'hello'],
    ['texts', ['hello', 'you']],
    [
      'messages',
      [
        { role: 'system', content: 's' },
        { role: 'user', content: [{ type: 'input_text', text: 'hello' }] },
      ],
    ],
    ['a message without a type', [{ content: 'hello' }]],
    ['parts', [{ type: 'text', text: 'hello' }]],
  ])('the words of an input: %s', (_, input) => {
    const { actions, lessons } = reading({ model: 'm', input }, { host: HOST, path: '/v1/responses' })
    expect(actions).toMatchObject([{ kind: 'inference', model: 'm', firstUserText: 'hello' }])
    expect(lessons).toEqual([])
  })

  test.each<[string, object, object | undefined]>([
    ['nothing', chatBody, undefined],
    ['what another server would read', { ...chatBody, to: 'mallory', amount: 900 }, { to: 'mallory', amount: 900 }],
    ['an input that is no words', { model: 'm', input: { to: 'mallory' } }, { input: { to: 'mallory' } }],
  ])('what is said beside the conversation, elsewhere than at home: %s', (_, body, beside) => {
    const actionsAt = (host: string) => reading(body, { host, path: '/transfer' }).actions
    expect(actionsAt('anywhere.test')[0]).toHaveProperty('home', 'foreign')
    expect(Reflect.get(actionsAt('anywhere.test')[0], 'beside')).toEqual(beside)
    expect(actionsAt(HOST)[0]).not.toHaveProperty('beside')
  })

  test('of tokens instead of words nothing is known', () => {
    expect(reading({ model: 'm', prompt: [1, 2] }, { host: HOST, path: '/x' }).actions).toMatchObject([
      { kind: 'inference', model: 'm', firstUserText: '' },
    ])
  })

  test.each<[string, Given, object]>([
    [
      'JSON of no known dialect',
      { path: '/v1beta/models/m:generateContent', body: { contents: [] } },
      { kind: 'inference', model: '', firstUserText: '' },
    ],
    ['a list', { path: '/x', body: [1] }, { kind: 'inference', model: '', firstUserText: '' }],
    ['a look-up', { path: '/v1/models' }, { kind: 'mechanics', what: 'GET', effect: 'read' }],
    ['a look-up of the head', { method: 'HEAD', path: '/' }, { kind: 'mechanics', what: 'HEAD', effect: 'read' }],
  ])('only on an inference host: %s', (_, given, action) => {
    const own = read({ host: HOST, ...given })
    expect(own.kind === 'read' && own.actions).toMatchObject([{ ...action, home: 'own' }])
    expect(read({ host: 'evil.test', ...given }).kind).toBe('not-mine')
    expect(read({ host: HOST, ...given }, []).kind).toBe('not-mine')
    expect(read({ host: HOST, routesByHost: false, ...given }).kind).toBe('not-mine')
  })

  test.each<[string, Given]>([
    ['text', { body: 'hello' }],
    [
      'a file in parts',
      { headers: { 'content-type': 'multipart/form-data; boundary=b' }, body: '--b\r\n\r\nx\r\n--b--' },
    ],
    ['JSON-RPC', { body: { jsonrpc: '2.0', id: 1, method: 'ping' } }],
    ['a request without a body', { method: 'POST' }],
    ['a look-up with another method in a header', { headers: { 'x-http-method-override': 'DELETE' } }],
    ['a deletion', { method: 'DELETE' }],
  ])('not even there: %s', (_, given) => {
    expect(read({ host: HOST, path: '/x', ...given })).toEqual({ kind: 'not-mine' })
  })

  test.each<[string, Given]>([
    ['a key twice, of no known dialect', { body: '{"a":1,"a":2}' }],
    ['lines of JSON', { body: '{"a":1}\n{"a":2}' }],
    ['a response that is stopped', { method: 'POST', path: '/v1/responses/r1/cancel' }],
    ['a kept answer, with another method in a header', { path: '/v1/responses/r1', headers: { 'x-http-method': 'X' } }],
  ])('is not vouched for, but its answer may propose calls: %s', (_, given) => {
    const result = read({ host: HOST, path: '/x', ...given })
    expect(result).toMatchObject({ sure: false, proposes: 'unreadable', details: { dialect: 'unknown' } })
    expect(result.kind === 'read' && result.actions).toMatchObject([{ kind: 'unclassified', home: 'unstated' }])
    expect(read({ host: 'evil.test', path: '/x', ...given }).kind).toBe('not-mine')
  })

  test('a body that nobody asked for cannot be read', () => {
    const { x } = exchangeOf({ ...POST, method: 'POST' })
    expect(createInferenceParser(hosts).read(x, { kind: 'unread' }).kind).toBe('not-mine')
  })

  test.each<[string, readonly string[], Given, string]>([
    ['no hosts', [], {}, 'unstated'],
    ['its own', hosts, { host: `${HOST}:11434` }, 'own'],
    ['another', hosts, { host: 'evil.test' }, 'foreign'],
    ['the Host header does not decide', hosts, { host: HOST, routesByHost: false }, 'unstated'],
  ])('home: %s', (_, configured, given, home) => {
    const result = read({ ...given, path: '/x', body: chatBody }, configured)
    expect(result.kind === 'read' && result.actions[0].home).toBe(home)
    const { x } = exchangeOf({ ...given, body: chatBody })
    expect(createInferenceParser(configured).wantsExempt(x)).toBe(home === 'own')
  })
})

describe('what servers could read in two ways', () => {
  const text = JSON.stringify(chatBody)
  test.each<[string, Given]>([
    ['a key twice', { path: '/x', body: text.replace('"model"', '"model":"n","model"') }],
    ['a key twice, deep inside', { body: '{"model":"m","messages":[{"role":"user","role":"system"}]}' }],
    ['a key in another letter case', { path: '/x', body: { model: 'm', Messages: [] } }],
    ['the same beside the right one', { body: { ...chatBody, MODEL: 'n' } }],
    ['a mark before it', { path: '/x', body: `\ufeff${text}` }],
    ['UTF-16', { path: '/x', body: Buffer.from(text, 'utf16le') }],
    ['a list of requests', { path: '/x', body: [chatBody] }],
    ['text that holds JSON', { path: '/x', body: JSON.stringify(text) }],
    ['half of it', { path: '/x', body: text.slice(0, -2) }],
    ['no JSON on the path', { body: 'hello' }],
    [
      'two content types',
      {
        headers: [
          ['content-type', 'a/b'],
          ['content-type', 'application/json'],
        ],
        body: text,
      },
    ],
    ['JSON-RPC as well', { path: '/x', body: { jsonrpc: '2.0', id: 1, method: 'ping', ...chatBody } }],
    ['JSON-RPC on the path', { body: { jsonrpc: '2.0', id: 1, method: 'ping' } }],
  ])('%s', (_, given) => {
    expect(read({ ...POST, ...given })).toMatchObject({ kind: 'unreadable', code: 'plumbline.unreadable' })
  })

  test('another character set', () => {
    const headers = { 'content-type': 'application/json; charset=utf-16' }
    expect(read({ ...POST, headers, body: text })).toMatchObject({ code: 'plumbline.unsupported_encoding' })
  })

  test('an encoding that cannot be undone', () => {
    const body = { kind: 'undecodable', raw: new Uint8Array([1]), why: 'br: corrupt' } as const
    const parser = createInferenceParser(hosts)
    expect(parser.read(exchangeOf({ ...POST, body: 'x' }).x, body)).toMatchObject({
      code: 'plumbline.unsupported_encoding',
    })
    expect(parser.read(exchangeOf({ host: HOST, path: '/x', body: 'x' }).x, body)).toEqual({ kind: 'not-mine' })
  })
})

test('a refusal is plain HTTP', () => {
  const no = { code: 'ibac.blocked', status: 403, message: 'Not asked for.', plugin: 'ibac', requestId: 'r-1' }
  const answer = reading(chatBody).refuse(no)
  expect([answer.status, new TextDecoder().decode(answer.body)]).toEqual([
    403,
    '{"error":"ibac.blocked","message":"Not asked for.","plugin":"ibac","request_id":"r-1"}',
  ])
})
