import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { a2aPoll, a2aResult, a2aTask } from '../support/a2a.ts'
import { judgedChains } from '../support/chains.ts'
import { useStage } from '../support/e2e.ts'
import { allow, deny, startJudge } from '../support/judge.ts'
import type { StubJudge } from '../support/judge.ts'
import { a2aAnswer, a2aSend, MCP_HEADERS, mcpCall } from '../support/messages.ts'
import type { PlumblineConfig } from '../support/plumbline.ts'
import { headerOf, scriptAgent } from '../support/scripted-agent.ts'
import { SHAPES } from '../support/shapes.ts'
import type { Call, Carries, OpenTurn, ScriptedAgent } from '../support/scripted-agent.ts'

/** Whose action is it? Through a real Envoy: what the record says, and whose words the judge was shown. */

let judge: StubJudge
let script: ScriptedAgent

const config = (more: Partial<PlumblineConfig> = {}, ibac?: Readonly<Record<string, unknown>>): PlumblineConfig => ({
  ...judgedChains({ judgeUrl: judge.url, ...(ibac ? { ibac } : {}) }),
  ...more,
})

const { stage } = useStage(async () => {
  judge = await startJudge()
  return { config: config() }
})
beforeAll(() => (script = scriptAgent(stage(), judge)))
beforeEach(() => judge.judge(allow))
afterEach(() => script.hangUp())
afterAll(() => judge.close())

const say = (text: string, names?: Parameters<typeof a2aSend>[1], headers?: Record<string, string>) =>
  script.open({ body: a2aSend(text, names), ...(headers ? { headers } : {}) })

/** A whole turn, in which the agent does nothing. */
async function turn(text: string, names?: Parameters<typeof a2aSend>[1], answer = a2aAnswer('Done.', 'c-none')) {
  const opened = await say(text, names)
  return { ...opened, ...(await opened.answer(answer)) }
}

const attribution = ({ record }: Pick<Call, 'record'>) => ({ ...record.session, sessionId: record.sessionId })
const exactly = (method: string, sessionId: string | undefined) => ({ method, certainty: 'exact', sessionId })
const upstreams = { h1: () => stage().upstream, h2: () => stage().upstream2 }
const NOBODY = { method: 'none', certainty: 'none', sessionId: undefined }

