import { describe, expect, test, vi } from 'vitest'
import { hearing } from '../../test/support/telemetry/heard.ts'
import type { Action } from '../core/action.ts'
import { createByteBudget } from '../core/byte-budget.ts'
import type { Direction, HeaderPair } from '../core/exchange.ts'
import type { BodyReply, Caller, HeadReply } from '../core/handler.ts'
import type { AnswerReader, Gate, Mode, Parser, Placed, Reading, ReadResult } from '../core/plugin.ts'
import type { ExchangeRecord } from '../core/record.ts'
import type { Answer, Ruling, Run } from '../core/ruling.ts'
import type { InboundQuery, Lesson, Resolution, Sessions, SessionView } from '../core/session.ts'
import { NO_TELEMETRY, type Telemetry } from '../core/telemetry.ts'
import { createPipeline } from './pipeline.ts'

const text = new TextEncoder()
const ACTION: Action = { kind: 'tool-call', tool: 'send', args: {}, effect: 'unknown', home: 'unstated' }
const MECHANICS: Action = { kind: 'mechanics', what: 'ping', effect: 'read', home: 'unstated' }
const ALLOW: Ruling = { allow: true, run: { action: 'allow', reason: 'aligned' } }
const NO = { code: 'test.no', status: 403, message: 'no' }
const DENY: Ruling = { allow: false, no: NO, run: { action: 'deny', reason: 'blocked' } }

function reading(over: Partial<Reading> = {}): Reading {
  return {
    kind: 'read',
    actions: [ACTION],
    method: 'call',
    sure: true,
    hint: undefined,
    lessons: [],
    details: {},
    refuse: (no): Answer => ({
      status: no.status,
      headers: [],
      body: text.encode(`mine:${no.code}`),
      details: no.code,
    }),
    ...over,
  }
}

function parser(result: ReadResult | (() => ReadResult), over: Partial<Parser> = {}): Parser {
  return {
    kind: 'parser',
    isHome: () => false,
    wantsExempt: () => false,
    read: () => (typeof result === 'function' ? result() : result),
    readAnswer: () => undefined,
    ...over,
  }
}

function gate(judge: Gate['judge'], over: Partial<Gate> = {}): Gate {
  return {
    kind: 'gate',
    timeoutMs: 100,
    points: ['request'],
    failsOpen: false,
    exempt: () => undefined,
    judge,
    ...over,
  }
}

let nextId = 0
function placed<P extends Parser | Gate>(plugin: P, mode: Mode = 'enforce', id = `p${(nextId += 1)}`): Placed<P> {
  return { id, name: id, mode, plugin }
}

const VIEW: SessionView = {
  id: 's1',
  intents: () => ['do it'],
  destinations: new Set(),
  heard: [],
  results: { list: [], incomplete: false },
  conversation: () => undefined,
}

function fakeSessions(over: Partial<Sessions> = {}) {
  const learnt: Lesson[] = []
  const entered: InboundQuery[] = []
  const notes: string[] = []
  const strays: Lesson[] = []
  const none: Resolution = { certainty: 'none', method: 'none', candidates: [] }
  const sessions: Sessions = {
    peek: () => none,
    enter: (query) => {
      entered.push(query)
      if (!query.speaks) return undefined
      return {
        view: VIEW,
        method: 'new',
        handle: 'pls_x',
        learn: (l) => void learnt.push(...l),
        leave: () => undefined,
      }
    },
    resolve: () => ({ certainty: 'exact', method: 'handle', candidates: [VIEW] }),
    learn: (_id, lessons) => void learnt.push(...lessons),
    learnStray: (_workload, lessons) => void strays.push(...lessons),
    note: (_workload, keys) => void notes.push(...keys),
    notes: () => ({ has: () => false }),
    stats: () => ({ sessions: 0, inFlight: 0, tombstones: 0 }),
    ...over,
  }
  return { sessions, learnt, strays, entered, notes }
}

interface Options {
  readonly direction?: Direction
  readonly sessions?: Partial<Sessions>
  readonly deadlineMs?: number
  readonly answersBytes?: number
  readonly telemetry?: Telemetry
  readonly caller?: Caller | 'none'
}

