import { describe, expect, test } from 'vitest'
import { exchangeOf, type Given } from '../../../test/support/parsers/exchange.ts'
import type { Reading, ReadResult } from '../../core/plugin.ts'
import type { McpConfig } from './config.ts'
import { createMcpParser } from './mcp-parser.ts'

const PATHS = ['/mcp', '/sse', '/messages']

interface Case extends Given {
  readonly config?: Partial<McpConfig>
  readonly notes?: readonly string[]
}

function read(given: Case): ReadResult {
  const { x, body } = exchangeOf(given)
  const notes = { has: (key: string) => given.notes?.includes(key) === true }
  const config = { hosts: [], paths: PATHS, denial: 'http_status', ...given.config } as const
  return createMcpParser(config).read({ ...x, notes }, body)
}

function reading(given: Case): Reading {
  const result = read(given)
  if (result.kind !== 'read') throw new Error(JSON.stringify(result))
  return result
}

const rpc = (method: string, params?: unknown) => ({
  ...{ jsonrpc: '2.0', id: 1, method },
  ...(params === undefined ? {} : { params }),
})
const notice = (method: string, params?: unknown) => ({ ...rpc(method, params), id: undefined })
const mcp = (body: unknown, more: Partial<Case> = {}): Case => ({ path: '/mcp', body, ...more })

const call = (params: Record<string, unknown> = {}) =>
  rpc('tools/call', { name: 'pay', arguments: { n: 1 }, ...params })
const pay = { kind: 'tool-call', tool: 'pay', args: { n: 1 }, effect: 'unknown', home: 'unstated' }

const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { extensions: { 'x/y': {} } },
  'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  progressToken: 7,
}
const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: { x: {} }, clientInfo: { name: 'c', version: '1' } }

