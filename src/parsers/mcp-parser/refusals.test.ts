import { describe, expect, test } from 'vitest'
import { exchangeOf, type Given } from '../../../test/support/parsers/exchange.ts'
import type { Answer, Refusal } from '../../core/ruling.ts'
import type { McpConfig } from './config.ts'
import { createMcpParser } from './mcp-parser.ts'

const BLOCKED: Refusal = {
  code: 'ibac.blocked',
  status: 403,
  message: 'Not what\nthe user asked.',
  plugin: 'ibac',
  requestId: 'r1',
}
const DOWN: Refusal = { ...BLOCKED, code: 'ibac.judge_unavailable', status: 503 }
const UNREADABLE: Refusal = {
  code: 'plumbline.unreadable',
  status: 400,
  message: 'no',
  plugin: 'plumbline',
  requestId: 'r1',
}

function refuse(denial: McpConfig['denial'], given: Given, no = BLOCKED): Answer {
  const { x, body } = exchangeOf({ path: '/mcp', ...given })
  const result = createMcpParser({ hosts: [], paths: ['/mcp', '/messages'], denial }).read(x, body)
  if (result.kind === 'not-mine' || result.refuse === undefined) throw new Error(result.kind)
  return result.refuse(no)
}

const shown = (answer: Answer) => ({
  status: answer.status,
  type: answer.headers.find(([name]) => name === 'content-type')?.[1],
  body: new TextDecoder().decode(answer.body),
})

const CALL = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'pay', arguments: {} } }
const READ = { jsonrpc: '2.0', id: 'a', method: 'resources/read', params: { uri: 'x' } }
const NOTICE = { jsonrpc: '2.0', method: 'tools/call', params: { name: 'pay' } }
const RESPONSE = { jsonrpc: '2.0', id: 7, result: { a: 1 } }
const TASK = { ...CALL, params: { ...CALL.params, task: { ttl: 1 } } }
const MODERN = {
  ...CALL,
  params: { ...CALL.params, _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } },
}

const PLAIN = '{"error":"ibac.blocked","message":"Not what the user asked.","plugin":"ibac","request_id":"r1"}'
const ERROR =
  '"error":{"code":-31403,"message":"Not what the user asked.","data":{"reason":"ibac.blocked","request_id":"r1"}}}'
const SAID =
  '"content":[{"type":"text","text":"Blocked by policy: Not what the user asked. (ibac.blocked)"}],"isError":true}}'
const JSON_TYPE = 'application/json'
const plain = { status: 403, type: JSON_TYPE, body: PLAIN }
const rpcError = (id: string) => ({ status: 200, type: JSON_TYPE, body: `{"jsonrpc":"2.0","id":${id},${ERROR}` })

describe('what a refused message is answered with', () => {
  test.each<[string, Given]>([
    ['a call', { body: CALL }],
    ['a read', { body: READ }],
    ['a notification', { body: NOTICE }],
    ['a response', { body: RESPONSE }],
    ['a stream', {}],
  ])('http_status: %s', (_, given) => {
    expect(shown(refuse('http_status', given))).toEqual(plain)
  })

  test.each<[string, Given, unknown]>([
    ['a call', { body: CALL }, rpcError('7')],
    ['a read', { body: READ }, rpcError('"a"')],
    [
      'an id that a double cannot hold',
      { body: JSON.stringify(CALL).replace('7', '9007199254740993') },
      rpcError('9007199254740993'),
    ],
    ['a notification', { body: NOTICE }, plain],
    ['a response', { body: RESPONSE }, plain],
    ['a stream', {}, plain],
    ['a call whose answer comes elsewhere', { body: CALL, path: '/messages' }, plain],
    ['the same, with a session', { body: CALL, path: '/x?sessionId=7' }, plain],
    ['the same, as Python writes it', { body: CALL, path: '/messages/?session_id=7' }, plain],
  ])('jsonrpc_error: %s', (_, given, expected) => {
    expect(shown(refuse('jsonrpc_error', given))).toEqual(expected)
  })

  test.each<[string, Given, unknown]>([
    ['a call', { body: CALL }, { status: 200, type: JSON_TYPE, body: `{"jsonrpc":"2.0","id":7,"result":{${SAID}` }],
    [
      'a call of the newest revision',
      { body: MODERN },
      { status: 200, type: JSON_TYPE, body: `{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete",${SAID}` },
    ],
    [
      'the newest revision by header',
      { body: CALL, headers: { 'mcp-protocol-version': '2026-07-28' } },
      { status: 200, type: JSON_TYPE, body: `{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete",${SAID}` },
    ],
    ['a call for a task', { body: TASK }, rpcError('7')],
    ['a read', { body: READ }, rpcError('"a"')],
    ['a notification', { body: NOTICE }, plain],
    ['a call whose answer comes elsewhere', { body: CALL, path: '/messages' }, plain],
    [
      'a caller that takes nothing but events',
      { body: CALL, headers: { accept: 'text/event-stream' } },
      {
        status: 200,
        type: 'text/event-stream',
        body: `event: message\ndata: {"jsonrpc":"2.0","id":7,"result":{${SAID}\n\n`,
      },
    ],
  ])('tool_result: %s', (_, given, expected) => {
    expect(shown(refuse('tool_result', given))).toEqual(expected)
  })

  test('a judge that is down is not a policy', () => {
    expect(shown(refuse('http_status', { body: CALL }, DOWN)).status).toBe(503)
    expect(shown(refuse('jsonrpc_error', { body: CALL }, DOWN)).body).toContain('"code":-31503')
    expect(shown(refuse('tool_result', { body: CALL }, DOWN)).body).toContain('Not executed: ')
  })

  test('the code goes to Envoy, the message does not', () => {
    expect(refuse('tool_result', { body: CALL }).details).toBe('ibac.blocked')
  })
})

