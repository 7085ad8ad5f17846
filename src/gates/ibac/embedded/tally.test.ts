import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Tally } from './tally.ts'

test('sums as a map does, round after round, however many there are', () => {
  const adds = fc.array(fc.tuple(fc.nat({ max: 5_000 }), fc.integer({ min: 1, max: 4 })), { maxLength: 60 })
  fc.assert(
    fc.property(fc.array(adds, { maxLength: 5 }), (rounds) => {
      const tally = new Tally()
      for (const round of rounds) {
        const expected = new Map<number, number>()
        tally.begin(Math.max(0, ...round.map(([id]) => id)) + 1)
        for (const [id, weight] of round) {
          expected.set(id, (expected.get(id) ?? 0) + weight)
          tally.add(id, weight)
        }
        const seen: [number, number][] = []
        tally.forEach((id, sum) => seen.push([id, sum]))
        expect(seen).toEqual([...expected])
      }
    }),
  )
})