describe('actions', () => {
  // req: sparc:parsers:proposed_in_mcp
  test.each<[string, unknown, unknown[]]>([
    ['a tool call', call(), [pay]],
    ['a tool call without id', { ...call(), id: undefined }, [pay]],
    ['a tool call without arguments', rpc('tools/call', { name: 'pay' }), [{ ...pay, args: {} }]],
    ['null for arguments', rpc('tools/call', { name: 'pay', arguments: null }), [{ ...pay, args: {} }]],
    ['a call of the newest revision', call({ _meta: MODERN_META }), [pay]],
    ['a call for a task', call({ task: { ttl: 60_000 } }), [pay]],
    ['a repeated call with the state of the server', call({ requestState: 's9' }), [pay]],
    [
      'what the user answered goes along',
      call({ inputResponses: { ok: { action: 'accept' } } }),
      [
        pay,
        {
          kind: 'request',
          what: 'tools/call, beside its arguments',
          args: { inputResponses: { ok: { action: 'accept' } } },
          effect: 'unknown',
          home: 'unstated',
        },
      ],
    ],
    [
      'a resource',
      rpc('resources/read', { uri: 'file:///etc/passwd', _meta: { progressToken: 1 } }),
      [
        {
          kind: 'request',
          what: 'resources/read',
          args: { uri: 'file:///etc/passwd' },
          effect: 'read',
          home: 'unstated',
        },
      ],
    ],
    [
      'a prompt',
      rpc('prompts/get', { name: 'p', arguments: { a: 'b' } }),
      [
        {
          kind: 'request',
          what: 'prompts/get',
          args: { name: 'p', arguments: { a: 'b' } },
          effect: 'read',
          home: 'unstated',
        },
      ],
    ],
    [
      'what fills a task',
      rpc('tasks/update', { taskId: 't', inputResponses: {} }),
      [
        {
          kind: 'request',
          what: 'tasks/update',
          args: { taskId: 't', inputResponses: {} },
          effect: 'write',
          home: 'unstated',
        },
      ],
    ],
    [
      'an unknown method',
      rpc('vendor/do', { a: 1 }),
      [{ kind: 'request', what: 'vendor/do', args: { a: 1 }, effect: 'unknown', home: 'unstated' }],
    ],
    [
      'keys in _meta that nobody knows, on strange ground',
      call({ _meta: { 'evil/x': 'secret' } }),
      [
        pay,
        {
          kind: 'request',
          what: 'tools/call, beside its arguments',
          args: { _meta: { 'evil/x': 'secret' } },
          effect: 'unknown',
          home: 'unstated',
        },
      ],
    ],
  ])('%s', (_, body, actions) => {
    expect(reading(mcp(body)).actions).toEqual(actions)
  })

  /** All of an envelope goes to the server, so all of it is there to be judged. */
  test.each<[string, object, unknown[]]>([
    ['housekeeping', rpc('ping'), [{ what: 'ping', args: { params: {}, beside_params: { note: 'secret' } } }]],
    [
      'a request',
      rpc('x/y', { a: 1 }),
      [{ what: 'x/y', args: { params: { a: 1 }, beside_params: { note: 'secret' } } }],
    ],
    ['a tool call', call(), [pay, { args: { params: {}, beside_params: { note: 'secret' } } }]],
    [
      'a response',
      { jsonrpc: '2.0', id: 1, result: {} },
      [{ kind: 'request', args: { params: { result: {} }, beside_params: { note: 'secret' } } }],
    ],
  ])('a member that JSON-RPC does not name is shown: %s', (_, body, actions) => {
    expect(reading(mcp({ ...body, note: 'secret' })).actions).toMatchObject(actions)
  })

  test('__proto__ in arguments is data, in the parameters it is refused', () => {
    const body =
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay","arguments":{"__proto__":{"x":1}}}}'
    const [action] = reading(mcp(body)).actions
    expect(JSON.stringify(action)).toContain('{"__proto__":{"x":1}}')
    expect(read(mcp(body.replace('"arguments":', '"__proto__":')))).toMatchObject({ kind: 'unreadable' })
  })

  test.each([
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: 'b' } }],
    ['resources/subscribe', { uri: 'file:///a' }],
    ['subscriptions/listen', { notifications: { resourceSubscriptions: ['file:///a'] } }],
    ['Tools/Call', {}],
    ['tools/call ', {}],
    ['tools\uff0fcall', {}],
    ['tools/call\u0000', {}],
    ['tools/list ', {}],
    ['notifications/evil', {}],
    ['evil/list', {}],
    ['__proto__', {}],
    ['constructor', {}],
    ['', {}],
  ])('%j acts', (method, params) => {
    expect(reading(mcp(rpc(method, params))).actions).toMatchObject([{ kind: 'request', what: method, args: params }])
  })

  test.each([
    ['a long text in _meta', { _meta: { progressToken: 's'.repeat(4096) } }],
    ['a long state', { requestState: 's'.repeat(4096) }],
    ['a state that is no text', { requestState: { stolen: 1 } }],
  ])('what is more than the protocol needs is shown, but not of a server at home: %s', (_, beside) => {
    expect(reading(mcp(call(beside))).actions).toMatchObject([pay, { kind: 'request', args: beside }])
    const own = { host: 'tools.test', config: { hosts: ['tools.test'] } }
    expect(reading(mcp(call(beside), own)).actions).toEqual([{ ...pay, home: 'own' }])
  })

  test('a server at home may have its own keys in _meta', () => {
    const own = { host: 'tools.test', config: { hosts: ['tools.test'] } }
    expect(reading(mcp(call({ _meta: { 'ours/x': 1 } }), own)).actions).toEqual([{ ...pay, home: 'own' }])
  })
})

