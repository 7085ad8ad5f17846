import { describe, expect, test } from 'vitest'
import {
  enter,
  fixture,
  inbound,
  MINUTE_MS,
  OPTIONS,
  outbound,
  say,
  seen,
  turn,
} from '../../test/support/session/kit.ts'
import { LIMITS } from './limits.ts'

const UNKNOWN = 'pls_AAAAAAAAAAAAAAAAAAAAAA'
const ON = { contextId: 'c1' }

describe('step 1: the handle', () => {
  test('a live one of the same workload is exact, whatever else is going on', () => {
    const { sessions } = fixture()
    const mine = turn(sessions, 'mine', { traceId: 't-mine' })
    turn(sessions, 'other', { traceId: 't-other' })
    say(sessions, 'third')
    const found = { certainty: 'exact', method: 'handle', intents: ['mine'] }
    expect(seen(sessions, { handles: [mine.handle] })).toEqual(found)
    expect(seen(sessions, { handles: [mine.handle], traceId: 't-other' })).toEqual(found)
    expect(seen(sessions, { handles: ['junk', mine.handle, mine.handle] })).toEqual(found)
  })

  test.each<[string, (handles: { mine: string; others: string }) => string[]]>([
    ['unknown here (a restart)', () => [UNKNOWN]],
    ['of another workload', ({ others }) => [others]],
    ['a live one beside an unknown one', ({ mine }) => [mine, UNKNOWN]],
  ])('%s is lost, also where an inference would have been possible', (_, handles) => {
    const { sessions } = fixture()
    const mine = say(sessions, 'mine', { traceId: 't1' })
    const others = say(sessions, 'theirs', { workload: 'v' })
    const given = handles({ mine: mine.handle, others: others.handle })
    expect(seen(sessions, { handles: given, traceId: 't1' })).toEqual({
      certainty: 'lost',
      method: 'handle',
      intents: [],
    })
  })

  test('two live ones contradict each other: ambiguous between them', () => {
    const { sessions } = fixture()
    const one = turn(sessions, 'one')
    const two = turn(sessions, 'two')
    turn(sessions, 'three')
    expect(seen(sessions, { handles: [one.handle, two.handle] })).toEqual({
      certainty: 'ambiguous',
      method: 'handle',
      intents: ['two', 'one'],
    })
  })

  test('the public id proves nothing, as it stands or spelt like a handle', () => {
    const { sessions } = fixture()
    const mine = turn(sessions, 'mine')
    const { id } = mine.view
    expect(seen(sessions, { handles: [mine.handle] }).method).toBe('handle')
    expect(seen(sessions, { handles: [id] }).method).toBe('in_flight')
    expect(seen(sessions, { handles: [id.replace('pse_', 'pls_')] }).certainty).toBe('lost')
  })

  test('an ill-formed one is ignored', () => {
    const { sessions } = fixture()
    say(sessions, 'mine', { traceId: 't1' })
    expect(seen(sessions, { handles: ['pls_short'], traceId: 't1' }).method).toBe('trace')
    expect(seen(sessions, { handles: ['pls_short'] }).method).toBe('in_flight')
  })
})

