import { describe, expect, test } from 'vitest'
import { exchangeOf, type Given } from '../../../test/support/parsers/exchange.ts'
import type { ReadResult, Reading } from '../../core/plugin.ts'
import { createA2aParser } from './index.ts'
import type { A2aConfig } from './config.ts'

const HOST = 'travel.agents.test'

function read(given: Given, config: Partial<A2aConfig> = {}): ReadResult {
  const { x, body } = exchangeOf(given)
  return createA2aParser({ hosts: [], paths: [], denial: 'http_status', ...config }).read(x, body)
}

function reading(given: Given, config?: Partial<A2aConfig>): Reading {
  const result = read(given, config)
  if (result.kind !== 'read') throw new Error(JSON.stringify(result))
  return result
}

/** What a table compares: the action without its arguments. */
function gist(given: Given, config?: Partial<A2aConfig>): Readonly<Record<string, unknown>> | string {
  const result = read(given, config)
  if (result.kind !== 'read') return result.kind
  const [action] = result.actions
  return {
    kind: action.kind,
    what: 'what' in action ? action.what : undefined,
    effect: action.effect,
    home: action.home,
    sure: result.sure,
  }
}

const notification = (method: string, params?: unknown) => ({
  jsonrpc: '2.0',
  method,
  ...(params === undefined ? {} : { params }),
})
const rpc = (method: string, params?: unknown) => ({ ...notification(method, params), id: 1 })

const parts = [{ kind: 'text', text: 'book it' }]
const message = { kind: 'message', role: 'user', messageId: 'm1', contextId: 'c7', taskId: 't3', parts }
const words = { kind: 'user-message', text: 'book it', contextId: 'c7', taskId: 't3' }

test.each<[string, object, Given]>([
  ['a send', rpc('message/send', { message }), {}],
  ['a poll', rpc('tasks/resubscribe', { id: 't3' }), {}],
  ['an unknown method', rpc('x/y', { a: 1 }), {}],
  ['a response', { jsonrpc: '2.0', id: 1, result: {} }, { headers: { 'a2a-version': '1.0' } }],
])('a member that JSON-RPC does not name is shown to gates: %s', (_, body, given) => {
  const { actions } = reading({ ...given, body: { ...body, note: 'secret' } })
  expect(actions).toMatchObject([{ kind: 'request', args: { beside_params: { note: 'secret' } } }])
})

