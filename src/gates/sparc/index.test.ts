import { setMaxListeners } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { gateExchange, inShort, toolCall, type GateGiven } from '../../../test/support/gates/kit.ts'
import {
  askSparc,
  inAnswer,
  onItsWay,
  placedSparc,
  proposed,
  recalled,
  spec,
  UNGROUNDED,
} from '../../../test/support/gates/sparc.ts'
import { hearing } from '../../../test/support/telemetry/heard.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

async function serviceAt(listener: RequestListener): Promise<{ reflector_endpoint: string }> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { reflector_endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

interface Asked {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: Readonly<Record<string, unknown>>
}

/** A service that says the same of every call, and what it was asked. */
async function serviceThatSays(answer: unknown): Promise<{ config: { reflector_endpoint: string }; asked: Asked[] }> {
  const asked: Asked[] = []
  const config = await serviceAt((request, response) => {
    let text = ''
    request.on('data', (piece: Buffer) => (text += piece.toString()))
    request.on('end', () => {
      const { method, url, headers } = request
      asked.push({ method, url, headers, body: JSON.parse(text) as Asked['body'] })
      response.end(typeof answer === 'string' ? answer : JSON.stringify(answer))
    })
  })
  return { config, asked }
}

const APPROVE = { decision: 'approve', issues: [], overall_avg_score: 0.9, execution_time_ms: 1 }
const REJECT = { ...APPROVE, decision: 'reject', issues: [UNGROUNDED], overall_avg_score: 0.1 }
const call = toolCall('refund', { id: 'T-1' })

describe('the question to the service', () => {
  // req: sparc:field:reflector_endpoint, sparc:field:reflector_bearer, sparc:field:track, sparc:default:track
  // req: sparc:input:messages, sparc:input:tools, sparc:input:call, sparc:sentinel:sent
  test('is one marked POST with conversation, tools and call', async () => {
    const { config, asked } = await serviceThatSays(APPROVE)
    const gate = placedSparc({ ...config, reflector_bearer: 'canary-of-the-reflector' })
    expect(inShort(await askSparc(gate, call, onItsWay()))).toBe('allow/approved')
    expect(asked).toHaveLength(1)
    const [question] = asked
    expect(question).toMatchObject({ method: 'POST', url: '/reflect' })
    expect(question?.headers).toMatchObject({
      'x-sparc-reflect': '1',
      authorization: 'Bearer canary-of-the-reflector',
      'content-type': 'application/json',
    })
    expect(question?.body).toEqual({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Refund my last order' },
      ],
      tool_specs: [spec('refund')],
      tool_calls: [{ id: 'call', type: 'function', function: { name: 'refund', arguments: '{"id":"T-1"}' } }],
      session_id: 's-1',
      track: 'fast_track',
    })
  })

  // req: sparc:default:reflector_bearer
  test('has no Authorization where no bearer is set, no session where none is known, and the track that is set', async () => {
    const { config, asked } = await serviceThatSays(APPROVE)
    const gate = placedSparc({ ...config, enforcement: 'inference', track: 'spec_free' })
    const session = { certainty: 'none', method: 'none', candidates: [] } as const
    await askSparc(gate, proposed('refund', '{}'), inAnswer(undefined, { session }))
    expect(asked[0]?.headers).not.toHaveProperty('authorization')
    expect(asked[0]?.body).not.toHaveProperty('session_id')
    expect(asked[0]?.body).toMatchObject({ track: 'spec_free' })
  })

  test('goes below the endpoint’s own path', async () => {
    const { config, asked } = await serviceThatSays(APPROVE)
    await askSparc(placedSparc({ reflector_endpoint: `${config.reflector_endpoint}/team/a//` }), call, onItsWay())
    expect(asked[0]?.url).toBe('/team/a/reflect')
  })

  // req: sparc:policy:without_identity
  test('has no header of the request that it is about', async () => {
    const { config, asked } = await serviceThatSays(APPROVE)
    const headers = { authorization: 'Bearer canary-1', cookie: 'canary-2', 'x-key': 'canary-3' }
    await askSparc(placedSparc(config), call, onItsWay(recalled(), { headers }))
    expect(asked).toHaveLength(1)
    expect(JSON.stringify(asked)).not.toContain('canary')
  })
})