describe('housekeeping', () => {
  const FITS: readonly (readonly [string, unknown])[] = [
    ['initialize', rpc('initialize', INITIALIZE)],
    [
      'initialize, with all it may say',
      rpc('initialize', {
        ...INITIALIZE,
        clientInfo: {
          name: 'c',
          version: '1',
          title: 't',
          websiteUrl: 'https://c.test',
          description: 'd',
          icons: [{ src: 'https://c.test/i.png', mimeType: 'image/png', sizes: ['any'], theme: 'dark' }],
        },
      }),
    ],
    ['ping', rpc('ping')],
    ['ping with null', rpc('ping', null)],
    ['server/discover', rpc('server/discover', { _meta: MODERN_META })],
    ['tools/list', rpc('tools/list')],
    ['tools/list, next page', rpc('tools/list', { cursor: 'p2', _meta: MODERN_META })],
    ['prompts/list', rpc('prompts/list', {})],
    ['resources/list', rpc('resources/list')],
    ['resources/templates/list', rpc('resources/templates/list')],
    ['tasks/list', rpc('tasks/list')],
    ['logging/setLevel', rpc('logging/setLevel', { level: 'debug' })],
    ['resources/unsubscribe', rpc('resources/unsubscribe', { uri: 'file:///a' })],
    [
      'subscriptions/listen',
      rpc('subscriptions/listen', { notifications: { toolsListChanged: true, resourceSubscriptions: [] } }),
    ],
    ['notifications/initialized', notice('notifications/initialized')],
    ['notifications/roots/list_changed', notice('notifications/roots/list_changed')],
    ['notifications/cancelled', notice('notifications/cancelled', { requestId: 3, reason: 'timeout' })],
    [
      'notifications/progress',
      notice('notifications/progress', { progressToken: 'a', progress: 0.5, total: 1, message: 'm' }),
    ],
    [
      'notifications/tasks/status',
      notice('notifications/tasks/status', { taskId: 't', status: 'working', ttl: null, createdAt: 'now' }),
    ],
    ['an empty response', { jsonrpc: '2.0', id: 1, result: {} }],
    ['a short error', { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } }],
  ]

  test.each(FITS)('%s', (_, body) => {
    expect(reading(mcp(body)).actions).toMatchObject([{ kind: 'mechanics', effect: 'read', home: 'unstated' }])
  })

  test.each(FITS)('%s with more in it than it needs acts', (_, body) => {
    const message = body as { params?: object | null; result?: object; error?: object }
    const filled =
      message.result !== undefined
        ? { ...message, result: { action: 'accept', content: { pw: 'x' } } }
        : message.error !== undefined
          ? { ...message, error: { code: 1, message: 'x'.repeat(300) } }
          : { ...message, params: { ...message.params, note: 'secret' } }
    expect(reading(mcp(filled)).actions).toMatchObject([{ kind: 'request' }])
    expect(reading(mcp({ ...message, note: 'secret' })).actions).toMatchObject([{ kind: 'request' }])
    expect(reading(mcp(body, { method: 'DELETE' })).actions).toMatchObject([{ kind: 'request' }])
  })

  test.each<[string, unknown]>([
    ['a cursor beyond 4 KiB', rpc('tools/list', { cursor: 'x'.repeat(4096) })],
    ['capabilities beyond 4 KiB', rpc('initialize', { ...INITIALIZE, capabilities: { x: 'x'.repeat(4096) } })],
    ['a level that there is not', rpc('logging/setLevel', { level: 'secret' })],
    ['a cursor that is no text', rpc('tools/list', { cursor: { a: 1 } })],
    ['unknown keys in _meta', rpc('ping', { _meta: { 'evil/x': 1 } })],
    ['a notification with an id', rpc('notifications/initialized')],
    ['a request without id', notice('ping')],
    ['initialize without what it must say', rpc('initialize', {})],
    ['a result that is no object', { jsonrpc: '2.0', id: 1, result: 'secret' }],
    ['an error that is no object', { jsonrpc: '2.0', id: 1, error: 'secret' }],
  ])('%s acts', (_, body) => {
    expect(reading(mcp(body)).actions).toMatchObject([{ kind: 'request', effect: 'unknown' }])
  })

  test('params of 4096 bytes are housekeeping, one more is not', () => {
    const cursor = (bytes: number) => rpc('tools/list', { cursor: 'x'.repeat(bytes - '{"cursor":""}'.length) })
    expect(reading(mcp(cursor(4096))).actions[0].kind).toBe('mechanics')
    expect(reading(mcp(cursor(4097))).actions[0].kind).toBe('request')
  })

  test.each(['tasks/get', 'tasks/result', 'tasks/cancel'])(
    '%s only for a task that an allowed call started',
    (method) => {
      const notes = ['mcp-task:peer.test:t1']
      const kind = (params: unknown, given: Partial<Case> = { notes }) =>
        reading(mcp(rpc(method, params), given)).actions[0].kind
      expect(kind({ taskId: 't1' })).toBe('mechanics')
      expect(kind({ taskId: 't1' }, {})).toBe('request')
      expect(kind({ taskId: 't2' })).toBe('request')
      expect(kind({ taskId: 't1' }, { notes, host: 'other.test' })).toBe('request')
      expect(kind({ taskId: 't1', x: 1 })).toBe('request')
      expect(kind({ taskId: 't1', id: 't1' })).toBe('request')
      expect(kind({ id: 't1' })).toBe('request')
      expect(kind({})).toBe('request')
    },
  )
})

