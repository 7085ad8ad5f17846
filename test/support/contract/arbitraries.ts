import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import type { Action } from '../../../src/core/action.ts'
import type { Body, Exchange, HeaderPair } from '../../../src/core/exchange.ts'
import type { Refusal } from '../../../src/core/ruling.ts'
import type { Conversation, RecalledConversation, Resolution } from '../../../src/core/session.ts'
import { NO_WATCH } from '../../../src/core/telemetry.ts'
import { requestHead } from '../../../src/http/headers.ts'
import { sessionOf, sessions } from '../gates/kit.ts'
import { exchangeOf } from '../parsers/exchange.ts'

/*
 * Exchanges of every kind, most of them near to what plugins know, since pure noise is nobody's message.
 */

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'BREW']
const HOSTS = ['peer.test', 'peer.test:8080', 'PEER.test.', '[::1]:80', '10.0.0.1', '', 'keycloak.svc', 'a b']
const PATHS = [
  ...['/', '/mcp', '/sse', '/messages', '/v1/chat/completions', '/healthz', '/.well-known/agent.json', ''],
  ...[
    '/v1/message:send',
    '/message:stream?x=1',
    '/tasks/7:cancel',
    '/tasks/7',
    '/mcp?sessionId=1',
    '/a%2fb',
    '/%',
    '*',
  ],
]
const TYPES = ['application/json', 'application/json; charset=utf-16', 'text/event-stream', 'application/grpc', 'x']
const HEADERS: Readonly<Record<string, readonly string[]>> = {
  'content-type': TYPES,
  'content-encoding': ['gzip', 'identity', 'br, gzip', 'nonsense'],
  accept: ['text/event-stream', 'application/json, text/event-stream', '*/*'],
  'mcp-protocol-version': ['2025-06-18', 'x'],
  'mcp-session-id': ['s-1'],
  'mcp-method': ['tools/call', 'ping'],
  'a2a-version': ['1.0', '0.3'],
  'x-ibac-judge': ['1'],
  'x-sparc-reflect': ['1'],
  'x-http-method-override': ['DELETE'],
  origin: ['http://peer.test'],
  'access-control-request-method': ['POST'],
}

const header: fc.Arbitrary<HeaderPair> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...Object.keys(HEADERS)).chain(oneOf) },
  { weight: 1, arbitrary: fc.tuple(fc.stringMatching(/^[a-z-]{1,12}$/), latin1()) },
)

function oneOf(name: string): fc.Arbitrary<HeaderPair> {
  return fc.constantFrom(...(HEADERS[name] ?? [''])).map((value) => [name, value] as const)
}

function latin1(): fc.Arbitrary<string> {
  return fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('latin1'))
}

const NAMES = [
  ...['tools/call', 'resources/read', 'initialize', 'ping', 'tasks/get', 'tasks/cancel', 'notifications/initialized'],
  ...['message/send', 'message/stream', 'SendMessage', 'GetTask', 'vendor/x', ''],
]

const text = fc.oneof(fc.string({ maxLength: 30 }), fc.string({ unit: 'binary', maxLength: 8 }))
const message = fc.record(
  {
    role: fc.constantFrom('user', 'agent', 'ROLE_USER', 1),
    messageId: text,
    contextId: text,
    taskId: text,
    parts: fc.array(fc.record({ kind: fc.constantFrom('text', 'data', 'file'), text }), { maxLength: 3 }),
  },
  { requiredKeys: [] },
)
const params = fc.oneof(
  fc.record({ name: text, arguments: fc.jsonValue(), uri: text, id: text, taskId: text }, { requiredKeys: [] }),
  fc.record({ message }),
  fc.jsonValue(),
)
const rpc = fc.record(
  {
    jsonrpc: fc.constantFrom('2.0', '2.0', '2.0', '1.0', 2),
    id: fc.oneof(fc.integer(), text, fc.constantFrom(null, 1.5, true)),
    method: fc.oneof(fc.constantFrom(...NAMES), text),
    params,
    result: fc.jsonValue(),
  },
  { requiredKeys: ['jsonrpc'] },
)
const chat = fc.record(
  {
    model: text,
    messages: fc.oneof(
      fc.array(fc.record({ role: fc.constantFrom('user', 'tool', 'x'), content: fc.oneof(text, fc.jsonValue()) })),
      fc.jsonValue(),
    ),
    tools: fc.jsonValue(),
    input: fc.jsonValue(),
    prompt: fc.jsonValue(),
  },
  { requiredKeys: [] },
)

const written = fc
  .oneof(rpc, rpc, chat, fc.record({ message }), fc.array(rpc, { maxLength: 2 }), fc.jsonValue())
  .map((value) => JSON.stringify(value))
const damaged = fc
  .tuple(written, fc.nat(), fc.string({ maxLength: 3 }))
  .map(([json, place, more]) => json.slice(0, place % (json.length + 1)) + more + json.slice(place % (json.length + 1)))

/** Bytes of a body: JSON of a protocol, the same with a fault in it, and anything. */
export const bytes: fc.Arbitrary<Uint8Array> = fc.oneof(
  { weight: 5, arbitrary: written.map((json) => Buffer.from(json)) },
  { weight: 2, arbitrary: damaged.map((json) => Buffer.from(json)) },
  { weight: 1, arbitrary: written.map((json) => Buffer.from(`\ufeff${json}`, 'utf16le')) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }) },
)