function start(plugins: readonly Placed[], options: Options = {}) {
  const direction = options.direction ?? 'outbound'
  const records: ExchangeRecord[] = []
  const memory = fakeSessions(options.sessions)
  const chains = { inbound: { plugins: [] as Placed[] }, outbound: { plugins: [] as Placed[] } }
  chains[direction] = { plugins: [...plugins] }
  const deadline = options.deadlineMs ?? 1000
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const pipeline = createPipeline({
    chains,
    sessions: memory.sessions,
    limits: {
      bodyBytes: 1000,
      ratio: 100,
      hold: { bytes: 1000, ms: 1000, calls: 8 },
      verdictDeadlineMs: { inbound: deadline, outbound: deadline },
    },
    answers: createByteBudget(options.answersBytes ?? 10_000),
    telemetry: options.telemetry ?? NO_TELEMETRY,
    log,
    record: (r) => records.push(r),
    now: () => performance.now(),
  })
  const caller =
    options.caller === 'none' ? undefined : (options.caller ?? { direction, workload: 'w', routesByHost: true })
  return { handler: pipeline.open(caller), records, ...memory }
}

function head(over: Record<string, string> = {}): HeaderPair[] {
  const all = { ':method': 'POST', ':scheme': 'http', ':authority': 'tools.example:80', ':path': '/x?q=1', ...over }
  return Object.entries(all)
}

type Started = ReturnType<typeof start>

async function post(run: Started, over: Record<string, string> = {}, body = '{}'): Promise<HeadReply | BodyReply> {
  const reply = await run.handler.requestHead(head(over), false)
  if (reply.kind === 'refuse' || reply.body === 'none') return reply
  return run.handler.requestBody(text.encode(body))
}

function recordOf(run: Started, how: 'complete' | 'refused' | 'gone' = 'complete'): ExchangeRecord {
  run.handler.end(how)
  const record = run.records[0]
  if (record === undefined) throw new Error('no record was written')
  return record
}

async function settledRecord(run: Started): Promise<ExchangeRecord> {
  run.handler.end('complete')
  for (let i = 0; i < 100 && run.records.length === 0; i += 1) await new Promise((r) => setTimeout(r, 5))
  return recordOf(run)
}

function refusalOf(reply: HeadReply | BodyReply): { status: number; code: string; body: string } | 'continue' {
  if (reply.kind === 'continue') return 'continue'
  const { answer } = reply
  return { status: answer.status, code: answer.details, body: new TextDecoder().decode(answer.body) }
}

const reasons = (record: ExchangeRecord) =>
  record.invocations.map((i) => `${i.plugin} ${i.action}/${i.reason}${i.shadow === true ? ' shadow' : ''}`)

describe('judging', () => {
  test('an allowed action goes on and is recorded', async () => {
    const run = start([
      placed(parser(reading()), 'enforce', 'parser'),
      placed(
        gate(async () => ALLOW),
        'enforce',
        'gate',
      ),
    ])
    expect(refusalOf(await post(run))).toBe('continue')
    const record = recordOf(run)
    expect(reasons(record)).toEqual(['parser observe/read', 'gate allow/aligned'])
    expect(record.invocations[1]).toMatchObject({ actionId: 0, phase: 'request' })
    expect(record).toMatchObject({ sessionId: 's1', host: 'tools.example', path: '/x', direction: 'outbound' })
  })

  test('the reading that found the action renders the no', async () => {
    const run = start([
      placed(parser(reading())),
      placed(
        gate(async () => DENY),
        'enforce',
        'gate',
      ),
    ])
    expect(refusalOf(await post(run))).toEqual({ status: 403, code: 'test.no', body: 'mine:test.no' })
    expect(recordOf(run, 'refused')).toMatchObject({ phase: 'denied', statusCode: 403 })
  })

  test('gates run in order and stop at the first no; those after it are recorded as not reached', async () => {
    const run = start([
      placed(
        gate(async () => ALLOW),
        'enforce',
        'first',
      ),
      placed(
        gate(async () => DENY),
        'enforce',
        'second',
      ),
      placed(
        gate(async () => ALLOW),
        'enforce',
        'third',
      ),
    ])
    await post(run)
    expect(reasons(recordOf(run))).toEqual(['first allow/aligned', 'second deny/blocked', 'third skip/not_reached'])
  })

  test('every action of a message is ruled on', async () => {
    const two = reading({ actions: [ACTION, { ...ACTION, tool: 'wipe' }] })
    const asked: string[] = []
    const picky = gate(async (a) => {
      asked.push(a.kind === 'tool-call' ? a.tool : a.kind)
      return a.kind === 'tool-call' && a.tool === 'wipe' ? DENY : ALLOW
    })
    const run = start([placed(parser(two)), placed(picky)])
    expect(refusalOf(await post(run))).toMatchObject({ code: 'test.no' })
    expect(asked).toEqual(['send', 'wipe'])
  })

  test('a message that nobody claims is one unclassified action', async () => {
    const seen: Action[] = []
    const watcher = gate(async (a) => {
      seen.push(a)
      return ALLOW
    })
    const run = start([placed(parser({ kind: 'not-mine' }), 'enforce', 'parser'), placed(watcher, 'enforce', 'gate')])
    await post(run)
    expect(seen).toEqual([{ kind: 'unclassified', effect: 'write', home: 'unstated' }])
    expect(reasons(recordOf(run))).toEqual(['parser skip/not_mine', 'gate allow/aligned'])
  })
})

