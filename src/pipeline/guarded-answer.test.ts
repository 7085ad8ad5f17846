import { describe, expect, test, vi } from 'vitest'
import { lineGuard } from '../../test/support/pipeline/line-guard.ts'
import type { Action } from '../core/action.ts'
import { createByteBudget } from '../core/byte-budget.ts'
import type { Exchange, HeaderPair } from '../core/exchange.ts'
import type { AnswerPlan, AnswerReply } from '../core/handler.ts'
import type { Gate, Mode, Parser, Placed, Reading } from '../core/plugin.ts'
import type { ExchangeRecord } from '../core/record.ts'
import type { Ruling, Run } from '../core/ruling.ts'
import type { Lesson, Sessions } from '../core/session.ts'
import { NO_TELEMETRY } from '../core/telemetry.ts'
import { plainRefusal } from '../parsers/kit/refusal.ts'
import { createPipeline, type PipelineLimits } from './pipeline.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

const ASKING: Action = { kind: 'inference', model: 'm', firstUserText: 'hi', effect: 'write', home: 'own' }
const ALLOW: Ruling = { allow: true, run: { action: 'allow', reason: 'approved' } }
const NO = { code: 'test.no', status: 403, message: 'no' }
const DENY: Ruling = { allow: false, no: NO, run: { action: 'deny', reason: 'blocked' } }

function reading(over: Partial<Reading> = {}): Reading {
  return {
    kind: 'read',
    actions: [ASKING],
    method: undefined,
    sure: true,
    hint: undefined,
    lessons: [{ kind: 'inference', model: 'm', messages: [{ role: 'user', text: 'hi' }], tools: ['t'] }],
    details: {},
    proposes: 'readable',
    refuse: plainRefusal,
    ...over,
  }
}

function parser(over: Partial<Parser> = {}, read = reading()): Placed<Parser> {
  const plugin: Parser = {
    kind: 'parser',
    isHome: () => true,
    wantsExempt: () => true,
    read: () => read,
    readAnswer: () => undefined,
    guardAnswer: lineGuard,
    ...over,
  }
  return { id: 'parser', name: 'parser', mode: 'enforce', plugin }
}

type Judge = Gate['judge']

function gate(judge: Judge, over: Partial<Gate> = {}, id = 'gate', mode: Mode = 'enforce'): Placed<Gate> {
  const plugin: Gate = {
    kind: 'gate',
    timeoutMs: 100,
    points: ['completion'],
    failsOpen: false,
    exempt: () => undefined,
    judge,
    ...over,
  }
  return { id, name: id, mode, plugin }
}

/** A gate whose rulings the test gives, by tool. */
function asked(over: Partial<Gate> = {}, id = 'gate', mode: Mode = 'enforce') {
  const waiting = new Map<string, (ruling: Ruling) => void>()
  const seen: { readonly action: Action; readonly x: Exchange; readonly signal: AbortSignal }[] = []
  const placed = gate(
    (action, x, signal) => {
      seen.push({ action, x, signal })
      const tool = action.kind === 'tool-call' ? action.tool : ''
      return new Promise((resolve) => waiting.set(tool, resolve))
    },
    over,
    id,
    mode,
  )
  const rule = async (tool: string, ruling: Ruling): Promise<void> => {
    const give = waiting.get(tool)
    if (give === undefined) throw new Error(`nobody asked about ${tool}`)
    give(ruling)
    await turn()
  }
  return { placed, rule, seen }
}

const turn = () => new Promise((done) => setImmediate(done))

interface Options {
  readonly answersBytes?: number
  readonly limits?: Partial<PipelineLimits>
  readonly answer?: readonly HeaderPair[]
  readonly rewritable?: boolean
}

const SSE: readonly HeaderPair[] = [
  [':status', '200'],
  ['content-type', 'text/event-stream'],
]
const JSON_ANSWER: readonly HeaderPair[] = [
  [':status', '200'],
  ['content-type', 'application/json; charset=utf-8'],
]

