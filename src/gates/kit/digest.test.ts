import fc from 'fast-check'
import { expect, test } from 'vitest'
import { digestOf } from './digest.ts'

const parts = fc.array(fc.string({ unit: 'grapheme', maxLength: 4 }), { maxLength: 4 })

test('two lists have one key only where they are equal', () => {
  fc.assert(
    fc.property(parts, parts, (a, b) => {
      expect(digestOf(a) === digestOf(b)).toBe(JSON.stringify(a) === JSON.stringify(b))
    }),
  )
})

test.each([
  [
    ['ab', 'c'],
    ['a', 'bc'],
  ],
  [['a'], ['a', '']],
  [[], ['']],
  [['1:a'], ['1', 'a']],
])('%j is not %j', (a, b) => {
  expect(digestOf(a)).not.toBe(digestOf(b))
})