describe('a gate that fails', () => {
  const failures: readonly (readonly [string, Gate['judge'], string])[] = [
    [
      'throws',
      () => {
        throw new Error('boom')
      },
      'plumbline.plugin_failed',
    ],
    ['rejects', async () => Promise.reject(new Error('boom')), 'plumbline.plugin_failed'],
    ['returns undefined', async () => undefined as unknown as Ruling, 'plumbline.plugin_failed'],
    ['returns no promise', (() => 7) as unknown as Gate['judge'], 'plumbline.plugin_failed'],
    ['says neither yes nor no', async () => ({ run: ALLOW.run }) as unknown as Ruling, 'plumbline.plugin_failed'],
    ['says no to nothing', async () => ({ ...DENY, no: null }) as unknown as Ruling, 'plumbline.plugin_failed'],
    ['does not say what it did', async () => ({ ...ALLOW, run: {} }) as unknown as Ruling, 'plumbline.plugin_failed'],
    ['never settles', () => new Promise(() => undefined), 'plumbline.deadline'],
    ['answers after the deadline', () => new Promise((r) => setTimeout(r, 60, ALLOW)), 'plumbline.deadline'],
  ]

  test.each(failures)('that %s refuses where it enforces', async (_name, judge, code) => {
    const run = start([placed(parser(reading())), placed(gate(judge), 'enforce', 'gate')], { deadlineMs: 20 })
    expect(refusalOf(await post(run))).toEqual({ status: 503, code, body: `mine:${code}` })
    const short = code.slice('plumbline.'.length)
    const failed = short === 'deadline' ? 'deadline' : 'plugin_failed'
    expect(reasons(recordOf(run)).slice(1)).toEqual([`gate failed/${failed}`, `plumbline deny/${short}`])
  })

  test.each(failures)('that %s passes where it observes, and is recorded', async (_name, judge, code) => {
    const run = start([placed(parser(reading())), placed(gate(judge), 'observe', 'gate')], { deadlineMs: 20 })
    expect(refusalOf(await post(run))).toBe('continue')
    const record = await settledRecord(run)
    const failed = code === 'plumbline.deadline' ? 'deadline' : 'plugin_failed'
    expect(reasons(record).slice(1)).toEqual([`gate failed/${failed} shadow`])
  })

  test.each([
    [
      'throws',
      () => {
        throw new Error('boom')
      },
    ],
    ['is promised', () => Promise.resolve(DENY.run) as unknown as Run],
  ])('an exemption that %s is no exemption', async (_name, exempt) => {
    const broken = gate(async () => DENY, { exempt })
    expect(refusalOf(await post(start([placed(broken)])))).toMatchObject({ code: 'test.no' })
  })

  test('a refusal whose words cannot be written is still a refusal', async () => {
    const mute = reading({
      refuse: () => {
        throw new Error('boom')
      },
    })
    const run = start([placed(parser(mute)), placed(gate(async () => DENY))])
    expect(refusalOf(await post(run))).toMatchObject({ status: 403, code: 'test.no' })
  })
})

describe('observing', () => {
  test('a no of an observing gate is a shadow, and nobody waits for it', async () => {
    let rule: (r: Ruling) => void = () => undefined
    const slow = gate(() => new Promise((r) => (rule = r)))
    const run = start([placed(slow, 'observe', 'gate')])
    expect(refusalOf(await post(run))).toBe('continue')
    rule(DENY)
    expect(reasons(await settledRecord(run))).toEqual(['gate deny/blocked shadow'])
  })

  test('its ruling is recorded also when an enforcing gate has refused meanwhile', async () => {
    let rule: (r: Ruling) => void = () => undefined
    const slow = gate(() => new Promise((r) => (rule = r)))
    const run = start([
      placed(slow, 'observe', 'watcher'),
      placed(
        gate(async () => DENY),
        'enforce',
        'gate',
      ),
    ])
    await post(run)
    run.handler.end('refused')
    rule(ALLOW)
    expect(reasons(await settledRecord(run)).toSorted()).toEqual(['gate deny/blocked', 'watcher allow/aligned'])
  })

  test('off plugins are recorded as off, and not asked', async () => {
    const run = start([
      placed(parser(reading()), 'off', 'parser'),
      placed(
        gate(async () => DENY),
        'off',
        'gate',
      ),
    ])
    expect(refusalOf(await post(run))).toBe('continue')
    expect(reasons(recordOf(run))).toEqual(['parser skip/off', 'gate skip/off'])
  })
})