/** An exchange whose request was let through, and whose answer's head is there. */
async function answering(plugins: readonly Placed[], options: Options = {}) {
  const records: ExchangeRecord[] = []
  const learnt: Lesson[] = []
  const sessions: Sessions = {
    peek: () => ({ certainty: 'none', method: 'none', candidates: [] }),
    enter: () => undefined,
    resolve: () => ({
      certainty: 'exact',
      method: 'handle',
      candidates: [
        {
          id: 's',
          intents: () => [],
          destinations: new Set(),
          heard: [],
          results: { list: [], incomplete: false },
          conversation: () => undefined,
        },
      ],
    }),
    learn: (_id, lessons) => void learnt.push(...lessons),
    learnStray: () => undefined,
    note: () => undefined,
    notes: () => ({ has: () => false }),
    stats: () => ({ sessions: 0, inFlight: 0, tombstones: 0 }),
  }
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const { open } = createPipeline({
    chains: { inbound: { plugins: [] }, outbound: { plugins } },
    sessions,
    limits: {
      bodyBytes: 10_000,
      ratio: 100,
      hold: { bytes: 1000, ms: 60_000, calls: 4 },
      verdictDeadlineMs: { inbound: 60_000, outbound: 60_000 },
      ...options.limits,
    },
    answers: createByteBudget(options.answersBytes ?? 10_000),
    telemetry: NO_TELEMETRY,
    log,
    record: (record) => records.push(record),
    now: () => 0,
  })
  const handler = open({ direction: 'outbound', workload: 'w', routesByHost: true })
  await handler.requestHead(
    [
      [':method', 'POST'],
      [':scheme', 'http'],
      [':authority', 'llm.test'],
      [':path', '/v1'],
    ],
    false,
  )
  const request = await handler.requestBody(encode('{}'))
  const plan = handler.answerHead(options.answer ?? SSE, false, options.rewritable ?? true)
  const written: string[] = []
  let ends = 0
  const sink = {
    write: (bytes: Uint8Array) => void written.push(decode(bytes)),
    end: () => void (ends += 1),
    abort: () => void written.push('ABORT'),
  }
  const editor = plan.kind === 'edit' ? handler.editAnswer(sink) : undefined
  return {
    handler,
    request,
    plan,
    learnt,
    /** What the client has. */
    got: () => written.join(''),
    ended: () => ends,
    feed: async (text: string, last = false) => {
      editor?.feed(encode(text), last)
      await turn()
    },
    /** The record, once everything that is waited for has settled. */
    record: async (how: 'complete' | 'gone' = 'complete'): Promise<ExchangeRecord> => {
      handler.end(how)
      for (let round = 0; round < 50 && records.length === 0; round += 1) await turn()
      const [record] = records
      if (record === undefined) throw new Error('no record was written')
      return record
    },
  }
}

const inShort = ({ invocations }: ExchangeRecord) =>
  invocations.map((i) => {
    const passed = i.details?.['passed'] === true ? ' passed' : ''
    return `${i.plugin} ${i.phase} ${i.action}/${i.reason}${passed}${i.shadow === true ? ' shadow' : ''}`
  })

const READ = 'parser request observe/read'
const READ_ANSWER = 'parser response observe/read'

