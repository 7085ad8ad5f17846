import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { InboundEntry, Lesson, SessionHint } from '../core/session.ts'
import { agent, alias, fixture, inbound, MINUTE_MS, outbound, user } from '../../test/support/session/kit.ts'

const SMALL = {
  maxSessions: 4,
  maxTombstones: 5,
  maxEvents: 6,
  ttlMs: 10 * MINUTE_MS,
  lingerMs: MINUTE_MS,
  tombstoneTtlMs: 60 * MINUTE_MS,
}

const workload = fc.constantFrom('w', 'v')
const subject = fc.constantFrom('alice', 'bob')
const hint: fc.Arbitrary<SessionHint | undefined> = fc.option(
  fc.record(
    { contextId: fc.constantFrom('c1', 'c2', 'c3'), taskId: fc.constantFrom('k1', 'k2') },
    { requiredKeys: [] },
  ),
  { nil: undefined },
)
const traceId = fc.option(fc.constantFrom('t1', 't2', 't3', 't4'), { nil: undefined })

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('enter'), workload, subject, traceId, hint, speaks: fc.boolean() }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('leave'), which: fc.nat(9) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('answer'), which: fc.nat(9), hint, asks: fc.boolean() }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('resolve'), workload, traceId, handle: fc.option(fc.nat(30)) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('chatter'), which: fc.nat(30) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('pass'), ms: fc.constantFrom(1, MINUTE_MS, 5 * MINUTE_MS, 11 * MINUTE_MS) }),
  },
)

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

interface Owner {
  readonly workload: string
  readonly subject: string
}

/** Runs the steps and checks after each what must hold whatever happened. */
function play(steps: readonly Step[]): void {
  const { sessions, pass } = fixture(SMALL)
  const owners = new Map<string, Owner>()
  const entries: InboundEntry[] = []
  const newest = new Map<string, string>()
  const open: InboundEntry[] = []
  let messages = 0

  const ownedBy = (id: string, workloadOfQuery: string): void => {
    expect(owners.get(id)?.workload).toBe(workloadOfQuery)
  }

  for (const now of steps) {
    switch (now.do) {
      case 'enter': {
        const query = inbound(now)
        const peeked = sessions.peek(query)
        const inFlight = sessions.stats().inFlight
        const entry = sessions.enter(query)
        if (entry === 'overloaded') {
          expect(inFlight).toBe(SMALL.maxSessions)
          expect(peeked.candidates).toEqual([])
        } else if (entry === undefined) {
          expect(now.speaks).toBe(false)
          expect(peeked.certainty).toBe('none')
        } else {
          // Peek and enter agree, and nobody enters another's session.
          expect(peeked.candidates.map((view) => view.id)).toEqual(entry.method === 'new' ? [] : [entry.view.id])
          const owner = owners.get(entry.view.id) ?? { workload: now.workload, subject: now.subject }
          expect(owner).toEqual({ workload: now.workload, subject: now.subject })
          owners.set(entry.view.id, owner)
          entries.push(entry)
          open.push(entry)
          if (now.speaks) {
            const text = `${now.workload}/${now.subject} says ${String(++messages)}`
            entry.learn([user(text, now.hint ?? {})])
            newest.set(entry.view.id, text)
          }
        }
        break
      }
      case 'leave': {
        const [left] = open.splice(now.which, 1)
        left?.leave()
        left?.leave()
        break
      }
      case 'answer': {
        const lessons: Lesson[] = [agent('well', now.asks), alias(now.hint ?? {})]
        open[now.which]?.learn(lessons)
        break
      }
      case 'resolve': {
        const evidence = now.handle === null ? undefined : entries[now.handle]
        const found = sessions.resolve(outbound({ ...now, handles: evidence === undefined ? [] : [evidence.handle] }))
        for (const view of found.candidates) ownedBy(view.id, now.workload)
        const several = found.certainty === 'ambiguous' && found.method !== 'trace' ? 2 : 1
        if (found.certainty === 'lost' || found.certainty === 'none') expect(found.candidates).toEqual([])
        else expect(found.candidates.length).toBeGreaterThanOrEqual(several)
        if (found.certainty === 'exact' || found.certainty === 'inferred') expect(found.candidates).toHaveLength(1)
        if (evidence !== undefined) {
          expect(found.method).toBe('handle')
          expect(['exact', 'lost']).toContain(found.certainty)
          if (found.certainty === 'exact') expect(found.candidates[0]?.id).toBe(evidence.view.id)
        }
        break
      }
      case 'chatter': {
        const id = entries[now.which]?.view.id
        const noise: Lesson[] = Array.from({ length: 8 }, (_, i) => ({
          kind: 'tool-result',
          tool: 't',
          args: {},
          text: `noise ${String(i)}`,
        }))
        if (id !== undefined) sessions.learn(id, noise, `h${String(now.which)}.test`, 'e')
        break
      }
      case 'pass':
        pass(now.ms)
        break
    }

    const stats = sessions.stats()
    expect(stats.sessions).toBeLessThanOrEqual(SMALL.maxSessions)
    expect(stats.tombstones).toBeLessThanOrEqual(SMALL.maxTombstones)
    expect(stats.inFlight).toBe(new Set(open.map((entry) => entry.view.id)).size)
    for (const { view, handle } of entries) {
      // Nobody who knows the public id can make the handle of it, nor use it as one.
      expect(view.id).toMatch(/^pse_[\w-]{22}$/)
      expect(view.id.slice(4)).not.toBe(handle.slice(4))
    }
    for (const entry of open) {
      // Never evicted, never expired, and the user's word is still there, in words of the same owner only.
      const owner = owners.get(entry.view.id)
      const found = sessions.resolve(outbound({ workload: owner?.workload ?? '', handles: [entry.handle] }))
      expect(found.candidates[0]).toBe(entry.view)
      const said = entry.view.intents(99).join('\n').split('\n').filter(Boolean)
      expect(entry.view.intents(1)[0]?.split('\n').at(-1)).toBe(newest.get(entry.view.id))
      for (const text of said)
        expect(text).toMatch(new RegExp(`^${owner?.workload ?? ''}/${owner?.subject ?? ''} says`))
    }
  }
  for (const entry of open) entry.leave()
  expect(sessions.stats().inFlight).toBe(0)
}

describe('whatever happens in whatever order', () => {
  test('bounds hold, nothing in flight is lost, nobody sees what is not theirs', () => {
    fc.assert(fc.property(fc.array(step, { maxLength: 60 }), play), { numRuns: 150 })
  })
})
