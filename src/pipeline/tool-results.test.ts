import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { lineGuard } from '../../test/support/pipeline/line-guard.ts'
import { fixture, say } from '../../test/support/session/kit.ts'
import { createByteBudget } from '../core/byte-budget.ts'
import type { Exchange, HeaderPair } from '../core/exchange.ts'
import type { AnswerReader, Gate, Parser, Placed, Reading } from '../core/plugin.ts'
import type { ExchangeRecord } from '../core/record.ts'
import type { Ruling, Run } from '../core/ruling.ts'
import type { Lesson, SessionView } from '../core/session.ts'
import { NO_TELEMETRY } from '../core/telemetry.ts'
import { plainRefusal } from '../parsers/kit/refusal.ts'
import { createPipeline } from './pipeline.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const ALLOW: Ruling = { allow: true, run: { action: 'allow', reason: 'aligned' } }
const EXEMPT: Run = { action: 'skip', reason: 'host_bypass' }

function gate(over: Partial<Gate> = {}): Gate {
  return {
    kind: 'gate',
    timeoutMs: 100,
    points: ['request'],
    failsOpen: false,
    exempt: () => undefined,
    judge: async () => ALLOW,
    ...over,
  }
}

const looking = (over: Partial<Gate> = {}) => gate({ needsResults: { bytes: 10_000 }, ...over })
const placed = <P extends Parser | Gate>(plugin: P, id: string): Placed<P> => ({
  id,
  name: id,
  mode: 'enforce',
  plugin,
})

function reading(over: Partial<Reading> = {}): Reading {
  return {
    kind: 'read',
    actions: [{ kind: 'tool-call', tool: 'read', args: {}, effect: 'read', home: 'unstated' }],
    method: undefined,
    sure: true,
    hint: undefined,
    lessons: [],
    details: {},
    refuse: plainRefusal,
    ...over,
  }
}

function parser(mine: Reading, over: Partial<Parser> = {}): Parser {
  const read = () => mine
  return { kind: 'parser', isHome: () => false, wantsExempt: () => false, read, readAnswer: () => undefined, ...over }
}

/** One user speaks, and the agent's exchanges are that session's. */
function scene(plugins: readonly Placed[]) {
  const { sessions } = fixture()
  const { view } = say(sessions, 'go')
  const errors: unknown[] = []
  const records: ExchangeRecord[] = []
  const { open } = createPipeline({
    chains: { inbound: { plugins: [] }, outbound: { plugins } },
    sessions,
    limits: {
      bodyBytes: 50_000,
      ratio: 100,
      hold: { bytes: 1_000, ms: 60_000, calls: 4 },
      verdictDeadlineMs: { inbound: 60_000, outbound: 60_000 },
    },
    answers: createByteBudget(1_000_000),
    telemetry: NO_TELEMETRY,
    log: { info: () => undefined, warn: () => undefined, error: (facts) => void errors.push(facts) },
    record: (record) => records.push(record),
    now: () => 0,
  })
  return {
    open: () => open({ direction: 'outbound', workload: 'w', routesByHost: true }),
    sessions,
    view,
    errors,
    records,
  }
}

interface Sent {
  readonly method?: string
  readonly body?: string
  readonly answer?: string | Uint8Array
  readonly headers?: readonly HeaderPair[]
  readonly how?: 'complete' | 'gone'
}

type Scene = ReturnType<typeof scene>

const TEXT: readonly HeaderPair[] = [['content-type', 'text/plain']]

/** A whole exchange; what was asked of its answer. */
async function exchange(where: Scene, { method = 'GET', body, answer = 'hello', headers = TEXT, how }: Sent = {}) {
  const handler = where.open()
  const head: HeaderPair[] = [
    [':method', method],
    [':scheme', 'https'],
    [':authority', 'api.test'],
    [':path', '/items?q=1'],
  ]
  const reply = await handler.requestHead(head, body === undefined)
  if (reply.kind === 'continue' && reply.body === 'whole') await handler.requestBody(encode(body ?? ''))
  const plan = handler.answerHead([[':status', '200'], ...headers], false, true)
  const bytes = typeof answer === 'string' ? encode(answer) : answer
  if (plan.kind === 'stream') {
    await handler.answerChunk(bytes.subarray(0, 3), false)
    await handler.answerChunk(bytes.subarray(3), how !== 'gone')
  }
  if (plan.kind === 'whole') await handler.answerBody(bytes)
  const learntBefore = where.view.results.list.length
  handler.end(how ?? 'complete')
  await new Promise(setImmediate)
  return { plan: plan.kind, learntBefore }
}