describe('a user speaks to the agent', () => {
  test.each<[string, Given]>([
    [
      '0.1',
      {
        body: rpc('tasks/send', {
          id: 't3',
          sessionId: 'c7',
          message: { role: 'user', parts: [{ type: 'text', text: 'book it' }] },
        }),
      },
    ],
    [
      '0.1, streaming',
      { body: rpc('tasks/sendSubscribe', { id: 't3', sessionId: 'c7', message: { role: 'user', parts } }) },
    ],
    ['0.2 and 0.3', { body: rpc('message/send', { message }) }],
    ['0.3, streaming', { body: rpc('message/stream', { message }) }],
    ['1.0', { body: rpc('SendMessage', { message: { ...message, role: 'ROLE_USER', parts: [{ text: 'book it' }] } }) }],
    ['1.0, streaming', { body: rpc('SendStreamingMessage', { message: { ...message, role: 1 } }) }],
    [
      'the context beside the message',
      { body: rpc('message/send', { contextId: 'c7', message: { ...message, contextId: undefined } }) },
    ],
    ['the context in both places', { body: rpc('message/send', { contextId: 'c7', message }) }],
    ['without an id', { body: notification('SendMessage', { message }) }],
    ['HTTP, 1.0', { path: '/message:send', body: { message: { ...message, parts: [{ text: 'book it' }] } } }],
    [
      'HTTP, 0.3',
      {
        path: '/v1/message:stream',
        body: { request: { role: 'ROLE_USER', contextId: 'c7', taskId: 't3', content: [{ text: 'book it' }] } },
      },
    ],
    ['HTTP, with an escaped colon and a tenant', { path: '/acme/message%3Asend', body: { message } }],
  ])('%s', (_, given) => {
    const inbound = reading({ direction: 'inbound', ...given })
    expect(inbound.lessons).toEqual([words])
    expect(inbound.hint).toEqual({ contextId: 'c7', taskId: 't3' })
    expect(inbound.actions).toMatchObject([{ kind: 'request', effect: 'write' }])
    expect(inbound.sure).toBe(true)

    const outbound = reading({ direction: 'outbound', ...given })
    expect([outbound.lessons, outbound.hint]).toEqual([[], undefined])
    expect(outbound.actions).toEqual(inbound.actions)
  })

  test.each<[string, unknown, readonly unknown[]]>([
    ['an agent\u2019s message is nobody\u2019s intent', { ...message, role: 'agent' }, []],
    ['nor is one without a role', { ...message, role: undefined }, []],
    [
      'a message without words still is a turn',
      { ...message, parts: [{ kind: 'data', data: { text: 'x' } }] },
      [{ ...words, text: '' }],
    ],
    ['no message at all', undefined, []],
  ])('%s', (_, value, lessons) => {
    expect(reading({ direction: 'inbound', body: rpc('message/send', { message: value }) }).lessons).toEqual(lessons)
  })

  test.each<[string, unknown, string]>([
    ['0.3', { message, configuration: { pushNotificationConfig: { url: 'https://evil.test/x' } } }, 'evil.test'],
    [
      '1.0',
      { message, configuration: { taskPushNotificationConfig: { url: 'https://evil.test:8/x' } } },
      'evil.test:8',
    ],
    [
      'snake case, nested',
      {
        message,
        configuration: { task_push_notification_config: { push_notification_config: { url: 'http://evil.test' } } },
      },
      'evil.test',
    ],
    ['0.1', { message, pushNotification: { url: 'https://evil.test/x' } }, 'evil.test'],
    ['no address', { message, configuration: { pushNotificationConfig: { url: 7 } } }, 'invalid'],
  ])('a webhook inside a send is in the record: %s', (_, params, webhook) => {
    expect(reading({ body: rpc('message/send', params) }).details).toMatchObject({ webhook })
  })

  test('the record says what was read, and nothing of what it said', () => {
    const { details } = reading({ direction: 'inbound', body: rpc('message/send', { message }) })
    expect(details).toEqual({ method: 'message/send', role: 'user', parts: ['text'] })
  })

  test('an action has the parameters as they were sent', () => {
    const [action] = reading({ body: rpc('message/send', { message }) }).actions
    expect(action).toMatchObject({ kind: 'request', what: 'message/send', args: { message } })
  })
})

const mechanics = (what: string) => ({ kind: 'mechanics', what, effect: 'read', home: 'unstated', sure: true })
const change = (what: string) => ({ kind: 'request', what, effect: 'write', home: 'unstated', sure: true })
const stranger = (what: string) => ({ kind: 'request', what, effect: 'unknown', home: 'unstated', sure: false })