describe('a stream', () => {
  test('without calls passes as it comes, and the record says that nothing was proposed', async () => {
    const run = await answering([parser(), gate(async () => ALLOW)])
    await run.feed('one\n')
    expect(run.got()).toBe('one\n')
    await run.feed('two\n', true)
    expect(run.got()).toBe('one\ntwo\n')
    expect(run.ended()).toBe(1)
    expect(inShort(await run.record())).toEqual([READ, 'gate response skip/no_proposed_call', READ_ANSWER])
  })

  test('text before a call goes on, the call waits and what follows keeps its order', async () => {
    const { placed, rule } = asked()
    const run = await answering([parser(), placed])
    await run.feed('text\n!pay\nmore\n')
    expect(run.got()).toBe('text\n')
    await run.feed('', true)
    expect([run.got(), run.ended()]).toEqual(['text\n', 0])
    await rule('pay', ALLOW)
    expect([run.got(), run.ended()]).toEqual(['text\n!pay\nmore\n', 1])
    expect(inShort(await run.record())).toEqual([READ, 'gate response allow/approved', READ_ANSWER])
  })

  test('a refused call never comes out; each call is asked about alone, all at once', async () => {
    const { placed, rule, seen } = asked()
    const run = await answering([parser(), placed])
    await run.feed('!pay\n!look\n', true)
    expect(seen).toHaveLength(2)
    await rule('look', ALLOW)
    expect(run.got()).toBe('')
    await rule('pay', DENY)
    expect([run.got(), run.ended()]).toEqual(['[test.no]\n!look\n', 1])
    const record = await run.record()
    expect(record.statusCode).toBe(200)
    expect(record.invocations.map((i) => [i.reason, i.actionId])).toEqual([
      ['read', undefined],
      ['approved', 2],
      ['blocked', 1],
      ['read', undefined],
    ])
  })

  test('the gate sees a proposed call, and what the request showed to the model', async () => {
    const { placed, seen } = asked()
    const run = await answering([parser(), placed])
    await run.feed('!pay\n')
    expect(seen[0]?.action).toMatchObject({ kind: 'tool-call', tool: 'pay', proposed: { tool: 'pay' } })
    expect(seen[0]?.x.conversation).toEqual({ messages: [{ role: 'user', text: 'hi' }], tools: ['t'] })
    expect(seen[0]?.x.answer?.status).toBe(200)
  })

  test('gates are asked in their order, and not after a no', async () => {
    const second = asked({}, 'second')
    const run = await answering([parser(), gate(async () => DENY, {}, 'first'), second.placed])
    await run.feed('!pay\n', true)
    expect(run.got()).toBe('[test.no]\n')
    expect(second.seen).toHaveLength(0)
    expect(inShort(await run.record())).toContain('second request skip/not_reached')
  })

  test('a gate that looks at requests only is not asked about calls', async () => {
    const judged: string[] = []
    const atRequest = gate(
      async (action) => {
        judged.push(action.kind)
        return ALLOW
      },
      { points: ['request'] },
      'early',
    )
    const run = await answering([parser(), atRequest, gate(async () => ALLOW)])
    await run.feed('!pay\n', true)
    expect(judged).toEqual(['inference'])
    expect(run.got()).toBe('!pay\n')
  })

  test('what it teaches is learnt', async () => {
    const run = await answering([parser(), gate(async () => ALLOW)])
    await run.feed('text\n', true)
    expect(run.learnt.map((lesson) => lesson.kind)).toEqual(['inference', 'completion'])
  })

  test('whole verdicts stand in the record by plugin', async () => {
    const verdict = { decision: 'reject', score: 0 }
    const run = await answering([
      parser(),
      gate(async () => ({ allow: true, run: { action: 'observe', reason: 'reject_observed', verdict } })),
    ])
    await run.feed('!pay\n!look\n', true)
    expect((await run.record()).plugins).toEqual({
      gate: [
        { actionId: 1, ...verdict },
        { actionId: 2, ...verdict },
      ],
    })
  })
})

const broken: Judge = () => Promise.reject(new Error('inside'))
const silent: Judge = () => new Promise(() => undefined)
const now = { verdictDeadlineMs: { inbound: 1, outbound: 1 } }

