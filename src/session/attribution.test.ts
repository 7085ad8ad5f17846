import { describe, expect, test } from 'vitest'
import type { InboundEntry, Resolution, Sessions } from '../core/session.ts'
import { agent, fixture, outbound, say } from '../../test/support/session/kit.ts'

/** What the scripted agent hands on from the request that it works for to the calls that it makes. */
type Evidence = 'handle' | 'trace' | 'nothing'

interface Work {
  readonly owner: string
  readonly traceId: string
  readonly entry: InboundEntry
}

interface Tally {
  calls: number
  right: number
  wrong: number
  ambiguous: number
  ambiguousWithoutOwner: number
}

/** Numbers that look random and are the same in each run. */
function lottery(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** `users` talk at once, turns begin and end in any order; the oracle is the agent's own knowledge of whom it works for. */
function simulate(users: number, evidence: Evidence, sessions: Sessions, pass: (ms: number) => void): Tally {
  const draw = lottery(7)
  const tally: Tally = { calls: 0, right: 0, wrong: 0, ambiguous: 0, ambiguousWithoutOwner: 0 }
  const busy: Work[] = []
  for (let i = 0; i < 2_000; i++) {
    pass(draw(200))
    const dice = draw(10)
    if (busy.length < users && dice < 3) busy.push(begin(sessions, `user ${String(draw(users))}`, i))
    else if (dice < 5) {
      const [done] = busy.splice(draw(busy.length), 1)
      done?.entry.learn([agent('done.', false)])
      done?.entry.leave()
    } else {
      const work = busy[draw(busy.length)]
      if (work !== undefined) count(tally, work, call(sessions, work, evidence))
    }
  }
  return tally
}

function begin(sessions: Sessions, owner: string, turn: number): Work {
  const traceId = `trace-${String(turn)}`
  const entry = say(sessions, `${owner}, turn ${String(turn)}`, {
    subject: owner,
    traceId,
    hint: { contextId: 'the same name for everybody' },
  })
  return { owner, traceId, entry }
}

function call(sessions: Sessions, work: Work, evidence: Evidence): Resolution {
  return sessions.resolve(
    outbound({
      handles: evidence === 'handle' ? [work.entry.handle] : [],
      traceId: evidence === 'trace' ? work.traceId : undefined,
    }),
  )
}

function count(tally: Tally, work: Work, { certainty, candidates }: Resolution): void {
  const owners = candidates.map((view) => view.intents(1)[0]?.split(',')[0])
  tally.calls += 1
  if (certainty === 'ambiguous') {
    tally.ambiguous += 1
    if (!owners.includes(work.owner)) tally.ambiguousWithoutOwner += 1
  } else if (owners[0] === work.owner) tally.right += 1
  else tally.wrong += 1
}

describe('whose call was it', () => {
  test.each<[number, Evidence]>([
    [1, 'handle'],
    [5, 'handle'],
    [50, 'handle'],
    [1, 'trace'],
    [5, 'trace'],
    [50, 'trace'],
    [1, 'nothing'],
  ])('%i at once, the agent hands on %s: right every time', (users, evidence) => {
    const { sessions, pass } = fixture()
    const tally = simulate(users, evidence, sessions, pass)
    expect(tally.calls).toBeGreaterThan(300)
    expect(tally).toMatchObject({ right: tally.calls, wrong: 0, ambiguous: 0 })
  })

  test.each([2, 5, 50])(
    '%i at once, the agent hands on nothing: never wrong, ambiguous with the owner among them',
    (users) => {
      const { sessions, pass } = fixture()
      const tally = simulate(users, 'nothing', sessions, pass)
      expect(tally.calls).toBeGreaterThan(300)
      expect(tally.wrong).toBe(0)
      expect(tally.ambiguousWithoutOwner).toBe(0)
      expect(tally.right + tally.ambiguous).toBe(tally.calls)
      expect(tally.ambiguous).toBeGreaterThan(0)
    },
  )

  test('without evidence, users who come one after another are told apart by time', () => {
    const { sessions, pass } = fixture()
    for (let i = 0; i < 20; i++) {
      const work = begin(sessions, `user ${String(i)}`, i)
      const found = call(sessions, work, 'nothing')
      expect(found).toMatchObject({ certainty: 'inferred', method: 'in_flight', candidates: [work.entry.view] })
      work.entry.leave()
      pass(61_000)
    }
  })
})