describe('everything else that an agent is asked', () => {
  test.each<[string, Given, Readonly<Record<string, unknown>>]>([
    ['a poll', { body: rpc('tasks/get', { id: 't3', historyLength: 3 }) }, mechanics('tasks/get')],
    ['a poll with empty metadata', { body: rpc('tasks/get', { id: 't3', metadata: {} }) }, mechanics('tasks/get')],
    ['a poll of 1.0', { body: rpc('GetTask', { id: 't3', history_length: 3 }) }, mechanics('GetTask')],
    ['attaching again', { body: rpc('tasks/resubscribe', { id: 't3' }) }, mechanics('tasks/resubscribe')],
    ['attaching again, 1.0', { body: rpc('SubscribeToTask', { id: 't3' }) }, mechanics('SubscribeToTask')],
    ['a list', { body: rpc('ListTasks', { contextId: 'c7', pageSize: 10 }) }, mechanics('ListTasks')],
    [
      'a webhook, looked up',
      { body: rpc('tasks/pushNotificationConfig/get', { id: 't3' }) },
      mechanics('tasks/pushNotificationConfig/get'),
    ],
    [
      'webhooks, listed',
      { body: rpc('ListTaskPushNotificationConfigs', { taskId: 't3' }) },
      mechanics('ListTaskPushNotificationConfigs'),
    ],
    ['a card', { body: rpc('GetExtendedAgentCard') }, mechanics('GetExtendedAgentCard')],
    [
      'a card of 0.3',
      { body: rpc('agent/getAuthenticatedExtendedCard') },
      mechanics('agent/getAuthenticatedExtendedCard'),
    ],
    ['a version in the query', { path: '/?A2A-Version=1.0', body: rpc('GetTask', { id: 't3' }) }, mechanics('GetTask')],

    ['cancel', { body: rpc('tasks/cancel', { id: 't3' }) }, change('tasks/cancel')],
    ['cancel, 1.0', { body: rpc('CancelTask', { id: 't3' }) }, change('CancelTask')],
    [
      'a webhook, set',
      { body: rpc('tasks/pushNotificationConfig/set', { taskId: 't3', pushNotificationConfig: {} }) },
      change('tasks/pushNotificationConfig/set'),
    ],
    [
      'a webhook of 0.1, set',
      { body: rpc('tasks/pushNotification/set', { id: 't3' }) },
      change('tasks/pushNotification/set'),
    ],
    [
      'a webhook, created',
      { body: rpc('CreateTaskPushNotificationConfig', {}) },
      change('CreateTaskPushNotificationConfig'),
    ],
    [
      'a webhook, deleted',
      { body: rpc('DeleteTaskPushNotificationConfig', {}) },
      change('DeleteTaskPushNotificationConfig'),
    ],
    ['an unknown name', { body: rpc('tasks/purge', { id: 't3' }) }, stranger('tasks/purge')],
    ['a name in another letter case', { body: rpc('getTask', { id: 't3' }) }, stranger('getTask')],
    [
      'another protocol\u2019s name',
      { body: rpc('tools/call', { name: 'pay', arguments: {} }) },
      stranger('tools/call'),
    ],
    [
      'an unknown name on a known path',
      { path: '/a2a', body: rpc('tasks/purge') },
      { ...stranger('tasks/purge'), sure: true },
    ],
    [
      'a response on a known path',
      { path: '/a2a/', body: { jsonrpc: '2.0', id: 1, result: {} } },
      { ...stranger('JSON-RPC response'), sure: true },
    ],
    [
      'other JSON on a known path',
      { path: '/a2a', body: { hello: 1 } },
      { ...stranger('unknown message'), sure: true },
    ],
    [
      'an agent\u2019s notification',
      { path: '/hook', headers: { 'x-a2a-notification-token': 'x' }, body: { id: 't3', status: {} } },
      { ...stranger('push notification'), sure: true },
    ],

    ['a poll over HTTP, on a known path', { path: '/a2a/v1/tasks/t3?history_length=2' }, mechanics('GetTask')],
    [
      'a poll over HTTP, with the version',
      { path: '/x/tasks/t3', headers: { 'a2a-version': '1.0' } },
      mechanics('GetTask'),
    ],
    ['attaching again over HTTP', { method: 'POST', path: '/tasks/t3:subscribe' }, mechanics('SubscribeToTask')],
    ['a card over HTTP', { path: '/a2a/extendedAgentCard' }, mechanics('GetExtendedAgentCard')],
    ['cancel over HTTP', { method: 'POST', path: '/v1/tasks/t3:cancel' }, change('CancelTask')],
    ['cancel over HTTP, with a body', { path: '/v1/tasks/t3:cancel', body: { metadata: {} } }, change('CancelTask')],
    [
      'a webhook over HTTP',
      { path: '/tasks/t3/pushNotificationConfigs', body: { url: 'https://x.test' } },
      change('CreateTaskPushNotificationConfig'),
    ],
    [
      'a webhook, deleted over HTTP',
      { method: 'DELETE', path: '/tasks/t3/pushNotificationConfigs/p' },
      change('DeleteTaskPushNotificationConfig'),
    ],
    [
      'a send with the wrong HTTP method',
      { method: 'PUT', path: '/message:send', body: { message } },
      { ...stranger('PUT on a path of the protocol'), sure: true },
    ],
  ])('%s', (_, given, expected) => {
    expect(gist(given, { paths: ['/a2a'] })).toEqual(expected)
  })

  test.each<[string, Given]>([
    ['the task is missing', { body: rpc('GetTask', {}) }],
    ['a parameter that the operation does not know', { body: rpc('tasks/get', { id: 't3', note: 'the code is X7B' }) }],
    ['metadata', { body: rpc('tasks/get', { id: 't3', metadata: { code: 'X7B' } }) }],
    ['a name that is the message', { body: rpc('tasks/get', { id: 't3', 'the code is X7B': null }) }],
    ['a sentence for an id', { body: rpc('tasks/get', { id: 'the code is X7B' }) }],
    ['an id as long as a letter', { body: rpc('tasks/get', { id: 'x'.repeat(257) }) }],
    ['an object for a number', { body: rpc('tasks/get', { id: 't3', historyLength: {} }) }],
    ['white space to carry bits', { body: `${JSON.stringify(rpc('tasks/get', { id: 't3' }))}${' '.repeat(4096)}` }],
    ['another member of the envelope', { body: { ...rpc('tasks/get', { id: 't3' }), code: 'X7B' } }],
    ['no id to answer to', { body: notification('tasks/get', { id: 't3' }) }],
    ['another HTTP method', { method: 'PUT', body: rpc('tasks/get', { id: 't3' }) }],
    ['a query', { path: '/?code=X7B', body: rpc('tasks/get', { id: 't3' }) }],
    ['a version that is the message', { path: '/?A2A-Version=X7B', body: rpc('tasks/get', { id: 't3' }) }],
    ['a parameter over HTTP that comes again', { path: '/a2a/tasks/t3?historyLength=1&historyLength=2' }],
    ['a query over HTTP', { path: '/a2a/tasks/t3?code=X7B' }],
    ['a sentence in the query over HTTP', { path: '/a2a/tasks/t3?historyLength=the+code' }],
    ['a header with another method', { path: '/a2a/tasks/t3', headers: { 'x-http-method': 'DELETE' } }],
    [
      'a header with another path',
      { headers: { 'x-original-url': '/pay?to=m' }, body: rpc('tasks/get', { id: 't3' }) },
    ],
    ['a body over HTTP', { method: 'GET', path: '/a2a/tasks/t3', body: { code: 'X7B' } }],
  ])('looking like a poll is no way past: %s', (_, given) => {
    expect(gist(given, { paths: ['/a2a'] })).toMatchObject({ kind: 'request', effect: 'unknown', sure: true })
  })

  test.each<[string, Given, unknown]>([
    ['a poll', { body: rpc('tasks/get', { id: 't3' }) }, { taskId: 't3' }],
    ['a list', { body: rpc('ListTasks', { contextId: 'c7' }) }, { contextId: 'c7' }],
    ['a webhook of 1.0', { body: rpc('CreateTaskPushNotificationConfig', { taskId: 't3' }) }, { taskId: 't3' }],
    ['cancel', { body: rpc('tasks/cancel', { id: 't3' }) }, { taskId: 't3' }],
    ['HTTP', { path: '/v1/tasks/t3' }, { taskId: 't3' }],
    ['a list over HTTP', { path: '/v1/tasks?contextId=c7' }, { contextId: 'c7' }],
  ])('it belongs to its conversation, and is not the user\u2019s word: %s', (_, given, hint) => {
    const inbound = reading({ direction: 'inbound', ...given })
    expect([inbound.hint, inbound.lessons]).toEqual([hint, []])
    if (given.body !== undefined) expect(reading(given).hint).toBeUndefined()
  })
})