describe('what goes wrong', () => {
  const CASES: readonly (readonly [string, Judge, Options, string, string, string])[] = [
    ['a gate that fails', broken, {}, '!pay\n', 'plugin_failed', '[plumbline.plugin_failed]\n'],
    ['a gate that says nothing', silent, { limits: now }, '!pay\n', 'deadline', '[plumbline.deadline]\n'],
    ['nonsense', async () => undefined as never, {}, '!pay\n', 'plugin_failed', '[plumbline.plugin_failed]\n'],
    ['an answer that cannot be read', silent, {}, '?\n', 'unreadable_answer', '[end: plumbline.unreadable_answer]\n'],
    [
      'more bytes than may be held',
      silent,
      { limits: { hold: { bytes: 4, ms: 60_000, calls: 4 } } },
      '!pay\n',
      'unreadable_answer',
      '[end: plumbline.unreadable_answer]\n',
    ],
    [
      'more calls than are asked about',
      silent,
      { limits: { hold: { bytes: 1000, ms: 60_000, calls: 1 } } },
      '!pay\n!pay\n',
      'unreadable_answer',
      '[end: plumbline.unreadable_answer]\n',
    ],
    [
      'more than all answers may hold',
      silent,
      { answersBytes: 4 },
      '!pay\n',
      'overloaded',
      '[end: plumbline.overloaded]\n',
    ],
    [
      'bytes that wait too long',
      silent,
      { limits: { hold: { bytes: 1000, ms: 1, calls: 4 } } },
      '!pay\n',
      'deadline',
      '[end: plumbline.deadline]\n',
    ],
  ]
  const settled = () => new Promise((done) => setTimeout(done, 20))

  test.each(CASES)('%s: the call is never released', async (_name, judge, options, sent, reason, expected) => {
    const run = await answering([parser(), gate(judge)], options)
    await run.feed(`text\n${sent}`)
    await settled()
    await run.feed('tail\n', true)
    expect(run.got().replace(/tail\n$/, '')).toBe(`text\n${expected}`)
    expect(run.ended()).toBe(1)
    expect(inShort(await run.record())).toContain(`gate response failed/${reason}`)
  })

  test.each(CASES)('%s: it passes whole where the gate fails open', async (_name, judge, options, sent, reason) => {
    const run = await answering([parser(), gate(judge, { failsOpen: true })], options)
    await run.feed(`text\n${sent}`)
    await settled()
    await run.feed('tail\n', true)
    expect(run.got()).toBe(`text\n${sent}tail\n`)
    expect(run.ended()).toBe(1)
    expect(inShort(await run.record())).toContain(`gate response failed/${reason} passed`)
  })

  test('text that has not all arrived counts as held by all answers, and waits as long as its sender takes', async () => {
    const many = await answering([parser(), gate(silent)], { answersBytes: 4 })
    await many.feed('half a line')
    expect(many.got()).toBe('[end: plumbline.overloaded]\n')
    const run = await answering([parser(), gate(silent)], { limits: { hold: { bytes: 4, ms: 1, calls: 4 } } })
    await run.feed('half a')
    await settled()
    await run.feed(' line\n', true)
    expect(run.got()).toBe('half a line\n')
  })

  test('calls that come one after the other do not add up: each has its own time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    try {
      const { placed, rule } = asked()
      const run = await answering([parser(), placed], { limits: { hold: { bytes: 1000, ms: 1000, calls: 9 } } })
      await run.feed('!a\n')
      vi.advanceTimersByTime(600)
      await run.feed('!b\n')
      await rule('a', ALLOW)
      vi.advanceTimersByTime(600)
      await run.feed('!c\n')
      await rule('b', ALLOW)
      expect(run.got()).toBe('!a\n!b\n')
      vi.advanceTimersByTime(1000)
      expect(run.got()).toBe('!a\n!b\n[end: plumbline.deadline]\n')
    } finally {
      vi.useRealTimers()
    }
  })

  test('one gate that fails closed keeps an answer back, whatever the others do', async () => {
    const run = await answering([parser(), gate(silent, { failsOpen: true }, 'open'), gate(silent, {}, 'closed')])
    await run.feed('?\n', true)
    expect(run.got()).toBe('[end: plumbline.unreadable_answer]\n')
  })

  test('the client leaves: what is held stays, and the gate hears of it', async () => {
    const { placed, seen, rule } = asked()
    const run = await answering([parser(), placed])
    await run.feed('text\n!pay\n')
    const record = run.record('gone')
    expect(seen[0]?.signal.aborted).toBe(true)
    await rule('pay', ALLOW)
    expect(run.got()).toBe('text\n')
    expect(inShort(await record)).toContain('gate response failed/gone')
  })

  test('the client leaves where the gate fails open: nothing passed, and the record does not say so', async () => {
    const { placed } = asked({ failsOpen: true })
    const run = await answering([parser(), placed])
    await run.feed('text\n!pay\n')
    const record = await run.record('gone')
    expect(run.got()).toBe('text\n')
    expect(inShort(record)).toContain('gate response failed/gone')
  })

  test('the answer breaks off within a call', async () => {
    const run = await answering([parser(), gate(async () => ALLOW)])
    await run.feed('text\n!pa')
    const record = await run.record('gone')
    expect(run.got()).toBe('text\n')
    expect(inShort(record)).toEqual([READ, 'gate response skip/call_cut_off', READ_ANSWER])
  })

  test('an answer that is kept back is a refusal of ours, in the record too', async () => {
    const run = await answering([parser(), gate(async () => ALLOW)])
    await run.feed('?\n', true)
    expect(inShort(await run.record())).toContain('plumbline response deny/unreadable_answer')
  })
})

