import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RecentMap } from './recent-map.ts'

const step = fc.record({ op: fc.constantFrom('set', 'delete'), key: fc.integer({ min: 0, max: 6 }), value: fc.nat(99) })

describe('RecentMap', () => {
  test('behaves as a list of entries, newest first', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const map = new RecentMap<number, number>()
        let model: [number, number][] = []
        for (const { op, key, value } of steps) {
          model = model.filter(([held]) => held !== key)
          if (op === 'set') {
            map.set(key, value)
            model.unshift([key, value])
          } else map.delete(key)

          const seen = {
            values: [...map.newestFirst()],
            keys: map.newestKeys(),
            twoKeys: map.newestKeys(2),
            oldest: map.oldest(),
            size: map.size,
            last: map.get(key),
            has: map.has(key),
          }
          expect(seen).toEqual({
            values: model.map(([, held]) => held),
            keys: model.map(([held]) => held),
            twoKeys: model.slice(0, 2).map(([held]) => held),
            oldest: model.at(-1),
            size: model.length,
            last: op === 'set' ? value : undefined,
            has: op === 'set',
          })
        }
      }),
      { numRuns: 100 },
    )
  })
})