describe('what the agent hands on decides', () => {
  test.each([
    ['the trace', 'trace'],
    ['the handle', 'handle'],
  ] as const)('one user with two chats, %s', async (carries, method) => {
    const paris = await say('Book a room in Paris.', { contextId: `paris-${method}` })
    const rome = await say('Cancel my room in Rome.', { contextId: `rome-${method}` })

    // Both are open, and the older one acts last.
    const calls = [await script.call(rome, carries), await script.call(paris, carries)]

    const recorded = [await rome.answer(a2aAnswer('Done.')), await paris.answer(a2aAnswer('Done.'))]
    expect(recorded[0]?.record.sessionId).not.toBe(recorded[1]?.record.sessionId)
    expect(calls.map(attribution)).toEqual(recorded.map(({ record }) => exactly(method, record.sessionId)))
    expect(calls.map(({ shown }) => shown)).toEqual([[['Cancel my room in Rome.']], [['Book a room in Paris.']]])
  })

  describe.each(['h1', 'h2'] as const)('%s: the handle never reaches an upstream', (protocol) => {
    const host = protocol === 'h1' ? 'upstream.test' : 'upstream2.test'
    const plain = { path: '/mcp', send: SHAPES[0]?.send, headers: {} }

    test.each([
      ...SHAPES.map((shape) => ({ ...plain, ...shape })),
      { ...plain, name: 'to a path that is not judged', method: 'GET', path: '/.well-known/agent-card.json' },
      { ...plain, name: 'without a body', method: 'GET' },
      { ...plain, name: 'of gRPC', path: '/a.B/C', headers: { 'content-type': 'application/grpc' } },
      { ...plain, name: 'twice', twice: true },
    ])('$name', async ({ path, headers, ...how }) => {
      const opened = await say('Book a room.', { contextId: 'c-echo' })
      expect(opened.handle).toMatch(/^pls_/)
      const shape = 'method' in how ? { method: how.method } : how.send?.(mcpCall('do_it', {}))
      const handles = 'twice' in how ? [opened.handle ?? '', opened.handle ?? ''] : (opened.handle ?? '')
      const sent = { ...MCP_HEADERS, ...(shape && 'headers' in shape ? shape.headers : {}), ...headers }
      const before = upstreams[protocol]().arrivals.length
      const got = await stage()
        .client(protocol, 'outbound')
        .send({ host, path, ...shape, headers: { ...sent, 'x-plumbline-session': handles } })
      expect(got.status).toBe(200)
      expect(upstreams[protocol]().arrivals.length).toBe(before + 1)
      expect(JSON.stringify(upstreams[protocol]().arrivals.at(-1))).not.toMatch(/pls_|x-plumbline/)
      const { record } = await opened.answer(a2aAnswer('Done.', 'c-echo'))
      const outbound = await stage().plumbline().record(got.requestId)
      expect(attribution({ record: outbound })).toEqual(exactly('handle', record.sessionId))
    })
  })

  test('a trace that the user brings stays as it is, and is evidence too', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const opened = await say('Book a room.', { contextId: 'c-trace' }, { traceparent })
    expect(opened.traceparent).toBe(traceparent)
    const child = '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01'
    const call = await script.call({ ...opened, traceparent: child }, 'the trace')
    const { record } = await opened.answer(a2aAnswer('Done.', 'c-trace'))
    expect(record.traceId).toBe('0af7651916cd43dd8448eb211c80319c')
    expect(attribution(call)).toEqual(exactly('trace', record.sessionId))
  })

  test("a user who sends another's handle gets a session of their own", async () => {
    const victim = await turn('Pay the rent.', { contextId: 'c-victim' })
    const handle = { 'x-plumbline-session': victim.handle ?? '' }

    const opened = await say('Send all money to me.', { contextId: 'c-thief' }, handle)

    expect(opened.handle).toMatch(/^pls_[\w-]{22}$/)
    expect(opened.handle).not.toBe(victim.handle)
    const call = await script.call(opened, 'the handle')
    const { record } = await opened.answer(a2aAnswer('Done.', 'c-thief'))
    expect(attribution({ record })).toEqual(exactly('new', record.sessionId))
    expect(call.shown).toEqual([['Send all money to me.']])

    const later = await script.call(victim, 'the handle')
    expect(attribution(later)).toEqual(exactly('handle', victim.record.sessionId))
    expect(later.shown).toEqual([['Pay the rent.']])

    // A request that belongs to no session carries none to the agent either.
    const poll = await script.open({ body: a2aPoll('t-unknown'), headers: handle })
    expect(poll.handle).toBeUndefined()
    expect(attribution(await poll.answer(a2aAnswer('No such task.')))).toEqual(NOBODY)
  })
})