describe('unreadable messages', () => {
  const unreadable: ReadResult = { kind: 'unreadable', code: 'plumbline.unreadable', why: 'a batch' }
  const yes = (mode: Mode) =>
    placed(
      gate(async () => ALLOW),
      mode,
      'gate',
    )
  const bad = (mode: Mode) => placed(parser(unreadable), mode, 'parser')
  test.each([
    ['an enforcing gate', [bad('enforce'), yes('enforce')], 'plumbline.unreadable'],
    ['an enforcing gate, the parser observing', [bad('observe'), yes('enforce')], 'plumbline.unreadable'],
    ['only observing gates', [bad('enforce'), yes('observe')], 'continue'],
    ['only gates that are off', [bad('enforce'), yes('off')], 'continue'],
    ['no gates', [bad('enforce')], 'plumbline.unreadable'],
    ['no gates, the parser observing', [bad('observe')], 'continue'],
  ])('with %s', async (_name, chain, expected) => {
    const run = start(chain)
    const got = refusalOf(await post(run))
    expect(got === 'continue' ? got : got.code).toBe(expected)
    if (got === 'continue') {
      expect(reasons(await settledRecord(run))).toContain('plumbline deny/unreadable shadow')
    } else expect(got.status).toBe(400)
  })

  describe.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('boom')
      },
    ],
    ['returns undefined', () => undefined],
    ['returns a promise', () => Promise.resolve(reading())],
    ['finds no action', () => ({ ...reading(), actions: [] })],
    ['does not say why', () => ({ kind: 'unreadable', code: 'plumbline.unreadable' })],
  ])('a parser that %s', (_name, read) => {
    const broken = (mode: Mode) => placed(parser(read as () => ReadResult), mode, 'parser')

    test('is refused like an unreadable message, as a failed plugin', async () => {
      const run = start([broken('enforce'), yes('enforce')])
      expect(refusalOf(await post(run))).toMatchObject({ status: 503, code: 'plumbline.plugin_failed' })
      expect(reasons(recordOf(run))[0]).toBe('parser failed/plugin_failed')
    })

    test('passes where nothing enforces', async () => {
      const run = start([broken('observe'), yes('observe')])
      expect(refusalOf(await post(run))).toBe('continue')
      expect(reasons(await settledRecord(run))).toContain('plumbline deny/plugin_failed shadow')
    })
  })

  test('a parser that cannot say whether it wants the body gets it', async () => {
    const broken = parser(reading(), {
      wantsExempt: () => {
        throw new Error('boom')
      },
    })
    const run = start([placed(broken), yes('observe')])
    expect(await run.handler.requestHead(head(), false)).toMatchObject({ kind: 'continue', body: 'whole' })
  })

  test('the record of an unreadable message names its session', async () => {
    const run = start([bad('enforce'), yes('enforce')])
    await post(run)
    expect(recordOf(run, 'refused')).toMatchObject({
      sessionId: 's1',
      session: { method: 'handle', certainty: 'exact' },
    })
  })

  test('a decoded body over the limit is refused before any parser sees it', async () => {
    const run = start([placed(parser(reading())), yes('enforce')])
    expect(refusalOf(await post(run, {}, 'x'.repeat(1001)))).toMatchObject({ status: 413, code: 'plumbline.too_large' })
  })
})