// req: sparc:reason:reflector_unavailable, sparc:record:reflector_unavailable, sparc:field:fail_policy
// req: sparc:policy:asked_once
describe('a service that is not well', () => {
  const answering =
    (status: number, body: string): RequestListener =>
    (request, response) => {
      request.resume().on('end', () => response.writeHead(status).end(body))
    }
  const said = (more: object) => answering(200, JSON.stringify({ ...APPROVE, ...more }))

  test.each<[string, RequestListener, string]>([
    ['answers 500', answering(500, 'canary'), 'status 500'],
    ['answers 401', answering(401, '{"decision":"approve"}'), 'status 401'],
    ['answers 429', answering(429, ''), 'status 429'],
    [
      'redirects',
      (request, response) => {
        request.resume().on('end', () => response.writeHead(307, { location: '/reflect' }).end())
      },
      'status 307',
    ],
    [
      'hangs up',
      (request) => void request.resume().on('end', () => request.socket.destroy()),
      'unreachable (UND_ERR_SOCKET)',
    ],
    ['says too much', said({ x: 'x'.repeat(1_100_000) }), 'answer over 1048576 bytes'],
    ['answers garbage', answering(200, 'canary'), 'no JSON (not JSON)'],
    ['answers nothing', answering(200, ''), 'no JSON (not JSON)'],
    [
      'has a key twice',
      answering(200, JSON.stringify(APPROVE).replace('{', '{"decision":"reject",')),
      'no JSON (a key occurs twice in one object)',
    ],
    ['has an unknown decision', said({ decision: 'canary' }), 'malformed answer'],
    ['has a score of another scale', said({ overall_avg_score: 2 }), 'malformed answer'],
    ['has wrong types', said({ issues: 'canary' }), 'malformed answer'],
    ['reports an error', said({ decision: 'error', issues: [{ explanation: 'canary' }] }), 'decision error'],
  ])('%s', async (_name, listener, failure) => {
    let questions = 0
    const config = await serviceAt((request, response) => {
      questions += 1
      listener(request, response)
    })
    const open = await askSparc(placedSparc(config), call, onItsWay())
    expect(inShort(open)).toBe('failed/reflector_unavailable')
    expect(open.run.details).toMatchObject({ reflector_failure: failure })
    const closed = await askSparc(placedSparc({ ...config, fail_policy: 'closed' }), call, onItsWay())
    expect(inShort(closed)).toBe('deny/reflector_unavailable 503 sparc.reflector_unavailable')
    expect(JSON.stringify([open, closed])).not.toContain('canary')
    // Each gate asked once: a failed question is not asked again.
    expect(questions).toBe(2)
  })

  test('is not there', async () => {
    const config = await serviceAt(() => undefined)
    const [server] = servers.splice(0)
    await new Promise((done) => server?.close(done))
    const ruling = await askSparc(placedSparc(config), call, onItsWay())
    expect(ruling.run.details).toMatchObject({ reflector_failure: 'unreachable (ECONNREFUSED)' })
  })

  // req: sparc:field:timeout_ms
  test('hangs', async () => {
    const config = await serviceAt(() => undefined)
    const ruling = await askSparc(placedSparc({ ...config, timeout_ms: 100 }), call, onItsWay())
    expect(inShort(ruling)).toBe('failed/reflector_unavailable')
    expect(ruling.run.details).toMatchObject({ reflector_failure: 'time-out' })
  })

  test('is asked 64 at once; 256 wait, no more, and none longer than his time', async () => {
    let open = 0
    const config = await serviceAt(() => (open += 1))
    const gate = placedSparc({ ...config, cache_ttl_ms: 0 })
    const leave = new AbortController()
    setMaxListeners(0, leave.signal)
    const rulings = Array.from({ length: 64 + 256 }, () => askSparc(gate, call, onItsWay(), leave.signal))
    expect((await askSparc(gate, call, onItsWay())).run.details).toMatchObject({ reflector_failure: 'queue full' })
    await vi.waitUntil(() => open === 64, { timeout: 10_000 })
    leave.abort()
    const failures = (await Promise.all(rulings)).map(({ run }) => run.details?.['reflector_failure'])
    expect(failures.filter((failure) => failure === 'time-out')).toHaveLength(64)
    expect(failures.filter((failure) => failure === 'time-out in the queue')).toHaveLength(256)
    expect(open).toBe(64)
  })

  test('is well', async () => {
    const { config } = await serviceThatSays(REJECT)
    const ruling = await askSparc(placedSparc(config), call, onItsWay())
    expect(inShort(ruling)).toBe('modify/reflected 403 sparc.reflected')
    expect(ruling.allow ? '' : ruling.no.clarification).toContain(UNGROUNDED.explanation)
  })
})