describe('how a conversation goes on', () => {
  test('the contextId that the server assigns is the conversation from then on', async () => {
    const first = await turn('Find a flight.', {}, a2aAnswer('Found one.', 'c-assigned'))
    expect(attribution(first)).toEqual(exactly('new', first.record.sessionId))
    const second = await turn('Find a cheaper one.', { contextId: 'c-assigned' })
    expect(attribution(second)).toEqual(exactly('context', first.record.sessionId))
  })

  test('a contextId that the server returns instead of the one it was sent names the same conversation', async () => {
    const first = await turn('Find a flight.', { contextId: 'c-mine' }, a2aAnswer('Found one.', 'c-yours'))
    const second = await turn('A cheaper one.', { contextId: 'c-yours' }, a2aAnswer('Here.', 'c-yours'))
    const third = await turn('The first one, then.', { contextId: 'c-mine' }, a2aAnswer('Here.', 'c-yours'))
    expect([second, third].map(attribution)).toEqual(
      Array.from({ length: 2 }, () => exactly('context', first.record.sessionId)),
    )
  })

  test.each([
    ['JSON-RPC', 't-rpc', { body: a2aPoll('t-rpc') }],
    ['HTTP, without a body', 't-http', { path: '/v1/tasks/t-http' }],
  ])('polls find the conversation and never replace what the user asked: %s', async (_binding, taskId, poll) => {
    const names = { contextId: `c-${taskId}`, taskId }
    const first = await turn('Write the report.', {}, a2aResult(a2aTask(names, 'working')))
    for (let i = 0; i < 3; i += 1) {
      const polling = await script.open(poll)
      expect(polling.handle).toBe(first.handle)
      const call = await script.call(polling, 'the trace')
      const polled = await polling.answer(a2aResult(a2aTask(names, 'working')))
      expect(attribution(polled)).toEqual(exactly('task', first.record.sessionId))
      expect(attribution(call)).toEqual(exactly('trace', first.record.sessionId))
      expect(call.shown).toEqual([['Write the report.']])
    }
  })

  test.each([
    ['with the task that asked', { contextId: 'c-asks-1', taskId: 't-asks-1' }, 'input-required'],
    ['without it, after an answer that asked', { contextId: 'c-asks-2' }, 'input-required'],
    ['after a question in words', { contextId: 'c-asks-3' }, 'words'],
  ])('"yes" continues what was asked before: %s', async (_how, names, asks) => {
    const task = { contextId: names.contextId, taskId: `t-${names.contextId.slice(2)}` }
    const question =
      asks === 'words'
        ? a2aAnswer('Shall I pay it?', names.contextId)
        : a2aResult(a2aTask(task, 'input-required', 'Shall I pay it'))
    const first = await turn('Pay the invoice TX-991.', {}, question)

    const yes = await say('yes', names)
    const call = await script.call(yes, 'the handle')

    expect(attribution(await yes.answer(a2aAnswer('Paid.', names.contextId)))).toEqual(
      exactly('context', first.record.sessionId),
    )
    expect(call.shown).toEqual([['Pay the invoice TX-991.\nyes']])

    // The agent has answered without asking: the next message stands for itself.
    const next = await say('Thank you. What is the weather?', { contextId: names.contextId })
    expect((await script.call(next, 'the handle')).shown).toEqual([['Thank you. What is the weather?']])
    await next.answer(a2aAnswer('Sunny.', names.contextId))
  })
})

describe('three users at once', () => {
  const users = ['Ada', 'Ben', 'Cid']
  const rounds = [['Ada'], ['Ben'], ['Cid'], ['Ada', 'Ben'], ['Cid', 'Ben'], ['Ben', 'Ada', 'Cid']]
  const callsEach = 2
  const overlapping = rounds.filter(({ length }) => length > 1).flat().length / rounds.flat().length

  // Idle sessions are no candidates then: who is alone is alone.
  beforeAll(() => stage().restartPlumbline(config({ session: { linger: '0s' } })))

  interface Logged {
    readonly user: string
    readonly round: readonly string[]
    readonly sessionId: string | undefined
    readonly call: Call
  }

  /** Plays all rounds; in each, the users of the round are open together. The log is the agent's own. */
  async function play(carries: Carries) {
    const log: Logged[] = []
    for (const round of rounds) {
      const turns = await Promise.all(round.map(async (user) => ({ user, opened: await open(user, carries) })))
      const calls = turns.flatMap((each) => Array.from({ length: callsEach }, () => each))
      // The last who came is the first who acts.
      const made = await Promise.all(
        calls.reverse().map(async ({ user, opened }) => ({ user, call: await script.call(opened, carries) })),
      )
      const sessions = new Map<string, string | undefined>()
      for (const { user, opened } of turns) {
        const { record } = await opened.answer(a2aAnswer(`Done, ${user}.`, contextOf(user, carries)))
        sessions.set(user, record.sessionId)
      }
      log.push(...made.map(({ user, call }) => ({ user, round, sessionId: sessions.get(user), call })))
    }
    const ambiguous = log.filter(({ call }) => call.record.session.certainty === 'ambiguous')
    return { log, share: ambiguous.length / log.length }
  }

  const wish = (user: string) => `I am ${user}: order a book for ${user}.`
  const contextOf = (user: string, carries: Carries) => `${user} ${carries}`
  const open = (user: string, carries: Carries): Promise<OpenTurn> =>
    say(wish(user), { contextId: contextOf(user, carries) })

  test.each([
    ['the trace', 'trace'],
    ['the handle', 'handle'],
  ] as const)('%s: every call is its own user’s, and none is ambiguous', async (carries, method) => {
    const { log, share } = await play(carries)
    expect(new Set(log.map(({ sessionId }) => sessionId)).size).toBe(users.length)
    for (const { user, sessionId, call } of log) {
      expect(attribution(call)).toEqual(exactly(method, sessionId))
      expect(call.shown).toEqual([[wish(user)]])
    }
    expect(share).toBe(0)
  })

  test('nothing: who is alone is known, who overlaps is ambiguous among those who do, nobody is mistaken', async () => {
    // After a no the judge is asked about every candidate.
    judge.judge(deny)
    const { log, share } = await play('nothing')
    for (const { round, sessionId, call } of log) {
      expect(call.shown.flat().sort()).toEqual(round.map(wish).sort())
      expect(attribution(call)).toEqual(
        round.length === 1
          ? { method: 'in_flight', certainty: 'inferred', sessionId }
          : { method: 'in_flight', certainty: 'ambiguous', sessionId: undefined },
      )
    }
    // Exactly those who overlap: answering `ambiguous` to everything would give 1.
    expect(share).toBe(overlapping)
  })
})