const body: fc.Arbitrary<Body> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom<Body>({ kind: 'none' }, { kind: 'unread' }) },
  { weight: 6, arbitrary: bytes.map((shown): Body => ({ kind: 'whole', raw: shown, bytes: shown })) },
  { weight: 1, arbitrary: bytes.map((shown): Body => ({ kind: 'whole', raw: gzipSync(shown), bytes: shown })) },
  { weight: 1, arbitrary: bytes.map((raw): Body => ({ kind: 'over-limit', raw, limitBytes: 10 })) },
  { weight: 1, arbitrary: bytes.map((raw): Body => ({ kind: 'undecodable', raw, why: 'broken' })) },
)

const toolText = fc.oneof(text, fc.constantFrom('pay', 'bank__pay', 'list'))
const argumentsText = fc.oneof(text, fc.json())
const proposal = fc.record({ id: fc.option(text, { nil: undefined }), tool: toolText, argumentsText })
const spec = fc.record({
  type: fc.constant('function'),
  function: fc.record({ name: toolText, parameters: fc.jsonValue() }),
})
const shown: fc.Arbitrary<Conversation> = fc.record({
  messages: fc.array(
    fc.record(
      {
        role: fc.constantFrom('system', 'user', 'assistant', 'tool'),
        text,
        toolCalls: fc.array(proposal, { maxLength: 2 }),
        toolCallId: text,
      },
      { requiredKeys: ['role', 'text'] },
    ),
    { maxLength: 3 },
  ),
  tools: fc.array(fc.oneof(spec, fc.jsonValue()), { maxLength: 3 }),
})
const recalled: fc.Arbitrary<RecalledConversation> = fc
  .tuple(shown, fc.boolean())
  .map(([conversation, proposedIt]) => ({ ...conversation, proposedIt }))

const session: fc.Arbitrary<Resolution> = fc.oneof(
  fc.constantFrom(sessions('none'), sessions('lost')),
  fc
    .tuple(text, fc.option(recalled, { nil: undefined }))
    .map(([said, conversation]) =>
      sessions(
        'exact',
        sessionOf('s-1', [said], { heard: [said], used: ['peer.test'], conversation: () => conversation }),
      ),
    ),
  fc
    .tuple(text, text, recalled)
    .map(([a, b, conversation]) =>
      sessions('ambiguous', sessionOf('s-1', [a], { conversation: () => conversation }), sessionOf('s-2', [b])),
    ),
)

/** Any exchange whose request is there. */
export const exchanges: fc.Arbitrary<Exchange> = fc
  .record({
    direction: fc.constantFrom('inbound' as const, 'outbound' as const),
    routesByHost: fc.boolean(),
    method: fc.constantFrom(...METHODS),
    host: fc.oneof(fc.constantFrom(...HOSTS), latin1()),
    path: fc.oneof(fc.constantFrom(...PATHS), latin1()),
    headers: fc.array(header, { maxLength: 5 }),
    body,
    session,
    conversation: fc.option(shown, { nil: undefined }),
    noted: fc.boolean(),
  })
  .map(
    ({ direction, routesByHost, method, host, path, headers, body: sent, session: resolved, conversation, noted }) => {
      const pairs: HeaderPair[] = [
        ...Object.entries({ ':method': method, ':scheme': 'http', ':authority': host, ':path': path }),
        ...headers,
      ]
      return {
        ...exchangeOf({ direction, routesByHost }).x,
        request: requestHead(pairs, sent.kind === 'none'),
        body: sent,
        session: resolved,
        conversation,
        notes: { has: () => noted },
        telemetry: NO_WATCH,
      }
    },
  )

const about = {
  effect: fc.constantFrom('read' as const, 'write' as const, 'unknown' as const),
  home: fc.constantFrom('own' as const, 'foreign' as const, 'unstated' as const),
}

export const actions: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ kind: fc.constant('tool-call' as const), tool: toolText, args: fc.jsonValue(), ...about }),
  fc.tuple(proposal, fc.record(about)).map(([call, rest]) => ({
    kind: 'tool-call' as const,
    tool: call.tool,
    args: call.argumentsText,
    proposed: call,
    ...rest,
  })),
  fc.record({ kind: fc.constant('request' as const), what: text, args: fc.jsonValue(), ...about }),
  fc.record({ kind: fc.constant('inference' as const), model: text, firstUserText: text, ...about }),
  fc.record({ kind: fc.constant('mechanics' as const), what: text, ...about }),
  fc.record({ kind: fc.constant('unclassified' as const), ...about }),
)

export const refusals: fc.Arbitrary<Refusal> = fc.record({
  code: fc.stringMatching(/^[a-z]{1,8}\.[a-z_]{1,12}$/),
  status: fc.integer({ min: 400, max: 599 }),
  message: text,
  plugin: text,
  requestId: text,
})

/** The same exchange, with nothing in common that could be changed or remembered. */
export function copyOf(x: Exchange): Exchange {
  const shown = x.body
  if (shown.kind === 'none' || shown.kind === 'unread') return x
  const raw = Uint8Array.from(shown.raw)
  if (shown.kind !== 'whole') return { ...x, body: { ...shown, raw } }
  return { ...x, body: { kind: 'whole', raw, bytes: shown.bytes === shown.raw ? raw : Uint8Array.from(shown.bytes) } }
}