describe('two parsers, one message', () => {
  const rule = async (a: Reading, b: Reading) => {
    const seen: Action[] = []
    const watcher = gate(async (action) => {
      seen.push(action)
      return ALLOW
    })
    const run = start([placed(parser(a)), placed(parser(b)), placed(watcher)])
    return { reply: refusalOf(await post(run)), seen }
  }
  test('an action outranks mechanics', async () => {
    const { seen } = await rule(reading({ actions: [MECHANICS] }), reading())
    expect(seen).toEqual([ACTION])
  })
  test('a sure reading outranks one that is not', async () => {
    const { seen } = await rule(reading({ actions: [MECHANICS] }), reading({ sure: false }))
    expect(seen).toEqual([MECHANICS])
  })
  test('the same method is judged once', async () => {
    const { seen } = await rule(reading(), reading({ actions: [{ ...ACTION, tool: 'other view' }] }))
    expect(seen).toEqual([ACTION])
  })
  test('different methods make it unreadable', async () => {
    const { reply } = await rule(reading(), reading({ method: 'list' }))
    expect(reply).toMatchObject({ status: 400, code: 'plumbline.unreadable' })
  })
  test('readings without a method are all judged', async () => {
    const other: Action = { kind: 'inference', model: 'm', firstUserText: '', effect: 'read', home: 'own' }
    const { seen } = await rule(reading(), reading({ method: undefined, actions: [other] }))
    expect(seen).toEqual([ACTION, other])
  })
})

describe('what the head decides', () => {
  test.each([
    ['no direction', {}, 'none' as const, 500, 'plumbline.no_direction'],
    ['CONNECT', { ':method': 'CONNECT' }, undefined, 403, 'plumbline.unsupported_protocol'],
    ['an upgrade', { upgrade: 'websocket' }, undefined, 403, 'plumbline.unsupported_protocol'],
  ])('%s is refused', async (_name, over, caller, status, code) => {
    const run = start([placed(gate(async () => ALLOW))], caller === undefined ? {} : { caller })
    expect(refusalOf(await run.handler.requestHead(head(over), false))).toMatchObject({ status, code })
  })

  const exempting = (run = { action: 'skip', reason: 'path_bypass' } as const) =>
    gate(async () => DENY, { exempt: () => run })

  test('a request that every gate exempts is not asked for its body', async () => {
    const run = start([placed(parser(reading()), 'enforce', 'parser'), placed(exempting(), 'enforce', 'gate')])
    expect(await run.handler.requestHead(head(), false)).toMatchObject({ kind: 'continue', body: 'none' })
    expect(reasons(recordOf(run))).toEqual(['parser skip/body_not_read', 'gate skip/path_bypass'])
  })

  test('unless a parser wants it for the session: then it is read for learning only', async () => {
    const lesson: Lesson = { kind: 'completion', text: 'hi', calls: [], usage: undefined }
    const curious = parser(reading({ lessons: [lesson] }), { wantsExempt: () => true })
    const run = start([placed(curious), placed(exempting())])
    expect(refusalOf(await post(run))).toBe('continue')
    expect(run.learnt).toEqual([lesson])
    const unreadable = parser(
      { kind: 'unreadable', code: 'plumbline.unreadable', why: 'x' },
      { wantsExempt: () => true },
    )
    expect(refusalOf(await post(start([placed(unreadable), placed(exempting())])))).toBe('continue')
  })

  test('one gate that is not exempt is enough to ask for the body', async () => {
    const run = start([placed(exempting()), placed(gate(async () => DENY))])
    expect(refusalOf(await post(run))).toMatchObject({ code: 'test.no' })
  })

  test('gRPC: refused towards a parser’s hosts, judged unread elsewhere', async () => {
    const grpc = { ':path': '/pkg.Service/Method', 'content-type': 'application/grpc+proto' }
    const at = parser(reading(), { isHome: () => true })
    expect(refusalOf(await post(start([placed(at), placed(gate(async () => ALLOW))]), grpc))).toMatchObject({
      status: 403,
      code: 'plumbline.unsupported_protocol',
    })
    let body = ''
    const watcher = gate(async (_a, x) => {
      body = x.body.kind
      return ALLOW
    })
    const run = start([placed(parser(reading())), placed(watcher)])
    expect(await run.handler.requestHead(head(grpc), false)).toMatchObject({ kind: 'continue', body: 'none' })
    expect(body).toBe('unread')
  })

  test.each([
    ['/mcp/message', 'application/grpc'],
    ['/api/rpc', 'application/grpc+proto'],
    ['/pkg.Service/Method', 'application/json, application/grpc'],
    ['/pkg.Service/Method', 'application/grpc, application/json'],
    ['/pkg.Service/Method', 'application/grpcx'],
  ])('what only pretends to be gRPC is read: %s, %s', async (path, type) => {
    const reader = gate(async (_a, x) => (x.body.kind === 'whole' ? DENY : ALLOW))
    const run = start([placed(parser(reading())), placed(reader)])
    expect(refusalOf(await post(run, { ':path': path, 'content-type': type }))).toMatchObject({ code: 'test.no' })
  })

  test.each([
    [
      'gates',
      () => [
        placed(
          gate(async () => DENY),
          'observe',
        ),
      ],
    ],
    ['the parser', () => []],
  ])('gRPC passes unread where %s only observe', async (_name, gates) => {
    const grpc = { ':path': '/pkg.Service/Method', 'content-type': 'application/grpc' }
    const at = placed(parser(reading(), { isHome: () => true }), 'observe')
    const run = start([at, ...gates()])
    expect(await run.handler.requestHead(head(grpc), false)).toMatchObject({ kind: 'continue', body: 'none' })
    expect(reasons(await settledRecord(run))).toContain('plumbline deny/unsupported_protocol shadow')
  })

  test('a chain with nothing in it asks for nothing', async () => {
    expect(await start([]).handler.requestHead(head(), false)).toMatchObject({ kind: 'continue', body: 'none' })
  })

  test('a bodyless request is decided at its head', async () => {
    const run = start([placed(gate(async () => DENY))])
    expect(refusalOf(await run.handler.requestHead(head({ ':method': 'GET' }), true))).toMatchObject({
      code: 'test.no',
    })
  })
})

