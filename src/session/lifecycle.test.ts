import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  alias,
  enter,
  fixture,
  HOUR_MS,
  inbound,
  MINUTE_MS,
  OPTIONS,
  say,
  seen,
  turn,
} from '../../test/support/session/kit.ts'
import { sweepRegularly } from './memory.ts'

const ON = { contextId: 'c1' }

describe('expiry', () => {
  test('a session lives for its ttl after it was last active, at the limit and not beyond', () => {
    const { sessions, pass } = fixture()
    const mine = turn(sessions, 'mine')
    pass(OPTIONS.ttlMs)
    expect(seen(sessions, { handles: [mine.handle] }).certainty).toBe('exact')
    pass(OPTIONS.ttlMs)
    expect(sessions.stats()).toEqual({ sessions: 1, inFlight: 0, tombstones: 0 })
    pass(1)
    expect(sessions.stats()).toEqual({ sessions: 0, inFlight: 0, tombstones: 1 })
  })

  test('neither one in flight nor a lingering one expires by ttl', () => {
    const { sessions, pass } = fixture({ ttlMs: MINUTE_MS, lingerMs: 5 * MINUTE_MS })
    const mine = say(sessions, 'mine')
    pass(HOUR_MS)
    expect(sessions.stats()).toMatchObject({ sessions: 1, inFlight: 1 })
    mine.leave()
    pass(5 * MINUTE_MS)
    expect(sessions.stats().sessions).toBe(1)
    pass(1)
    expect(sessions.stats().sessions).toBe(0)
  })

  test('outbound guesses keep nothing alive', () => {
    const { sessions, pass } = fixture()
    turn(sessions, 'mine')
    pass(OPTIONS.ttlMs)
    expect(seen(sessions).certainty).toBe('inferred')
    pass(1)
    expect(seen(sessions).certainty).toBe('none')
  })
})

describe('eviction', () => {
  test('at the limit the one idle longest goes', () => {
    const { sessions, pass } = fixture({ maxSessions: 3 })
    const [a, b, c] = ['a', 'b', 'c'].map((text) => {
      pass(1)
      return turn(sessions, text, { hint: { contextId: text } })
    })
    pass(1)
    turn(sessions, 'a again', { hint: { contextId: 'a' } })
    pass(1)
    turn(sessions, 'd')
    const certainties = [a, b, c].map((entry) => seen(sessions, { handles: entry ? [entry.handle] : [] }).certainty)
    expect(certainties).toEqual(['exact', 'lost', 'exact'])
    expect(sessions.stats()).toEqual({ sessions: 3, inFlight: 0, tombstones: 1 })
  })

  test('one in flight stays although it began first; lingering ones go last', () => {
    const { sessions, pass } = fixture({ maxSessions: 3 })
    const open = say(sessions, 'open')
    const idle = turn(sessions, 'idle')
    pass(OPTIONS.lingerMs + 1)
    const lingering = turn(sessions, 'lingering')
    turn(sessions, 'new')
    expect(seen(sessions, { handles: [idle.handle] }).certainty).toBe('lost')
    turn(sessions, 'newer')
    expect(seen(sessions, { handles: [lingering.handle] }).certainty).toBe('lost')
    expect(seen(sessions, { handles: [open.handle] }).certainty).toBe('exact')
  })

  test('only when all are in flight is there no room, and only for a new conversation', () => {
    const { sessions } = fixture({ maxSessions: 2 })
    const first = say(sessions, 'one', { hint: ON })
    say(sessions, 'two')
    expect(sessions.enter(inbound())).toBe('overloaded')
    expect(sessions.enter(inbound({ speaks: false }))).toBeUndefined()
    const again = enter(sessions, { hint: ON })
    first.leave()
    expect(sessions.enter(inbound())).toBe('overloaded')
    again.leave()
    say(sessions, 'three')
    expect(sessions.stats()).toEqual({ sessions: 2, inFlight: 2, tombstones: 1 })
  })

  test('no room leaves the tombstone that would have been taken', () => {
    const { sessions, pass } = fixture({ maxSessions: 1 })
    const gone = turn(sessions, 'gone', { hint: ON })
    pass(OPTIONS.ttlMs + 1)
    say(sessions, 'open').leave()
    const open = say(sessions, 'open too')
    expect(sessions.enter(inbound({ hint: ON }))).toBe('overloaded')
    open.leave()
    expect(enter(sessions, { hint: ON }).handle).toBe(gone.handle)
  })

  test('an evicted session is not found by the names and trace ids that it had', () => {
    const { sessions } = fixture({ maxSessions: 1 })
    turn(sessions, 'gone', { hint: ON, traceId: 't1' })
    turn(sessions, 'new', { traceId: 't2' })
    expect(sessions.peek(inbound({ hint: ON })).certainty).toBe('none')
    expect(seen(sessions, { traceId: 't1' })).toMatchObject({ certainty: 'lost', method: 'trace' })
  })
})