describe('step 2: the trace id', () => {
  test('one session of this workload was seen with it: exact', () => {
    const { sessions } = fixture()
    turn(sessions, 'mine', { traceId: 't1' })
    say(sessions, 'other', { traceId: 't2' })
    say(sessions, 'elsewhere', { workload: 'v', traceId: 't1' })
    expect(seen(sessions, { traceId: 't1' })).toEqual({ certainty: 'exact', method: 'trace', intents: ['mine'] })
  })

  test('several were: ambiguous among those, open ones first, then by newest user turn', () => {
    const { sessions } = fixture()
    const still = say(sessions, 'open', { traceId: 't1' })
    turn(sessions, 'older', { traceId: 't1' })
    turn(sessions, 'newer', { traceId: 't1' })
    say(sessions, 'another trace', { traceId: 't2' })
    const ambiguous = { certainty: 'ambiguous', method: 'trace' }
    expect(seen(sessions, { traceId: 't1' })).toEqual({ ...ambiguous, intents: ['open', 'newer', 'older'] })
    still.leave()
    expect(seen(sessions, { traceId: 't1' })).toEqual({ ...ambiguous, intents: ['newer', 'older', 'open'] })
  })

  test('an unknown one is no evidence: the next step decides', () => {
    const { sessions } = fixture()
    say(sessions, 'mine', { traceId: 't1' })
    expect(seen(sessions, { traceId: 't9' })).toEqual({ certainty: 'inferred', method: 'in_flight', intents: ['mine'] })
  })

  test('of a session that is gone: lost', () => {
    const { sessions, pass } = fixture()
    turn(sessions, 'gone', { traceId: 't1' })
    pass(OPTIONS.ttlMs + 1)
    say(sessions, 'there', { traceId: 't2' })
    expect(seen(sessions, { traceId: 't1' })).toEqual({ certainty: 'lost', method: 'trace', intents: [] })
  })

  test('shared with a session that is gone: the one that is left is likely, not certain', () => {
    const { sessions, pass } = fixture()
    turn(sessions, 'gone', { traceId: 't1' })
    pass(OPTIONS.ttlMs)
    turn(sessions, 'left', { traceId: 't1' })
    pass(1)
    expect(seen(sessions, { traceId: 't1' })).toEqual({ certainty: 'ambiguous', method: 'trace', intents: ['left'] })
  })

  test('polls of the session do not push out the trace id of its turn', () => {
    const { sessions } = fixture()
    turn(sessions, 'mine', { hint: ON, traceId: 't1' })
    say(sessions, 'other')
    for (let i = 0; i < 500; i++) enter(sessions, { hint: ON, speaks: false, traceId: `poll-${String(i)}` }).leave()
    expect(seen(sessions, { traceId: 't1' }).certainty).toBe('exact')
    expect(seen(sessions, { traceId: 'poll-499' }).certainty).toBe('exact')
    expect(seen(sessions, { traceId: 'poll-0' }).method).toBe('in_flight')
  })

  test('a session remembers the trace ids of its newest turns', () => {
    const { sessions } = fixture()
    for (let i = 0; i <= LIMITS.spokenTraces; i++) turn(sessions, 'x', { hint: ON, traceId: `t${String(i)}` })
    expect(seen(sessions, { traceId: 't0' }).method).toBe('in_flight')
    expect(seen(sessions, { traceId: 't1' }).method).toBe('trace')
  })

  test('an outbound exchange teaches none: a trace id of the whole agent process would name the wrong user', () => {
    const { sessions } = fixture()
    const mine = say(sessions, 'mine')
    sessions.resolve(outbound({ handles: [mine.handle], traceId: 'process' }))
    say(sessions, 'other')
    expect(seen(sessions, { traceId: 'process' })).toMatchObject({ certainty: 'ambiguous', method: 'in_flight' })
  })

  test('what is too long to be one is none', () => {
    const { sessions } = fixture()
    const traceId = 'a'.repeat(LIMITS.traceIdChars + 1)
    say(sessions, 'mine', { traceId })
    expect(seen(sessions, { traceId }).method).toBe('in_flight')
  })
})