describe('sessions', () => {
  const says: Lesson = { kind: 'user-message', text: 'book it' }
  const speaking = () => placed(parser(reading({ lessons: [says], hint: { contextId: 'c1' } })))

  test('an admitted inbound message is learnt, and the agent gets trace and handle', async () => {
    const run = start([speaking()], { direction: 'inbound' })
    const reply = await post(run, { 'x-plumbline-session': 'forged' })
    expect(run.learnt).toEqual([says])
    expect(run.entered[0]).toMatchObject({ speaks: true, hint: { contextId: 'c1' }, workload: 'w' })
    if (reply.kind !== 'continue') throw new Error('refused')
    const set = Object.fromEntries(reply.edits.set)
    expect(set['x-plumbline-session']).toBe('pls_x')
    expect(set['traceparent']).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
    expect(reply.edits.remove).toEqual([])
    expect(recordOf(run)).toMatchObject({ sessionId: 's1', session: { method: 'new', certainty: 'exact' } })
  })

  test('a refused inbound message leaves nothing', async () => {
    const run = start([speaking(), placed(gate(async () => DENY))], { direction: 'inbound' })
    await post(run)
    expect(run.learnt).toEqual([])
    expect(run.entered).toEqual([])
  })

  test('a trace that is there is kept', async () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
    const run = start([speaking()], { direction: 'inbound' })
    const reply = await post(run, { traceparent })
    if (reply.kind !== 'continue') throw new Error('refused')
    expect(reply.edits.set.map(([name]) => name)).toEqual(['x-plumbline-session'])
    expect(run.entered[0]?.traceId).toBe('a'.repeat(32))
  })

  test('a client’s own handle is taken off where there is no session', async () => {
    const run = start([placed(parser({ kind: 'not-mine' }))], { direction: 'inbound' })
    const reply = await post(run, { 'x-plumbline-session': 'forged' })
    expect(reply).toMatchObject({ kind: 'continue', edits: { remove: ['x-plumbline-session'] } })
  })

  test('outbound, the handle goes no further', async () => {
    const reply = await post(start([placed(gate(async () => ALLOW))]), { 'x-plumbline-session': 'pls_x' })
    expect(reply).toMatchObject({ kind: 'continue', edits: { set: [], remove: ['x-plumbline-session'] } })
  })

  test('when every session is in flight, a new turn is refused', async () => {
    const full = { enter: () => 'overloaded' as const }
    const run = start([speaking()], { direction: 'inbound', sessions: full })
    expect(refusalOf(await post(run))).toMatchObject({ status: 503, code: 'plumbline.overloaded' })
  })

  test('notes are kept when allowed; judged notes only when a gate asked', async () => {
    const lessons: Lesson[] = [
      { kind: 'note', key: 'any', judged: false },
      { kind: 'note', key: 'asked', judged: true },
    ]
    const skip: Ruling = { allow: true, run: { action: 'skip', reason: 'protocol_mechanics' } }
    const skipped = start([placed(parser(reading({ lessons }))), placed(gate(async () => skip))])
    await post(skipped)
    expect(skipped.notes).toEqual(['any'])
    const asked = start([placed(parser(reading({ lessons }))), placed(gate(async () => ALLOW))])
    await post(asked)
    expect(asked.notes).toEqual(['any', 'asked'])
  })

  test.each([
    ['asked', 'allow', ['any', 'asked']],
    ['skipped', 'skip', ['any']],
  ] as const)('so are those of an answer, when a gate %s', async (_name, action, expected) => {
    const lessons: Lesson[] = [
      { kind: 'note', key: 'any', judged: false },
      { kind: 'note', key: 'asked', judged: true },
    ]
    const reader = { feed: () => lessons, end: () => ({ lessons: [], details: {} }) }
    const run = start([
      placed(parser(reading(), { readAnswer: () => reader })),
      placed(gate(async () => ({ allow: true, run: { action, reason: 'x' } }))),
    ])
    await post(run)
    run.handler.answerHead([[':status', '200']], false, false)
    void run.handler.answerChunk(text.encode('a'), true)
    expect(run.notes).toEqual(expected)
  })

  test('an ambiguous session is taught nothing', async () => {
    const ambiguous = { certainty: 'ambiguous', method: 'in_flight', candidates: [VIEW, VIEW] } as const
    const run = start([placed(parser(reading({ lessons: [says] })))], { sessions: { resolve: () => ambiguous } })
    await post(run)
    expect(run.learnt).toEqual([])
    expect(recordOf(run)).toMatchObject({ sessionId: undefined, session: { certainty: 'ambiguous' } })
  })

  test('a verdict that comes when the client has left teaches nothing', async () => {
    let rule: (r: Ruling) => void = () => undefined
    const run = start([speaking(), placed(gate(() => new Promise((r) => (rule = r))))], { direction: 'inbound' })
    const reply = post(run)
    await new Promise((r) => setTimeout(r, 5))
    run.handler.end('gone')
    rule(ALLOW)
    expect(refusalOf(await reply)).not.toBe('continue')
    expect(run.learnt).toEqual([])
    await vi.waitUntil(() => run.records.length > 0)
    expect(reasons(recordOf(run)).slice(1)).toEqual([expect.stringMatching(/ failed\/gone$/)])
  })
})