describe('plain HTTP, for a gate that needs results', () => {
  const url = 'https://api.test/items?q=1'

  test.each<[string, Sent, unknown]>([
    ['GET', {}, { tool: 'get_url', args: { url }, text: 'hello', host: 'api.test', cut: false }],
    ['POST', { method: 'POST', body: '{"a":[1]}' }, { tool: 'send_http', args: { url, body: { a: [1] } } }],
    ['PUT', { method: 'PUT', body: 'a text' }, { tool: 'update_http', args: { url, body: 'a text' } }],
    ['PATCH', { method: 'PATCH', body: '{"a":1}' }, { tool: 'update_http' }],
    ['DELETE', { method: 'DELETE' }, { tool: 'delete_http', args: { url } }],
    ['no text in the request', { method: 'POST', body: 'a\u0000b' }, { tool: 'send_http', args: { url } }],
    ['JSON', { headers: [['content-type', 'application/json']], answer: '{"a":1}' }, { text: '{"a":1}' }],
    ['HTML', { headers: [['content-type', 'text/html; charset=utf-8']], answer: '<p>é</p>' }, { text: '<p>é</p>' }],
    ['XML', { headers: [['content-type', 'application/atom+xml']], answer: '<a/>' }, { text: '<a/>' }],
    ['another character set', { headers: [['content-type', 'text/plain; charset=latin1']], answer: Uint8Array.of(104, 233, 33, 33) }, { text: 'hé!!' }], // prettier-ignore
    ['no content type', { headers: [] }, { text: 'hello' }],
    ['gzip', { headers: [...TEXT, ['content-encoding', 'gzip']], answer: gzipSync('hello') }, { text: 'hello' }],
  ])('%s: the answer is a result', async (_, sent, expected) => {
    const where = scene([placed(looking(), 'gate')])
    expect(await exchange(where, sent)).toEqual({ plan: 'stream', learntBefore: 1 })
    expect(where.view.results.list).toMatchObject([expected])
    expect(where.view.results.incomplete).toBe(false)
    const own = where.records[0]?.invocations.filter(({ plugin }) => plugin === 'plumbline')
    expect(own).toMatchObject([{ action: 'observe', reason: 'read', phase: 'response', details: { answer: 'text' } }])
  })

  test.each<[string, Sent, string, string[]]>([
    ['a picture', { headers: [['content-type', 'image/png']] }, 'none', []],
    ['bytes that are no text', { headers: [], answer: Uint8Array.of(1, 2, 3, 4) }, 'stream', []],
    ['an unknown encoding', { headers: [...TEXT, ['content-encoding', 'x-own']] }, 'none', []],
    ['a broken encoding', { headers: [...TEXT, ['content-encoding', 'gzip']] }, 'stream', []],
    ['more than a gate wants', { answer: 'x'.repeat(20_000) }, 'stream', ['x'.repeat(5_000)]],
    ['more than is decoded', { answer: 'x'.repeat(60_000) }, 'stream', ['x'.repeat(5_000)]],
    ['an answer that breaks off', { how: 'gone' }, 'stream', ['hello']],
    ['bytes of no character', { answer: Uint8Array.of(104, 105, 255, 33) }, 'stream', ['hi\ufffd!']],
  ])('%s: what was not seen is said', async (_, sent, plan, texts) => {
    const where = scene([placed(looking(), 'gate')])
    expect(await exchange(where, sent)).toMatchObject({ plan })
    expect(where.view.results.list.map(({ text }) => text)).toEqual(texts)
    expect(where.view.results.incomplete).toBe(true)
  })

  test('an empty answer is complete', async () => {
    const where = scene([placed(looking(), 'gate')])
    await exchange(where, { answer: '' })
    expect(where.view.results).toMatchObject({ list: [], incomplete: false })
  })

  test.each<[string, Placed[]]>([
    ['no gate needs results', [placed(gate(), 'gate')]],
    ['the gate that does is off', [{ ...placed(looking(), 'gate'), mode: 'off' }, placed(gate(), 'other')]],
    ['every gate that does exempts it', [placed(looking({ exempt: () => EXEMPT }), 'gate'), placed(gate(), 'other')]],
    ['a parser claims it', [placed(parser(reading()), 'parser'), placed(looking(), 'gate')]],
  ])('is not asked for where %s', async (_, plugins) => {
    const where = scene(plugins)
    expect(await exchange(where, { method: 'POST', body: '{}' })).toMatchObject({ plan: 'none' })
    expect(where.view.results.list).toEqual([])
  })

  test('what nobody looked at before is missing when a gate looks', async () => {
    const where = scene([placed(gate(), 'gate')])
    await exchange(where)
    expect(where.view.results.incomplete).toBe(true)
  })
})

