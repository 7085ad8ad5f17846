import { expect, test } from 'vitest'
import { newRandom, shuffled } from './random.ts'

test('the same seed gives the same numbers, another one others', () => {
  const ten = (seed: string) => Array.from({ length: 10 }, newRandom(seed).next)
  expect(ten('1')).toEqual(ten('1'))
  expect(ten('1')).not.toEqual(ten('2'))
})

test('numbers are spread evenly', () => {
  const random = newRandom('even')
  const counts = [0, 0, 0, 0]
  for (let at = 0; at < 40_000; at++) counts[random.below(4)]! += 1
  for (const count of counts) expect(count).toSatisfy((n: number) => n > 9_600 && n < 10_400)
})

test('a shuffle loses nothing', () => {
  const all = Array.from({ length: 50 }, (_, at) => at)
  const other = shuffled(all, newRandom('1'))
  expect(other).not.toEqual(all)
  expect([...other].sort((a, b) => a - b)).toEqual(all)
})