test('equal questions at once are one request, and each kept verdict none', async () => {
  const { config, asked } = await serviceThatSays(REJECT)
  const gate = placedSparc(config)
  const rulings = await Promise.all([1, 2, 3].map(() => askSparc(gate, call, onItsWay())))
  expect(rulings.map(({ run }) => run.cached)).toEqual([undefined, true, true])
  expect((await askSparc(gate, call, onItsWay())).run.cached).toBe(true)
  expect(asked).toHaveLength(1)
})

describe('from the head alone', () => {
  const own: GateGiven = {
    method: 'POST',
    host: 'reflector.test:8090',
    path: '/reflect',
    headers: { 'x-sparc-reflect': '1' },
    body: {},
  }

  // req: sparc:sentinel:honoured, sparc:field:bypass_hosts, sparc:field:bypass_paths, sparc:default:bypass_hosts
  // req: sparc:default:bypass_paths
  test.each<[string, GateGiven, object, string | undefined]>([
    ['our own question', own, {}, 'own_call'],
    ['our mark on another way', { ...own, host: 'evil.test' }, {}, undefined],
    ['our mark to another path', { ...own, path: '/mcp' }, {}, undefined],
    ['a question without our mark', { ...own, headers: {} }, {}, undefined],
    ['the mark of another gate', { ...own, headers: { 'x-ibac-judge': '1' } }, {}, undefined],
    ['our mark, where no question is ever asked', own, { reflector: 'embedded' }, undefined],
    ['our mark where hosts are only words', { ...own, routesByHost: false }, {}, undefined],
    ['a health check', { path: '/healthz' }, {}, 'path_bypass'],
    ['a path of one’s own', { path: '/x/y', body: {} }, { bypass_paths: ['/x/*'] }, 'path_bypass'],
    ['the control plane', { host: 'keycloak.auth:8080', path: '/x', body: {} }, {}, 'host_bypass'],
    ['a public name that looks like it', { host: 'keycloak.evil.com', body: {} }, {}, undefined],
    ['a host of one’s own', { host: 'a.corp', body: {} }, { bypass_hosts: ['*.corp'] }, 'host_bypass'],
    ['anything else', { path: '/mcp', body: {} }, {}, undefined],
  ])('%s', (_name, given, config, reason) => {
    const run = placedSparc(config).exempt(gateExchange(given))
    expect(run).toEqual(reason === undefined ? undefined : { action: 'skip', reason })
  })

  test('the first that says so is named', () => {
    const gate = placedSparc({ bypass_paths: ['/reflect', '/x'], bypass_hosts: ['reflector.test'] })
    const reason = (given: GateGiven) => gate.exempt(gateExchange(given))?.reason
    expect(reason(own)).toBe('own_call')
    expect(reason({ ...own, headers: {} })).toBe('path_bypass')
    expect(reason({ ...own, path: '/other' })).toBe('host_bypass')
  })
})

test('the embedded reflector needs no service', async () => {
  const gate = placedSparc({ reflector: 'embedded', reflector_endpoint: '' })
  const verdictOn = async (args: object) => (await askSparc(gate, toolCall('refund', args), onItsWay())).run
  const wrong = await verdictOn({ id: 7 })
  expect(wrong).toMatchObject({
    action: 'modify',
    reason: 'reflected',
    verdict: { track: 'embedded', decision: 'reject' },
  })
  const unheard = await verdictOn({ id: 'TX-99417' })
  expect(unheard).toMatchObject({ action: 'modify', verdict: { decision: 'reject' } })
  expect(await verdictOn({})).toMatchObject({ action: 'allow', reason: 'approved' })
})

describe('what is asked is told', () => {
  const told = async (answer: unknown, times: number) => {
    const { config } = await serviceThatSays(answer)
    const gate = placedSparc(config)
    const heard = hearing()
    const x = { ...onItsWay(), telemetry: heard.begins(undefined, undefined) }
    for (let time = 0; time < times; time += 1) await askSparc(gate, call, x)
    return heard.events.slice(1)
  }
  const asks = ['asks', 'reflector', '/reflect', undefined]

  test('a question and how it went; one that is at hand is none', async () => {
    expect(await told(REJECT, 2)).toEqual([
      asks,
      ['answered', { outcome: 'answered', verdict: 'reject' }],
      ['recalls', 'reflector', false],
      ['recalls', 'reflector', true],
    ])
  })

  test.each<[string, unknown, string]>([
    ['malformed', { decision: 'maybe' }, 'no_verdict'],
    ['no JSON', 'oh', 'not_json'],
  ])('an answer that is %s', async (_, answer, failure) => {
    expect(await told(answer, 1)).toContainEqual(['answered', { outcome: 'failed', failure }])
  })
})