describe('tombstones', () => {
  test('only a handle or a trace id can hit one', () => {
    const { sessions, pass } = fixture()
    const gone = turn(sessions, 'gone', { hint: ON, traceId: 't1' })
    pass(OPTIONS.ttlMs + 1)
    expect(seen(sessions, { handles: [gone.handle] })).toMatchObject({ certainty: 'lost', method: 'handle' })
    expect(seen(sessions, { traceId: 't1' })).toMatchObject({ certainty: 'lost', method: 'trace' })
    expect(seen(sessions)).toMatchObject({ certainty: 'none' })
    expect(sessions.peek(inbound({ hint: ON }))).toEqual({ certainty: 'none', method: 'new', candidates: [] })
    expect(sessions.enter(inbound({ hint: ON, speaks: false }))).toBeUndefined()
  })

  test('are of their workload only', () => {
    const { sessions, pass } = fixture()
    turn(sessions, 'gone', { hint: ON, traceId: 't1' })
    pass(OPTIONS.ttlMs + 1)
    expect(seen(sessions, { workload: 'v', traceId: 't1' }).certainty).toBe('none')
  })

  test('last for their time, counted from when the session ended, not from when it was noticed', () => {
    const { sessions, pass } = fixture()
    turn(sessions, 'gone', { traceId: 't1' })
    pass(OPTIONS.ttlMs + OPTIONS.tombstoneTtlMs)
    expect(seen(sessions, { traceId: 't1' }).certainty).toBe('lost')
    pass(1)
    expect(seen(sessions, { traceId: 't1' }).certainty).toBe('none')
    expect(sessions.stats().tombstones).toBe(0)
  })

  test('are bounded: the oldest goes', () => {
    const { sessions, pass } = fixture({ maxSessions: 1, maxTombstones: 2 })
    for (const traceId of ['t1', 't2', 't3', 't4']) {
      turn(sessions, 'x', { traceId })
      pass(1)
    }
    expect(sessions.stats().tombstones).toBe(2)
    const certainty = (traceId: string) => seen(sessions, { traceId }).method
    expect(['t1', 't2', 't3', 't4'].map(certainty)).toEqual(['in_flight', 'trace', 'trace', 'trace'])
  })

  test.each([
    ['its contextId', ON],
    ['its taskId', { taskId: 'k1' }],
  ])("a user's message with %s starts the session anew under its id and handle", (_, hint) => {
    const { sessions, pass } = fixture()
    const gone = turn(sessions, 'before', { hint: ON, traceId: 't1' }, [alias({ taskId: 'k1' })])
    pass(OPTIONS.ttlMs + 1)
    const anew = say(sessions, 'after', { hint, traceId: 't2' })
    expect(anew).toMatchObject({ handle: gone.handle, method: 'new', view: { id: gone.view.id } })
    expect(anew.view.intents(9)).toEqual(['after'])
    expect(sessions.stats()).toEqual({ sessions: 1, inFlight: 1, tombstones: 0 })
    // What the agent still does with the old evidence is this conversation's again.
    for (const evidence of [{ handles: [gone.handle] }, { traceId: 't1' }]) {
      expect(seen(sessions, evidence)).toMatchObject({ certainty: 'exact', intents: ['after'] })
    }
    for (const name of [ON, { taskId: 'k1' }]) {
      expect(sessions.peek(inbound({ hint: name })).candidates[0]?.id).toBe(gone.view.id)
    }
  })

  test('a name that passed to a younger session starts that one anew, also when the older stone is gone', () => {
    const { sessions, pass } = fixture()
    turn(sessions, 'older', { hint: ON })
    pass(OPTIONS.ttlMs + 1)
    const younger = turn(sessions, 'younger', { hint: { contextId: 'c2' } }, [alias(ON)])
    pass(OPTIONS.tombstoneTtlMs)
    expect(sessions.stats().tombstones).toBe(1)
    expect(enter(sessions, { hint: ON }).handle).toBe(younger.handle)
  })

  test('nobody else can start it anew', () => {
    const { sessions, pass } = fixture()
    const gone = turn(sessions, 'before', { hint: ON })
    pass(OPTIONS.ttlMs + 1)
    for (const other of [{ subject: 'mallory' }, { workload: 'v' }]) {
      expect(enter(sessions, { hint: ON, ...other }).handle).not.toBe(gone.handle)
    }
    expect(enter(sessions, { hint: ON }).handle).toBe(gone.handle)
  })
})

describe('who looks at a session that ended meanwhile', () => {
  test('its own late answer teaches it nothing and takes no name', () => {
    const { sessions, pass } = fixture()
    const late = turn(sessions, 'before')
    pass(OPTIONS.ttlMs + 1)
    sessions.stats()
    late.learn([alias(ON)])
    sessions.learn(late.view.id, [{ kind: 'tool-result', tool: 't', args: {}, text: 'x' }], 'host.test', 'e')
    expect(sessions.peek(inbound({ hint: ON })).certainty).toBe('none')
    expect(late.view.destinations.size).toBe(0)
  })
})

describe('sweepRegularly', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  test('asks again and again, until it is stopped', () => {
    vi.useFakeTimers()
    const { sessions } = fixture()
    const stats = vi.spyOn(sessions, 'stats')
    const stop = sweepRegularly(sessions, 1_000)
    vi.advanceTimersByTime(3_000)
    expect(stats).toHaveBeenCalledTimes(3)
    stop()
    vi.advanceTimersByTime(3_000)
    expect(stats).toHaveBeenCalledTimes(3)
  })
})