describe('gates whose rulings change nothing', () => {
  const WATCHING: readonly (readonly [string, Partial<Gate>, Mode])[] = [
    ['observing', {}, 'observe'],
    ['watching of their own accord', { watchesOnly: true }, 'enforce'],
  ]
  test.each(WATCHING)('%s: the answer passes untouched, and the ruling is recorded', async (_name, over, mode) => {
    const run = await answering([parser(), gate(async () => DENY, over, 'gate', mode)])
    expect(run.plan).toEqual({ kind: 'stream' })
    await run.handler.answerChunk(encode('text\n!pay\n'), true)
    const shadow = mode === 'observe' ? ' shadow' : ''
    expect(inShort(await run.record())).toContain(`gate response deny/blocked${shadow}`)
    expect(run.request).toMatchObject({ edits: { set: [] } })
  })
})

describe('how an answer is looked at', () => {
  const failing = { status: '500', type: 'text/event-stream' }
  const CASES: readonly (readonly [string, Record<string, string>, Partial<Gate>, AnswerPlan['kind']])[] = [
    ['events', { type: 'text/event-stream' }, {}, 'edit'],
    ['an unnamed type, which may be a stream', {}, {}, 'edit'],
    ['JSON', { type: 'application/json' }, {}, 'whole'],
    ['JSON of a vendor', { type: 'application/vnd.api+json' }, {}, 'whole'],
    ['compressed JSON', { type: 'application/json', coding: 'gzip' }, {}, 'whole'],
    ['events in no coding', { type: 'text/event-stream', coding: 'identity' }, {}, 'edit'],
    ['events in an unknown coding', { type: 'text/event-stream', coding: 'x' }, {}, 'refuse'],
    ['a part', { status: '206', type: 'text/event-stream' }, {}, 'edit'],
    ['a type in odd letters', { type: 'Application/JSON ; Charset=UTF-8' }, {}, 'whole'],
    ['two types', { type: 'application/json, text/event-stream' }, {}, 'edit'],
    ['lines', { type: 'application/x-ndjson' }, {}, 'edit'],
    ['compressed events', { type: 'text/event-stream', coding: 'gzip' }, {}, 'refuse'],
    ['compressed events, fails open', { type: 'text/event-stream', coding: 'gzip' }, { failsOpen: true }, 'none'],
    ['an error of the model', failing, {}, 'none'],
  ]
  test.each(CASES)('%s', async (_name, { status = '200', type, coding }, over, expected) => {
    const answer: HeaderPair[] = [[':status', status]]
    if (type !== undefined) answer.push(['content-type', type])
    if (coding !== undefined) answer.push(['content-encoding', coding])
    const run = await answering([parser(), gate(async () => ALLOW, over)], { answer })
    expect(run.plan.kind).toBe(expected)
  })

  const UNREADABLE = reading({ proposes: 'unreadable' })
  test('a dialect that nobody reads is refused, or passes and says so', async () => {
    const closed = await answering([parser({}, UNREADABLE), gate(async () => ALLOW)])
    expect(closed.plan).toMatchObject({ kind: 'refuse', answer: { status: 502 } })
    const record = await closed.record()
    expect(record).toMatchObject({ phase: 'denied', statusCode: 502 })
    expect(inShort(record)).toEqual([
      READ,
      'gate response failed/unreadable_answer',
      'plumbline response deny/unreadable_answer',
    ])
    const open = await answering([parser({}, UNREADABLE), gate(async () => ALLOW, { failsOpen: true })])
    expect(open.plan.kind).toBe('none')
    expect(inShort(await open.record())).toContain('gate response failed/unreadable_answer passed')
  })

  test('a request that proposes nothing needs no guard', async () => {
    const { proposes: _, ...rest } = reading()
    const run = await answering([parser({}, rest), gate(async () => ALLOW)])
    expect(run.plan.kind).toBe('none')
    expect(inShort(await run.record())).toEqual([READ, 'gate request skip/no_completion'])
  })

  test('a guard that fails to open is an answer that cannot be checked', async () => {
    const guardAnswer = () => {
      throw new Error('inside')
    }
    const run = await answering([parser({ guardAnswer }), gate(async () => ALLOW)])
    expect(run.plan.kind).toBe('refuse')
  })

  test('an answer that the gateway does not let us change is refused', async () => {
    const run = await answering([parser(), gate(async () => ALLOW)], { rewritable: false })
    expect(run.plan.kind).toBe('refuse')
  })

  test('a gate that exempted the exchange does not look at its answer', async () => {
    const skip: Run = { action: 'skip', reason: 'host_bypass' }
    const run = await answering([parser(), gate(async () => DENY, { exempt: () => skip })])
    expect(run.plan.kind).toBe('none')
    expect(inShort(await run.record())).toEqual([READ, 'gate request skip/host_bypass'])
  })

  test('it has to arrive readable', async () => {
    const run = await answering([parser(), gate(async () => ALLOW)])
    expect(run.request).toMatchObject({ edits: { set: [['accept-encoding', 'identity']] } })
  })
})