describe('giving up', () => {
  test('the record says what the gates were doing', async () => {
    const run = start([
      placed(parser(reading())),
      placed(
        gate(() => new Promise(() => undefined)),
        'enforce',
        'gate',
      ),
    ])
    const reply = post(run)
    await new Promise((r) => setTimeout(r, 5))
    expect(run.handler.giveUp('plumbline.shutting_down')).toMatchObject({ status: 503 })
    run.handler.end('refused')
    await reply
    await vi.waitUntil(() => run.records.length > 0)
    expect(reasons(recordOf(run)).slice(1)).toEqual(['plumbline deny/shutting_down', 'gate failed/shutting_down'])
  })

  test('of a head that nobody judged, the record and the refusal name the exchange', () => {
    const run = start([])
    const unseen = { pairs: head({ 'x-request-id': 'r-1' }), bodyless: false }
    const answer = run.handler.giveUp('plumbline.wrong_mode', unseen)
    expect(new TextDecoder().decode(answer.body)).toContain('"request_id":"r-1"')
    expect(recordOf(run, 'refused')).toMatchObject({
      requestId: 'r-1',
      host: 'tools.example',
      method: 'POST',
      path: '/x',
    })
  })
})

describe('answers', () => {
  const answer: HeaderPair[] = [
    [':status', '200'],
    ['content-type', 'text/plain'],
  ]
  const lesson = (t: string): Lesson => ({ kind: 'completion', text: t, calls: [], usage: undefined })

  test('an answer that nobody reads is not asked for', async () => {
    const run = start([placed(parser(reading()))])
    await post(run)
    expect(run.handler.answerHead(answer, false, false)).toEqual({ kind: 'none' })
    expect(recordOf(run)).toMatchObject({ phase: 'response', statusCode: 200 })
  })

  test('what a piece teaches is learnt before the piece goes on', async () => {
    const reader = { feed: () => [lesson('now')], end: () => ({ lessons: [lesson('last')], details: { n: 2 } }) }
    const run = start([placed(parser(reading(), { readAnswer: () => reader }), 'enforce', 'parser')])
    await post(run)
    expect(run.handler.answerHead(answer, false, false)).toEqual({ kind: 'stream' })
    void run.handler.answerChunk(text.encode('a'), false)
    expect(run.learnt).toEqual([lesson('now')])
    void run.handler.answerChunk(text.encode('b'), true)
    const record = await settledRecord(run)
    expect(run.learnt).toEqual([lesson('now'), lesson('now'), lesson('last')])
    expect(record.invocations.at(-1)).toMatchObject({
      plugin: 'parser',
      phase: 'response',
      reason: 'read',
      details: { n: 2 },
    })
  })

  const boom = () => {
    throw new Error('boom')
  }
  const nonsense = () => undefined as never
  const reader: AnswerReader = { feed: () => [], end: () => ({ lessons: [], details: {} }) }
  test.each<[string, AnswerReader]>([
    ['throws', { ...reader, feed: boom }],
    ['throws at the end', { ...reader, end: boom }],
    ['returns nothing', { ...reader, feed: nonsense }],
    ['returns nothing at the end', { ...reader, end: nonsense }],
  ])('a reader that %s loses its words only', async (_name, broken) => {
    const run = start([placed(parser(reading(), { readAnswer: () => broken }), 'enforce', 'parser')])
    await post(run)
    run.handler.answerHead(answer, false, false)
    void run.handler.answerChunk(text.encode('a'), true)
    expect(reasons(await settledRecord(run))).toEqual(['parser observe/read', 'parser failed/plugin_failed'])
  })

  test('answers that are read together are bounded: beyond it reading stops, and is recorded', async () => {
    let bytes = 0
    const reader = {
      feed: (piece: Uint8Array) => {
        bytes += piece.length
        return []
      },
      end: (how: string) => ({ lessons: [], details: { how } }),
    }
    const chain = [placed(parser(reading(), { readAnswer: () => reader }), 'enforce', 'parser')]
    const run = start(chain, { answersBytes: 100 })
    await post(run)
    run.handler.answerHead(answer, false, false)
    void run.handler.answerChunk(new Uint8Array(40), false)
    void run.handler.answerChunk(new Uint8Array(40), false)
    void run.handler.answerChunk(new Uint8Array(1), true)
    const record = await settledRecord(run)
    expect(bytes).toBe(40)
    expect(record.invocations.at(-1)?.details).toEqual({ how: 'cut', answer_truncated: true })
  })

  test('an answer that comes without a request is let through unread', () => {
    const run = start([placed(parser(reading()))])
    expect(run.handler.answerHead(answer, true, false)).toEqual({ kind: 'none' })
    expect(recordOf(run).invocations).toHaveLength(1)
  })
})