describe('several candidates', () => {
  const both = async () => {
    const ada = await say('Buy bread.', { contextId: 'c-ada' })
    const ben = await say('Sell my car.', { contextId: 'c-ben' })
    return { ada, ben, close: () => Promise.all([ada, ben].map((open) => open.answer(a2aAnswer('Done.')))) }
  }
  /** Speaks when it was asked about both, so that no allow comes before the other question. */
  const allowOnlyFor = (words: string) => {
    let asked = 0
    let wake: () => void
    const both = new Promise<void>((done) => (wake = done))
    judge.judge(async ({ text }) => {
      if ((asked += 1) === 2) wake()
      await both
      return { verdict: text.includes(words) ? 'allow' : 'deny', reason: 'r' }
    })
  }

  describe('ambiguous_session_policy: any', () => {
    beforeAll(() => stage().restartPlumbline(config({ session: { linger: '0s' } })))

    test.each(['Buy bread.', 'Sell my car.'])('one allow allows: for "%s"', async (words) => {
      allowOnlyFor(words)
      const { ada, close } = await both()
      const call = await script.call(ada, 'nothing')
      expect(call.got.status).toBe(200)
      expect(call.record.session).toEqual({ method: 'in_flight', certainty: 'ambiguous' })
      expect(call.shown.flat().sort()).toEqual(['Buy bread.', 'Sell my car.'])
      await close()
    })

    test('nobody asked for it: refused, and nobody’s words are told', async () => {
      judge.judge(deny)
      const { ada, close } = await both()
      const before = stage().upstream2.arrivals.length
      const call = await script.call(ada, 'nothing')
      expect(call.got.status).toBe(403)
      expect(JSON.parse(call.got.text)).toMatchObject({ error: 'ibac.blocked', plugin: 'ibac' })
      expect(call.got.text).not.toMatch(/bread|car/)
      expect(stage().upstream2.arrivals.length).toBe(before)
      await close()
    })
  })

  test('ambiguous_session_policy: deny refuses without asking', async () => {
    await stage().restartPlumbline(config({}, { ambiguous_session_policy: 'deny' }))
    const { ada, close } = await both()
    const call = await script.call(ada, 'nothing')
    expect(call.got.status).toBe(403)
    expect(JSON.parse(call.got.text)).toMatchObject({ error: 'ibac.ambiguous_session' })
    expect(call.shown).toEqual([])
    // With evidence it is nobody else's.
    expect((await script.call(ada, 'the trace')).got.status).toBe(200)
    await close()
  })
})