describe('step 3: in flight or lingering', () => {
  test('one in flight: inferred', () => {
    const { sessions } = fixture()
    say(sessions, 'mine')
    say(sessions, 'elsewhere', { workload: 'v' })
    expect(seen(sessions)).toEqual({ certainty: 'inferred', method: 'in_flight', intents: ['mine'] })
  })

  test('an idle session beside it does not count', () => {
    const { sessions, pass } = fixture()
    turn(sessions, 'idle')
    pass(OPTIONS.lingerMs + 1)
    say(sessions, 'open')
    expect(seen(sessions)).toEqual({ certainty: 'inferred', method: 'in_flight', intents: ['open'] })
  })

  test('a lingering one does: ambiguous, the open one first although its turn is older', () => {
    const { sessions } = fixture()
    say(sessions, 'open')
    turn(sessions, 'lingers')
    expect(seen(sessions)).toEqual({ certainty: 'ambiguous', method: 'in_flight', intents: ['open', 'lingers'] })
  })

  test('lingering lasts from the end of the last inbound exchange', () => {
    const { sessions, pass } = fixture()
    const mine = say(sessions, 'mine')
    turn(sessions, 'other')
    pass(10 * MINUTE_MS)
    mine.leave()
    pass(OPTIONS.lingerMs)
    expect(seen(sessions)).toEqual({ certainty: 'inferred', method: 'in_flight', intents: ['mine'] })
    pass(1)
    expect(seen(sessions)).toMatchObject({ certainty: 'ambiguous', method: 'live' })
  })

  test('an exactly resolved outbound exchange prolongs it, an inferred one does not', () => {
    const { sessions, pass } = fixture()
    const mine = turn(sessions, 'mine', { traceId: 't1' })
    turn(sessions, 'other')
    for (const evidence of [{ handles: [mine.handle] }, { traceId: 't1' }]) {
      pass(OPTIONS.lingerMs + 1)
      expect(seen(sessions).method).toBe('live')
      seen(sessions, evidence)
      pass(OPTIONS.lingerMs)
      expect(seen(sessions)).toEqual({ certainty: 'inferred', method: 'in_flight', intents: ['mine'] })
    }
    pass(1)
    expect(seen(sessions).method).toBe('live')
  })

  test('a poll is an inbound exchange: it holds its session in flight, and lets it linger', () => {
    const { sessions, pass } = fixture()
    turn(sessions, 'mine', { hint: ON })
    turn(sessions, 'other')
    pass(OPTIONS.lingerMs + 1)
    const poll = enter(sessions, { hint: ON, speaks: false })
    pass(10 * OPTIONS.ttlMs)
    expect(seen(sessions)).toEqual({ certainty: 'inferred', method: 'in_flight', intents: ['mine'] })
    poll.leave()
    pass(OPTIONS.lingerMs)
    expect(seen(sessions).method).toBe('in_flight')
  })

  test('two exchanges of one session: in flight until the last one leaves, and leaving twice counts once', () => {
    const { sessions } = fixture()
    const first = say(sessions, 'mine', { hint: ON })
    const second = say(sessions, 'mine too', { hint: ON })
    first.leave()
    first.leave()
    expect(sessions.stats().inFlight).toBe(1)
    second.leave()
    expect(sessions.stats().inFlight).toBe(0)
  })
})

describe('step 4: live sessions', () => {
  test('one: inferred; several: ambiguous by newest user turn; zero: none', () => {
    const { sessions, pass } = fixture()
    expect(seen(sessions)).toEqual({ certainty: 'none', method: 'none', intents: [] })
    turn(sessions, 'first', { hint: ON })
    pass(OPTIONS.lingerMs + 1)
    expect(seen(sessions)).toEqual({ certainty: 'inferred', method: 'live', intents: ['first'] })
    turn(sessions, 'second')
    pass(OPTIONS.lingerMs + 1)
    expect(seen(sessions)).toEqual({ certainty: 'ambiguous', method: 'live', intents: ['second', 'first'] })
    enter(sessions, { hint: ON, speaks: false }).leave()
    pass(OPTIONS.lingerMs + 1)
    expect(seen(sessions).intents).toEqual(['second', 'first'])
    pass(OPTIONS.ttlMs)
    expect(seen(sessions)).toEqual({ certainty: 'none', method: 'none', intents: [] })
  })

  test('of another workload: none', () => {
    const { sessions } = fixture()
    say(sessions, 'theirs', { workload: 'v' })
    expect(seen(sessions)).toEqual({ certainty: 'none', method: 'none', intents: [] })
  })
})

describe('candidates', () => {
  test('are named up to a limit, and never stop being several', () => {
    const { sessions } = fixture()
    const evidence = { traceId: 't1' }
    for (let i = 0; i < 3 * LIMITS.candidates; i++) say(sessions, String(i), evidence)
    for (const by of [evidence, {}]) {
      const found = seen(sessions, by)
      expect(found.certainty).toBe('ambiguous')
      expect(found.intents).toHaveLength(LIMITS.candidates)
      expect(found.intents[0]).toBe(String(3 * LIMITS.candidates - 1))
    }
  })

  test('a session that no user has spoken in yet is one, without an intent', () => {
    const { sessions } = fixture()
    enter(sessions)
    expect(seen(sessions)).toEqual({ certainty: 'inferred', method: 'in_flight', intents: [undefined] })
  })
})

test('switched off: nothing is found, nothing is begun, and the record says why', () => {
  const { sessions } = fixture({ enabled: false })
  expect(sessions.enter(inbound())).toBeUndefined()
  const off = { certainty: 'none', method: 'disabled', candidates: [] }
  expect(sessions.peek(inbound())).toEqual(off)
  expect(sessions.resolve(outbound({ handles: [UNKNOWN] }))).toEqual(off)
  expect(sessions.stats()).toEqual({ sessions: 0, inFlight: 0, tombstones: 0 })
})
