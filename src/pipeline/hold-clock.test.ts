import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createHoldClock } from './hold-clock.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

type Step = readonly [ms: number, came: number, wait: number]

const LIMIT = 1000

test.each<[string, readonly Step[], number | undefined]>([
  [
    'nothing ever waits',
    [
      [0, 9, 0],
      [900, 9, 0],
      [900, 9, 0],
    ],
    undefined,
  ],
  ['bytes wait', [[100, 9, 9]], 1100],
  [
    'bytes that wait behind others have their own time',
    [
      [0, 9, 9],
      [600, 9, 18],
      [100, 0, 9],
    ],
    1600,
  ],
  [
    'one hold after the other, and never none',
    [
      [0, 9, 9],
      [600, 9, 9],
      [600, 9, 9],
    ],
    2200,
  ],
  [
    'some of the bytes of one piece wait',
    [
      [0, 9, 9],
      [600, 9, 10],
      [100, 0, 5],
    ],
    1600,
  ],
  [
    'all go in time',
    [
      [0, 9, 9],
      [999, 0, 0],
    ],
    undefined,
  ],
  [
    'what comes later does not make it longer',
    [
      [0, 9, 9],
      [500, 9, 18],
      [400, 9, 27],
    ],
    1000,
  ],
])('%s', (_, steps, late) => {
  const begin = performance.now()
  let at: number | undefined
  const clock = createHoldClock(LIMIT, () => (at = performance.now() - begin))
  for (const [ms, came, wait] of steps) {
    vi.advanceTimersByTime(ms)
    if (came > 0) clock.came(came)
    clock.wait(wait)
  }
  vi.advanceTimersByTime(3 * LIMIT)
  expect(at).toBe(late)
  clock.wait(0)
  expect(vi.getTimerCount()).toBe(0)
})

test('many small pieces cost little, and make it no more than a little early', () => {
  const begin = performance.now()
  let at: number | undefined
  const clock = createHoldClock(LIMIT, () => (at = performance.now() - begin))
  for (let step = 0; step < LIMIT - 1; step++) {
    clock.came(1)
    clock.wait(Math.min(step + 1, 100))
    vi.advanceTimersByTime(1)
  }
  expect(at).toBeUndefined()
  vi.advanceTimersByTime(LIMIT)
  expect(at).toBeGreaterThan(LIMIT - 100 + LIMIT - 10)
  expect(at).toBeLessThanOrEqual(LIMIT - 100 + LIMIT)
})