describe('a session that is over', () => {
  const expectLost = (call: Call, method: string) => {
    expect(call.got.status).toBe(403)
    expect(JSON.parse(call.got.text)).toMatchObject({ error: 'ibac.no_session', plugin: 'ibac' })
    expect(attribution(call)).toEqual({ method, certainty: 'lost', sessionId: undefined })
    expect(call.shown).toEqual([])
  }

  test('expired: its action is refused, until its user comes back', async () => {
    await stage().restartPlumbline(config({ session: { ttl: '1s', linger: '0s' } }))
    const working = await say('Write a novel.', { contextId: 'c-working' })
    const first = await turn('Water the plants.', { contextId: 'c-back' })
    await sleep(1_100)
    // One that is in flight does not expire.
    expect((await script.call(working, 'the handle')).shown).toEqual([['Write a novel.']])
    await working.answer(a2aAnswer('Written.', 'c-working'))
    expectLost(await script.call(first, 'the handle'), 'handle')
    expectLost(await script.call(first, 'the trace'), 'trace')

    const back = await say('Feed the cat.', { contextId: 'c-back' })
    const call = await script.call(back, 'the handle')
    const late = await script.call(first, 'the handle')
    const { record } = await back.answer(a2aAnswer('Done.', 'c-back'))

    // A new start under the old name: work that still goes on is judged by what the user says now.
    expect(attribution({ record })).toEqual(exactly('new', first.record.sessionId))
    expect([call, late].map(attribution)).toEqual([1, 2].map(() => exactly('handle', record.sessionId)))
    expect([call, late].map(({ shown }) => shown)).toEqual([[['Feed the cat.']], [['Feed the cat.']]])
  })

  test('lost by a restart: a handle from before is refused, a trace is no evidence any more', async () => {
    await stage().restartPlumbline(config())
    const first = await turn('Water the plants.', { contextId: 'c-restart' })
    expect((await script.call(first, 'the handle')).got.status).toBe(200)

    await stage().restartPlumbline()

    expectLost(await script.call(first, 'the handle'), 'handle')
    expect(attribution(await script.call(first, 'the trace'))).toEqual(NOBODY)
    const again = await say('Water the plants.', { contextId: 'c-restart' })
    expect((await script.call(again, 'the handle')).got.status).toBe(200)
    expectLost(await script.call(first, 'the handle'), 'handle')
    await again.answer(a2aAnswer('Done.', 'c-restart'))
  })

  describe('there is room for two', () => {
    beforeAll(() => stage().restartPlumbline(config({ session: { max_sessions: 2, linger: '0s' } })))

    test('evicted: the one idle longest is lost, the others are not', async () => {
      const ada = await turn('Buy bread.', { contextId: 'c-1' })
      const ben = await turn('Sell my car.', { contextId: 'c-2' })
      // Ada's session is used once more, so Ben's is the one idle longest.
      expect((await script.call(ada, 'the handle')).got.status).toBe(200)
      const cid = await turn('Call a cab.', { contextId: 'c-3' })

      expectLost(await script.call(ben, 'the handle'), 'handle')
      expectLost(await script.call(ben, 'the trace'), 'trace')
      for (const { record, ...alive } of [ada, cid]) {
        expect(attribution(await script.call(alive, 'the handle'))).toEqual(exactly('handle', record.sessionId))
      }
    })

    test('all of them in flight: a third user is told to wait, and then has room', async () => {
      const open = [await say('Buy bread.', { contextId: 'c-1' }), await say('Sell my car.', { contextId: 'c-2' })]
      const arrived = stage().agent.arrivals.length

      const refused = await script.send({ body: a2aSend('Call a cab.', { contextId: 'c-3' }) })

      expect(refused.got.status).toBe(503)
      expect(JSON.parse(refused.got.text)).toMatchObject({ error: 'plumbline.overloaded', plugin: 'plumbline' })
      expect(refused.record).toMatchObject({ phase: 'denied', statusCode: 503 })
      expect((await stage().envoy.accessLine(refused.got.requestId)).details).toBe('plumbline.overloaded')
      expect(stage().agent.arrivals.length).toBe(arrived)

      // Those who are in can go on, and an end makes room.
      const more = await turn('And butter.', { contextId: 'c-1' }, a2aAnswer('Done.', 'c-1'))
      expect(more.record.session.method).toBe('context')
      for (const each of open) await each.answer(a2aAnswer('Done.'))
      expect((await turn('Call a cab.', { contextId: 'c-3' })).record.session.method).toBe('new')
    })
  })
})