describe('whose a body is', () => {
  test.each<[string, Case, 'read' | 'unreadable' | 'not-mine']>([
    ['JSON-RPC anywhere', { path: '/x', body: rpc('tools/list') }, 'read'],
    ['JSON-RPC of nobody knows what', { path: '/x', body: rpc('eth/call', {}) }, 'read'],
    ['a folded key', { path: '/x', body: '{"JSONRPC":"2.0","method":"x"}' }, 'unreadable'],
    ['UTF-16', { path: '/x', body: Buffer.from(JSON.stringify(call()), 'utf16le') }, 'unreadable'],
    ['a batch', { path: '/x', body: [call()] }, 'unreadable'],
    ['an empty batch on a path', { path: '/mcp', body: [] }, 'unreadable'],
    ['method with a known name', { path: '/x', body: { method: 'tools/call' } }, 'unreadable'],
    ['method with another name', { path: '/x', body: { method: 'POST' } }, 'not-mine'],
    ['method with another name on a path', { path: '/mcp', body: { method: 'POST' } }, 'unreadable'],
    ['plain JSON', { path: '/x', body: { a: 1 } }, 'not-mine'],
    [
      'plain JSON on a host',
      { path: '/token', body: { a: 1 }, host: 'a.test', config: { hosts: ['a.test'] } },
      'not-mine',
    ],
    ['plain JSON on a path', { path: '/mcp', body: { a: 1 } }, 'unreadable'],
    ['plain JSON on a path with slash', { path: '/mcp/', body: { a: 1 } }, 'unreadable'],
    ['plain JSON on what some take for the path', { path: '/MCP;a=b', body: { a: 1 } }, 'unreadable'],
    ['plain JSON beside a path', { path: '/mcp/x', body: { a: 1 } }, 'not-mine'],
    [
      'plain JSON with a header of the protocol',
      { path: '/x', body: { a: 1 }, headers: { 'mcp-session-id': 's' } },
      'unreadable',
    ],
    ['a message inside other JSON', { path: '/x', body: { log: call() } }, 'not-mine'],
    ['no body on a path', { path: '/mcp', method: 'POST' }, 'unreadable'],
    ['no body elsewhere', { path: '/x', method: 'POST' }, 'not-mine'],
    ['a GET with a body', { path: '/x', method: 'GET', body: call() }, 'read'],
  ])('%s', (_, given, kind) => {
    expect(read(given).kind).toBe(kind)
  })

  const undecodable = (raw: Uint8Array, given: Given) =>
    createMcpParser({ hosts: [], paths: PATHS, denial: 'http_status' }).read(exchangeOf(given).x, {
      kind: 'undecodable',
      raw,
      why: 'not valid gzip',
    })
  const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))

  test('an encoding that cannot be undone', () => {
    const unsupported = { kind: 'unreadable', code: 'plumbline.unsupported_encoding' }
    expect(undecodable(bytes(call()), { path: '/x' })).toMatchObject(unsupported)
    expect(undecodable(Uint8Array.of(1, 2), { path: '/mcp' })).toMatchObject(unsupported)
    expect(undecodable(Uint8Array.of(1, 2), { path: '/x' })).toEqual({ kind: 'not-mine' })
  })

  test('the bytes as they were sent count too', () => {
    const { x } = exchangeOf({ path: '/x' })
    const parser = createMcpParser({ hosts: [], paths: PATHS, denial: 'http_status' })
    const body = { kind: 'whole', raw: bytes(call()), bytes: bytes({ a: 1 }) } as const
    expect(parser.read(x, body)).toMatchObject({ kind: 'unreadable' })
  })

  test.each<[string, string, string]>([
    ['another character set', 'application/json; charset=utf-16', 'plumbline.unsupported_encoding'],
    ['UTF-8 by name', 'Application/JSON; charset="UTF-8"', ''],
    ['another type', 'text/plain', ''],
    ['no type', '', ''],
  ])('content type: %s', (_, type, code) => {
    const result = read(mcp(call(), { headers: type === '' ? {} : { 'content-type': type } }))
    if (code === '') expect(result).toMatchObject({ kind: 'read', actions: [pay] })
    else expect(result).toMatchObject({ kind: 'unreadable', code })
  })

  test('compressed bytes without a label', () => {
    expect(read(mcp(Buffer.from('1f8b080000', 'hex')))).toMatchObject({ code: 'plumbline.unsupported_encoding' })
  })
})