describe('whose a message is', () => {
  test.each<[string, Given]>([
    ['plain JSON', { body: { hello: 1 } }],
    ['JSON with a method of its own', { body: { method: 'push', params: {} } }],
    ['no body', {}],
    ['text', { body: 'hello' }],
    ['a path that anybody may have', { path: '/tasks/t3' }],
    ['the same with a body', { path: '/tasks/t3', body: { title: 'x' } }],
    ['a response of another protocol', { body: { jsonrpc: '2.0', id: 1, result: {} } }],
    ['inference', { path: '/v1/chat/completions', body: { model: 'm', messages: [] } }],
  ])('not ours: %s', (_, given) => {
    expect(read(given)).toEqual({ kind: 'not-mine' })
  })

  test('a body that nobody asked for cannot be read', () => {
    const { x } = exchangeOf({ path: '/message:send', method: 'POST' })
    expect(createA2aParser({ hosts: [], paths: [], denial: 'http_status' }).read(x, { kind: 'unread' }).kind).toBe(
      'not-mine',
    )
  })

  test.each<[string, Given, Partial<A2aConfig>, unknown]>([
    ['no hosts', {}, {}, 'unstated'],
    ['its own host', { host: `${HOST}:8443` }, { hosts: [HOST] }, 'own'],
    ['another host', { host: 'evil.test' }, { hosts: [HOST] }, 'foreign'],
    ['the Host header does not decide', { host: HOST, routesByHost: false }, { hosts: [HOST] }, 'unstated'],
  ])('home: %s', (_, given, config, home) => {
    expect(gist({ ...given, body: rpc('GetTask', { id: 't3' }) }, config)).toMatchObject({ kind: 'mechanics', home })
  })

  test('look-ups over HTTP are known on own hosts', () => {
    expect(gist({ host: HOST, path: '/tasks/t3' }, { hosts: [HOST] })).toMatchObject({ kind: 'mechanics', home: 'own' })
    expect(gist({ host: 'evil.test', path: '/tasks/t3' }, { hosts: [HOST] })).toBe('not-mine')
  })

  test.each<[string, unknown]>([
    ['initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } }],
    ['notifications/initialized', undefined],
    ['ping', undefined],
    ['tools/list', { cursor: 'x' }],
    ['tools/call', { name: 'pay', arguments: { contextId: 1, role: 'x', message: [], parts: {} } }],
    ['resources/read', { uri: 'file:///x' }],
    ['tasks/get', { taskId: 't', _meta: {} }],
    ['tasks/result', { taskId: 't' }],
    ['tasks/cancel', { taskId: 't' }],
  ])('another protocol\u2019s message yields to its own parser: %s', (method, params) => {
    const body = method.startsWith('notifications/') ? notification(method, params) : rpc(method, params)
    const headers = { 'mcp-protocol-version': '2025-06-18' }
    const { sure, actions, lessons } = reading({ host: HOST, path: '/mcp', headers, body }, { hosts: ['other.test'] })
    expect([sure, actions[0].kind, lessons]).toEqual([false, 'request', []])
  })

  describe('names that another protocol has too', () => {
    const ours = rpc('tasks/get', { id: 't3' })
    const theirs = rpc('tasks/get', { taskId: 't3' })
    test.each<[string, Given, Partial<A2aConfig>, unknown]>([
      ['by id it is ours', { body: ours }, {}, { kind: 'mechanics', sure: true }],
      ['by taskId it may be theirs', { body: theirs }, {}, { kind: 'request', sure: false }],
      ['both', { body: rpc('tasks/get', { id: 't3', taskId: 't3' }) }, {}, { kind: 'request', sure: false }],
      ['neither', { body: rpc('tasks/get', {}) }, {}, { kind: 'request', sure: false }],
      [
        'their header',
        { body: ours, headers: { 'mcp-protocol-version': '2025-11-25' } },
        {},
        { kind: 'request', sure: false },
      ],
      [
        'our header counts before theirs',
        { body: ours, headers: { 'a2a-version': '0.3', 'mcp-session-id': 's' } },
        {},
        { kind: 'mechanics', sure: true },
      ],
      [
        'our path counts before their header',
        { body: ours, path: '/a2a', headers: { 'mcp-session-id': 's' } },
        { paths: ['/a2a'] },
        { kind: 'mechanics', sure: true },
      ],
      [
        'our host counts',
        { body: ours, host: HOST, headers: { 'mcp-session-id': 's' } },
        { hosts: [HOST] },
        { kind: 'mechanics', sure: true },
      ],
      [
        'on our host, their parameter',
        { body: theirs, host: HOST },
        { hosts: [HOST] },
        { kind: 'request', sure: true },
      ],
      ['cancel', { body: rpc('tasks/cancel', { taskId: 't3' }) }, {}, { kind: 'request', sure: false }],
    ])('%s', (_, given, config, expected) => {
      expect(gist(given, config)).toMatchObject(expected as object)
    })
  })
})

describe('what servers could read in two ways', () => {
  const text = JSON.stringify(rpc('message/send', { message }))
  const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le')
  test.each<[string, Given, Readonly<Record<string, unknown>>]>([
    ['a batch', { body: [rpc('message/send', { message })] }, { envelope: true }],
    ['an empty batch on a known path', { path: '/a2a', body: [] }, {}],
    ['a key twice', { body: text.replace('"role"', '"role":"agent","role"') }, { envelope: false }],
    ['half of it', { body: text.slice(0, -3) }, { envelope: false }],
    ['a mark before it', { body: `\ufeff${text}` }, { envelope: false }],
    ['UTF-16', { body: utf16 }, { envelope: false }],
    ['text that holds JSON', { body: JSON.stringify(text) }, {}],
    ['no jsonrpc', { body: { id: 1, method: 'message/send', params: { message } } }, { envelope: true }],
    ['an id that is null', { body: { ...rpc('SendMessage', { message }), id: null } }, { envelope: true }],
    ['a call and a response', { body: { ...rpc('SendMessage', { message }), result: {} } }, { envelope: true }],
    ['parameters in a list', { body: rpc('SendMessage', [message]) }, { envelope: true }],
    ['an escaped name', { body: text.replace('"method"', '"M\\u0065thod"') }, { envelope: true }],
    ['two contexts', { body: rpc('message/send', { contextId: 'c8', message }) }, { envelope: true }],
    [
      'two contexts, 0.1',
      { body: rpc('tasks/send', { contextId: 'c8', sessionId: 'c7', message: {} }) },
      { envelope: true },
    ],
    ['two tasks', { body: rpc('tasks/send', { id: 't4', message }) }, { envelope: true }],
    ['two messages', { body: rpc('message/send', { message, request: message }) }, { envelope: true }],
    ['two spellings', { body: rpc('message/send', { message: { ...message, context_id: 'c7' } }) }, { envelope: true }],
    [
      'a part that is text and data',
      { body: rpc('message/send', { message: { ...message, parts: [{ kind: 'data', text: 'x' }] } }) },
      { envelope: true },
    ],
    ['a task that is no text', { body: rpc('GetTask', { id: 7 }) }, { envelope: true }],
    [
      'two versions',
      { path: '/?a2a-version=1.0', headers: { 'a2a-version': '0.3' }, body: rpc('message/send', { message }) },
      { envelope: true },
    ],
    [
      'two version headers',
      {
        headers: [
          ['a2a-version', '1.0'],
          ['a2a-version', '0.3'],
        ],
        body: rpc('message/send', { message }),
      },
      { envelope: true },
    ],
    [
      'two content types',
      {
        headers: [
          ['content-type', 'application/json'],
          ['content-type', 'text/plain'],
        ],
        body: text,
      },
      {},
    ],
    ['HTTP: a key twice', { path: '/message:send', body: '{"message":{},"message":{}}' }, {}],
    ['HTTP: no object', { path: '/message:send', body: '[]' }, {}],
    ['HTTP: no JSON', { path: '/v1/message:stream', body: 'hello' }, {}],
    ['HTTP: two contexts', { path: '/message:send', body: { contextId: 'c8', message } }, {}],
    ['HTTP: a path that hides', { path: '/x%2fmessage:send', body: { message } }, {}],
    ['HTTP: a path with parameters', { path: '/message:send;x=1', body: { message } }, {}],
    ['both bindings', { path: '/message:send', body: { ...rpc('tasks/get', { id: 't3' }), message } }, {}],
    ['no JSON on a known path', { path: '/a2a', body: 'hello' }, {}],
    ['no JSON with our header', { headers: { 'a2a-version': '1.0' }, body: 'hello' }, {}],
  ])('%s', (_, given, more) => {
    expect(read(given, { paths: ['/a2a'] })).toMatchObject({
      kind: 'unreadable',
      code: 'plumbline.unreadable',
      ...more,
    })
  })

  test('another character set', () => {
    const given = { headers: { 'content-type': 'application/json; charset=utf-7' }, body: text }
    expect(read(given)).toMatchObject({ kind: 'unreadable', code: 'plumbline.unsupported_encoding' })
  })

  test('an encoding that cannot be undone', () => {
    const { x } = exchangeOf({ path: '/message:send', body: 'x' })
    const body = { kind: 'undecodable', raw: new Uint8Array([1]), why: 'br: corrupt' } as const
    const parser = createA2aParser({ hosts: [], paths: [], denial: 'http_status' })
    expect(parser.read(x, body)).toMatchObject({ kind: 'unreadable', code: 'plumbline.unsupported_encoding' })
    expect(parser.read(exchangeOf({ body: 'x' }).x, body)).toEqual({ kind: 'not-mine' })
  })
})