describe('gates hear of new results', () => {
  const result = (text: string): Lesson => ({ kind: 'tool-result', tool: 'read', args: {}, text })

  function answeringParser(...texts: readonly string[]): Parser {
    const reader: AnswerReader = {
      feed: () => [],
      end: () => ({ lessons: texts.map(result), details: {} }),
    }
    return parser(reading(), { readAnswer: () => reader })
  }

  test('once a batch, after the answer, and only of what is new', async () => {
    const heard: [SessionView, number][] = []
    const listening = looking({
      heard: (view) => {
        heard.push([view, view.results.list.length])
        return 'done'
      },
    })
    const where = scene([placed(answeringParser('x', 'y'), 'parser'), placed(listening, 'gate')])
    await exchange(where)
    expect(heard).toEqual([[where.view, 2]])
    await exchange(where)
    expect(heard).toHaveLength(1)
  })

  test('who wants more is called again after all else had its turn, the others are not', async () => {
    const heard: string[] = []
    const inPieces = looking({ heard: () => (heard.push('in pieces') < 5 ? 'more' : 'done') })
    const atOnce = looking({ heard: () => (heard.push('at once'), 'done') })
    const where = scene([placed(answeringParser('x'), 'parser'), placed(inPieces, 'a'), placed(atOnce, 'b')])
    await exchange(where)
    await new Promise(setImmediate)
    expect(heard.slice(0, 3)).toEqual(['in pieces', 'at once', 'in pieces'])
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate)
    expect(heard).toEqual(['in pieces', 'at once', 'in pieces', 'in pieces', 'in pieces'])
  })

  test('one that throws is logged, and the others hear', async () => {
    const heard: string[] = []
    const boom = () => {
      throw new Error('boom')
    }
    const where = scene([
      placed(answeringParser('x'), 'parser'),
      placed(looking({ heard: boom }), 'broken'),
      placed(looking({ heard: ({ id }) => (heard.push(id), 'done') }), 'gate'),
    ])
    await exchange(where)
    expect(heard).toEqual([where.view.id])
    expect(where.errors).toMatchObject([{ plugin: 'broken' }])
    expect(where.records[0]?.refusal).toBeUndefined()
  })

  test('the most that a gate wants is kept', async () => {
    const where = scene([
      placed(answeringParser('x'.repeat(6_000)), 'parser'),
      placed(looking(), 'gate'),
      placed(looking({ needsResults: { bytes: 20_000 } }), 'other'),
    ])
    await exchange(where)
    expect(where.view.results.list).toMatchObject([{ cut: false }])
  })
})

test('results that a model is told of are known when its answer is judged', async () => {
  const seen: (readonly string[])[] = []
  const judge = async (_: unknown, x: Exchange): Promise<Ruling> => {
    seen.push(x.session.candidates.flatMap(({ results }) => results.list.map(({ text }) => text)))
    return ALLOW
  }
  const messages = [
    { role: 'assistant', text: '', toolCalls: [{ id: '1', tool: 'read', argumentsText: '{}' }] },
    { role: 'tool', text: 'told', toolCallId: '1' },
  ]
  const lessons: Lesson[] = [{ kind: 'inference', model: 'm', messages, tools: [] }]
  const asking = parser(reading({ lessons, proposes: 'readable' }), { guardAnswer: () => lineGuard() })
  const where = scene([placed(asking, 'parser'), placed(looking({ points: ['completion'], judge }), 'gate')])
  await exchange(where, {
    method: 'POST',
    body: '{}',
    headers: [['content-type', 'application/json']],
    answer: '!call\n',
  })
  expect(seen).toEqual([['told']])
  expect(where.view.results.incomplete).toBe(false)
})