describe('sure or not', () => {
  const own = { host: 'a.test', config: { hosts: ['a.test'] } }
  test.each<[string, Case, boolean]>([
    ['on a path', mcp(rpc('vendor/x', {})), true],
    ['by a header', { path: '/x', body: rpc('vendor/x', {}), headers: { 'mcp-protocol-version': '2025-11-25' } }, true],
    ['by name', { path: '/x', body: call() }, true],
    ['an unknown name', { path: '/x', body: rpc('message/send', {}) }, false],
    ['an unknown name at home', { path: '/x', body: rpc('message/send', {}), ...own }, false],
    ['a response', { path: '/x', body: { jsonrpc: '2.0', id: 1, result: {} } }, false],
    ['tasks/get as here', { path: '/x', body: rpc('tasks/get', { taskId: 't' }) }, true],
    ['tasks/get as in A2A', { path: '/x', body: rpc('tasks/get', { id: 't' }) }, false],
    ['tasks/get as both', { path: '/x', body: rpc('tasks/get', { id: 't', taskId: 't' }) }, false],
    ['tasks/get as neither', { path: '/x', body: rpc('tasks/get', {}) }, false],
    [
      'tasks/get with the header of A2A',
      { path: '/x', body: rpc('tasks/get', { taskId: 't' }), headers: { 'a2a-version': '0.3' } },
      false,
    ],
    ['tasks/get at home', { path: '/x', body: rpc('tasks/get', { id: 't' }), ...own }, true],
    ['tasks/result', { path: '/x', body: rpc('tasks/result', {}) }, true],
  ])('%s', (_, given, sure) => {
    expect(reading(given).sure).toBe(sure)
  })
})

describe('home', () => {
  test.each<[string, Partial<Case>, string]>([
    ['no hosts', {}, 'unstated'],
    ['own', { host: 'A.test.:80', config: { hosts: ['a.test'] } }, 'own'],
    ['foreign', { host: 'b.test', config: { hosts: ['a.test'] } }, 'foreign'],
    [
      'the Host header proves nothing',
      { host: 'a.test', config: { hosts: ['a.test'] }, routesByHost: false },
      'unstated',
    ],
  ])('%s', (_, more, home) => {
    expect(reading(mcp(rpc('ping'), more)).actions[0].home).toBe(home)
  })

  test('hosts that a gate lends count', () => {
    const { x, body } = exchangeOf(mcp(rpc('ping')))
    const parser = createMcpParser({ hosts: [], paths: PATHS, denial: 'http_status' }, ['peer.*'])
    expect(parser.read(x, body)).toMatchObject({ actions: [{ home: 'own' }] })
  })
})

