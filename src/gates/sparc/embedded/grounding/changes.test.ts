import fc from 'fast-check'
import { expect, test } from 'vitest'
import { distance } from '../../../../config/nearest.ts'
import { changesBetween, LONGEST_COMPARED } from './changes.ts'

const few = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 10 })

test('counts as the full comparison does, up to the most that is asked for', () => {
  fc.assert(
    fc.property(few, few, fc.integer({ min: 0, max: 3 }), (a, b, most) => {
      const far = distance(a, b)
      expect(changesBetween(a, b, most)).toBe(far <= most ? far : undefined)
    }),
    { numRuns: 2000 },
  )
})

test.each([
  ['as long as the longest', 'x'.repeat(LONGEST_COMPARED), 0],
  ['longer', 'x'.repeat(LONGEST_COMPARED + 1), undefined],
])('texts %s', (_, text, changes) => {
  expect(changesBetween(text, text, 2)).toBe(changes)
})