describe('JSON, held whole', () => {
  const whole = async (sent: string, judge: Judge, over: Partial<Gate> = {}, headers: readonly HeaderPair[] = []) => {
    const run = await answering([parser(), gate(judge, over)], { answer: [...JSON_ANSWER, ...headers] })
    return { run, reply: await run.handler.answerBody(encode(sent)) }
  }
  const CASES: readonly (readonly [string, string, Judge, AnswerReply['kind']])[] = [
    ['nothing proposed', 'text\n', async () => DENY, 'continue'],
    ['a call that is let go', '!pay\n', async () => ALLOW, 'continue'],
    ['no body at all', '', async () => DENY, 'continue'],
    ['a refused call', 'text\n!pay\n', async () => DENY, 'replace'],
  ]
  test.each(CASES)('%s', async (_name, sent, judge, expected) => {
    const { reply } = await whole(sent, judge)
    expect(reply.kind).toBe(expected)
    if (reply.kind === 'replace') expect(decode(reply.body)).toBe('text\n[test.no]\n')
  })

  test('is longer than what a stream may hold', async () => {
    const { reply } = await whole(`${'x'.repeat(5000)}\n!pay\n`, async () => ALLOW)
    expect(reply.kind).toBe('continue')
  })

  test('that cannot be decoded is refused, or passes and says so', async () => {
    const coded: HeaderPair = ['content-encoding', 'gzip']
    const closed = await whole('no gzip', async () => ALLOW, {}, [coded])
    expect(closed.reply).toMatchObject({ kind: 'refuse', answer: { status: 502 } })
    expect(await closed.run.record()).toMatchObject({ phase: 'denied', statusCode: 502 })
    const open = await whole('no gzip', async () => ALLOW, { failsOpen: true }, [coded])
    expect(open.reply.kind).toBe('continue')
    expect(inShort(await open.run.record())).toContain('gate response failed/unreadable_answer passed')
  })
})