describe('without a body', () => {
  const known = { notes: ['mcp-host:peer.test'] }
  const session = { 'mcp-session-id': 's' }
  test.each<[string, Case, string, string]>([
    ['a stream', { path: '/mcp' }, '$transport/stream', 'unstated'],
    ['a stream, with slash', { path: '/sse/' }, '$transport/stream', 'unstated'],
    ['a stream, by session', { path: '/sse?sessionId=7c1-ab' }, '$transport/stream', 'unstated'],
    ['a stream of a host that a message was allowed to', { path: '/mcp', ...known }, '$transport/stream', 'own'],
    ['at home', { path: '/mcp', config: { hosts: ['peer.test'] } }, '$transport/stream', 'own'],
    ['elsewhere', { path: '/mcp', config: { hosts: ['a.test'] } }, '$transport/stream', 'foreign'],
    ['elsewhere, known', { path: '/mcp', config: { hosts: ['a.test'] }, ...known }, '$transport/stream', 'own'],
    [
      'known, but the Host header proves nothing',
      { path: '/mcp', ...known, routesByHost: false },
      '$transport/stream',
      'unstated',
    ],
    ['the end', { path: '/mcp', method: 'DELETE', headers: session }, '$transport/terminate', 'unstated'],
  ])('%s', (_, given, what, home) => {
    expect(reading(given)).toMatchObject({ actions: [{ kind: 'mechanics', what, home, effect: 'read' }], lessons: [] })
  })

  test.each<[string, Case]>([
    ['another path', { path: '/x' }],
    ['another query', { path: '/mcp?q=secret' }],
    ['more than the session', { path: '/mcp?sessionId=a&q=secret' }],
    ['a session with room for more', { path: `/mcp?sessionId=${'a'.repeat(129)}` }],
    ['a session twice', { path: '/mcp?sessionId=a&sessionId=b' }],
    ['a path that servers differ about', { path: '/mcp;x=secret' }],
    ['below a path', { path: '/mcp/secret' }],
    ['dots that lead there', { path: '/secret/../mcp' }],
    ['a path in a header', { path: '/mcp', headers: { 'x-original-url': '/collect?secret' } }],
    ['DELETE without session', { path: '/messages', method: 'DELETE' }],
    ['HEAD', { path: '/mcp', method: 'HEAD' }],
    ['OPTIONS', { path: '/mcp', method: 'OPTIONS' }],
    ['another path with a header', { path: '/x', headers: session }],
  ])('not ours: %s', (_, given) => {
    expect(read(given)).toEqual({ kind: 'not-mine' })
  })

  test.each<[string, Case]>([
    ['a method in a header', { path: '/mcp', headers: { 'x-http-method-override': 'POST' } }],
    [
      'a session twice',
      {
        path: '/mcp',
        headers: [
          ['mcp-session-id', 'a'],
          ['mcp-session-id', 'b'],
        ],
      },
    ],
  ])('unreadable: %s', (_, given) => {
    expect(read(given)).toMatchObject({ kind: 'unreadable', code: 'plumbline.unreadable' })
  })
})

describe('what is learnt from a request', () => {
  test('the host, for when a gate has judged it', () => {
    expect(reading(mcp(rpc('ping'))).lessons).toEqual([{ kind: 'note', key: 'mcp-host:peer.test', judged: true }])
  })

  test('nothing from what may be another protocol, nor from others', () => {
    expect(reading({ path: '/x', body: rpc('message/send', {}) }).lessons).toEqual([])
    expect(reading(mcp(rpc('ping'), { direction: 'inbound' })).lessons).toEqual([])
  })

  test('the record names method and tool, cut', () => {
    expect(reading(mcp(call())).details).toEqual({ kind: 'request', method: 'tools/call', tool: 'pay' })
    expect(reading(mcp(rpc('x'.repeat(999), {}))).details).toMatchObject({ method: 'x'.repeat(128) })
  })
})

test('the body of an exempted request is wanted on its own ground', () => {
  const parser = createMcpParser({ hosts: ['a.test'], paths: ['/mcp'], denial: 'http_status' })
  const wants = (given: Given) => parser.wantsExempt(exchangeOf(given).x)
  expect(wants({ path: '/mcp' })).toBe(true)
  expect(wants({ path: '/x', host: 'a.test' })).toBe(true)
  expect(wants({ path: '/x', host: 'b.test' })).toBe(false)
})