describe('nobody has spoken', () => {
  beforeAll(() => stage().restartPlumbline(config({ session: { linger: '0s' } })))
  const unprompted = { handle: undefined, traceparent: undefined }

  test('a refused request leaves nothing behind', async () => {
    const message = JSON.stringify({ role: 'user', messageId: 'm', contextId: 'c-refused', parts: [] })
    // Two texts for one part: servers differ on which is said.
    const parts = '[{"kind":"text","text":"Hello.","text":"Send all money to me."}]'
    const body = a2aSend('x').replace(/"message":\{.*?\}\]\}/, `"message":${message.replace('[]', parts)}`)
    const refused = await script.send({ body })
    expect(refused.got.status).toBe(400)
    expect(JSON.parse(refused.got.text)).toMatchObject({ error: 'plumbline.unreadable' })
    expect(attribution(refused)).toEqual(NOBODY)
    expect(attribution(await script.call(unprompted, 'nothing'))).toEqual(NOBODY)

    // The readable twin does leave something, and starts anew.
    const twin = await turn('Hello.', { contextId: 'c-refused' })
    expect(attribution(twin)).toEqual(exactly('new', twin.record.sessionId))
    const call = await script.call(unprompted, 'nothing')
    expect(attribution(call)).toEqual({ method: 'live', certainty: 'inferred', sessionId: twin.record.sessionId })
    expect(call.shown).toEqual([['Hello.']])
  })

  test('a client that leaves is no longer in flight', async () => {
    const client = stage().client('h1', 'inbound')
    const gone = await script.open({ body: a2aSend('Buy bread.', { contextId: 'c-gone' }), client })
    const before = attribution(await script.call(unprompted, 'nothing'))
    expect(before).toMatchObject({ method: 'in_flight', certainty: 'inferred' })

    await client.close()
    await stage()
      .plumbline()
      .record(headerOf(gone.arrival, 'x-request-id') ?? '')

    expect((await script.call(unprompted, 'nothing')).record.session.method).toBe('live')
    const other = await say('Sell my car.', { contextId: 'c-stays' })
    expect((await script.call(unprompted, 'nothing')).shown).toEqual([['Sell my car.']])
    await other.answer(a2aAnswer('Done.', 'c-stays'))
  })
})

test('an agent that breaks off is no longer in flight', async () => {
  await stage().restartPlumbline(config({ session: { linger: '0s' } }))
  const opened = await say('Buy bread.', { contextId: 'c-broken' })
  const { got, record } = await opened.answerBy((_arrival, outgoing) => void outgoing.destroy())
  expect(got.status).toBe(503)
  // Newer versions of Envoy show us the answer that they give themselves; 1.36 does not.
  expect([503, undefined]).toContain(record.statusCode)
  const call = await script.call({ handle: undefined, traceparent: undefined }, 'nothing')
  expect(attribution(call)).toEqual({ method: 'live', certainty: 'inferred', sessionId: record.sessionId })
})

test('sessions that are switched off are nobody’s', async () => {
  await stage().restartPlumbline(config({ session: { enabled: false } }))
  const opened = await say('Buy bread.', { contextId: 'c-off' })
  expect(opened.handle).toBeUndefined()
  const call = await script.call(opened, 'the trace')
  expect(attribution(call)).toEqual({ method: 'disabled', certainty: 'none', sessionId: undefined })
  await opened.answer(a2aAnswer('Done.', 'c-off'))
})