describe('a clarification, whatever `denial` says', () => {
  const REFLECTED: Refusal = {
    ...BLOCKED,
    code: 'sparc.reflected',
    status: 200,
    clarification: 'Not grounded: tx.\nAsk your user.',
  }
  const SAYS = '"content":[{"type":"text","text":"Not grounded: tx.\\nAsk your user."}],"isError":true'
  const META = '"_meta":{"plumbline/reason":"sparc.reflected","plumbline/request_id":"r1"}'
  const result = (id: string, typed = '') => ({
    status: 200,
    type: JSON_TYPE,
    body: `{"jsonrpc":"2.0","id":${id},"result":{${typed}${SAYS},${META}}}`,
  })
  const reflectedError = (id: string) => ({
    status: 200,
    type: JSON_TYPE,
    body: `{"jsonrpc":"2.0","id":${id},${ERROR.replace('ibac.blocked', 'sparc.reflected')}`,
  })
  const reflectedPlain = { ...plain, body: PLAIN.replace('ibac.blocked', 'sparc.reflected') }

  // req: sparc:parsers:clarification_result
  test.each<[string, Given, unknown]>([
    ['a call', { body: CALL }, result('7')],
    [
      'an id that a double cannot hold',
      { body: JSON.stringify(CALL).replace('7', '9007199254740993') },
      result('9007199254740993'),
    ],
    ['an id with escapes', { body: JSON.stringify(CALL).replace('7', '"\\u0061"') }, result('"\\u0061"')],
    ['a call of the newest revision', { body: MODERN }, result('7', '"resultType":"complete",')],
    [
      'a caller that takes nothing but events',
      { body: CALL, headers: { accept: 'text/event-stream' } },
      { status: 200, type: 'text/event-stream', body: `event: message\ndata: ${result('7').body}\n\n` },
    ],
    ['a call for a task', { body: TASK }, reflectedError('7')],
    ['a call without id', { body: NOTICE }, reflectedPlain],
    ['a call whose answer comes elsewhere', { body: CALL, path: '/messages' }, reflectedPlain],
  ])('%s', (_, given, expected) => {
    for (const denial of ['http_status', 'jsonrpc_error', 'tool_result'] as const) {
      expect(shown(refuse(denial, given, REFLECTED))).toEqual(expected)
    }
  })

  test('what is no call of a tool has no model that reads it', () => {
    expect(shown(refuse('http_status', { body: READ }, REFLECTED))).toEqual(reflectedPlain)
    expect(shown(refuse('tool_result', { body: READ }, REFLECTED))).toEqual(reflectedError('"a"'))
  })

  // req: sparc:parsers:blocked_status
  test('a refusal without one is a no, with its own status', () => {
    expect(shown(refuse('http_status', { body: CALL }, { ...BLOCKED, code: 'sparc.blocked' }))).toEqual({
      ...plain,
      body: PLAIN.replace('ibac.blocked', 'sparc.blocked'),
    })
  })
})

describe('what an unreadable message is answered with', () => {
  test.each<[string, Given, number, string]>([
    ['no JSON', { body: '{"jsonrpc":' }, -32700, ''],
    ['a batch', { body: [CALL] }, -32600, ''],
    ['a malformed call', { body: { ...CALL, result: {} } }, -32600, '"id":7,'],
    ['a header that says something else', { body: CALL, headers: { 'mcp-method': 'ping' } }, -32600, '"id":7,'],
    ['a call without name', { body: { ...CALL, params: {} } }, -32600, '"id":7,'],
  ])('%s', (_, given, code, id) => {
    const answer = shown(refuse('tool_result', given, UNREADABLE))
    expect(answer.status).toBe(400)
    expect(answer.body).toContain(`{"jsonrpc":"2.0",${id}"error":{"code":${code},`)
    expect(shown(refuse('http_status', given, UNREADABLE)).body).toContain('"error":"plumbline.unreadable"')
  })

  test('an encoding', () => {
    const given = { body: CALL, headers: { 'content-type': 'application/json; charset=utf-16' } }
    const no = { ...UNREADABLE, code: 'plumbline.unsupported_encoding', status: 415 }
    expect(shown(refuse('jsonrpc_error', given, no))).toMatchObject({ status: 415 })
    expect(shown(refuse('jsonrpc_error', given, no)).body).toContain('"code":-31415')
  })
})