describe('whoever counts', () => {
  const told = async (chain: readonly Placed[], over: Record<string, string> = {}) => {
    const heard = hearing()
    const run = start(chain, { telemetry: heard })
    await post(run, over)
    run.handler.end('complete')
    return { heard, record: recordOf(run) }
  }

  test('hears of an exchange from its head to its record, and gates tell of what they ask', async () => {
    const outside = { what: 'judge', endpoint: new URL('http://judge.test/v1'), model: 'm' } as const
    const asking = gate((_, x) => {
      x.telemetry.asks(outside)({ outcome: 'answered', verdict: 'allow' })
      return Promise.resolve({ allow: true, run: { action: 'allow', reason: 'aligned' } })
    })
    const { heard, record } = await told([placed(parser(reading())), placed(asking, 'enforce', 'gate')])
    expect(heard.events).toEqual([
      ['begins', 'outbound', 'tools.example', false],
      ['asks', 'judge', '/v1', 'm'],
      ['answered', { outcome: 'answered', verdict: 'allow' }],
      ['decides', 'number'],
      ['ends'],
    ])
    expect(heard.records).toEqual([record])
    expect(record.refusal).toBeUndefined()
  })

  test('reads in the record whose no it was, and its code', async () => {
    const no = { code: 'gate.no', status: 403, message: 'No.' }
    const refusing = gate(() => Promise.resolve({ allow: false, no, run: { action: 'deny', reason: 'blocked' } }))
    const refused = await told([placed(parser(reading())), placed(refusing, 'enforce', 'second')])
    expect(refused.record).toMatchObject({ phase: 'denied', refusal: { plugin: 'second', code: 'gate.no' } })
    const unreadable = await told([
      placed(
        parser(() => {
          throw new Error('broken')
        }),
      ),
    ])
    expect(unreadable.record.refusal).toEqual({ plugin: 'plumbline', code: 'plumbline.plugin_failed' })
  })

  test('hears of an exchange that nobody may judge', async () => {
    const heard = hearing()
    const run = start([], { telemetry: heard, caller: 'none' })
    await run.handler.requestHead(head(), true)
    run.handler.end('refused')
    expect(heard.events).toEqual([['begins', undefined, 'tools.example', false], ['ends']])
  })

  test('hears which trace an inbound exchange is given', async () => {
    const heard = hearing()
    const run = start([], { telemetry: heard, direction: 'inbound' })
    await run.handler.requestHead(head(), true)
    expect(heard.events[0]).toEqual(['begins', 'inbound', 'tools.example', true])
  })
})
