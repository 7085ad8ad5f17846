import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ratesOf, type Figure, type Scored } from './bootstrap.ts'
import { timesOf } from './quantile.ts'
import { aucOf, curveOf, sortedScores, thresholdFor } from './ranks.ts'
import { shareOf } from './share.ts'

describe('AUC', () => {
  test.each([
    ['told apart', [1, 2], [3, 4], 1],
    ['the wrong way round', [3, 4], [1, 2], 0],
    ['all alike', [1, 1], [1, 1, 1], 0.5],
    ['one tie of four pairs', [1, 2], [2, 3], 0.875],
    ['nothing injected', [1], [], null],
    ['nothing legitimate', [], [1], null],
  ])('%s', (_name, low, high, expected) => {
    expect(aucOf(low, high)).toBe(expected)
  })

  test('is the share of pairs in the right order, a tie being half of one', () => {
    const scores = fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(scores, scores, (low, high) => {
        const pairs = low.flatMap((a) => high.map((b) => (b > a ? 1 : b === a ? 0.5 : 0)))
        const share = pairs.reduce<number>((sum, each) => sum + each, 0) / pairs.length
        expect(aucOf(low, high)).toBeCloseTo(share, 12)
      }),
    )
  })
})

describe("Wilson's interval", () => {
  // Values of Newcombe (1998), table I, and of the formula for none and all.
  test.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
    [29, 29, 0.883, 1],
  ])('%i of %i', (count, of, low, high) => {
    const share = shareOf(count, of)
    expect(share.share).toBe(count / of)
    expect(share.low).toBeCloseTo(low, 4)
    expect(share.high).toBeCloseTo(high, 4)
  })

  test('of nothing is nothing', () => {
    expect(shareOf(0, 0)).toEqual({ count: 0, of: 0, share: null, low: null, high: null })
  })
})

test('times are those that so many lie at or under', () => {
  const hundred = Array.from({ length: 100 }, (_, at) => 100 - at)
  expect(timesOf(hundred)).toEqual({ count: 100, p50: 50, p95: 95, p99: 99 })
  expect(timesOf([7])).toEqual({ count: 1, p50: 7, p95: 7, p99: 7 })
  expect(timesOf([])).toEqual({ count: 0, p50: null, p95: null, p99: null })
})

describe('the threshold for a share of false alarms', () => {
  const legitimate = sortedScores([1, 1, 2, 2, 2, 3, 4, 5, 6, 9]).reverse()
  test.each([
    [0, (score: number) => score > 9],
    [0.1, (score: number) => score > 6 && score <= 9],
    [0.15, (score: number) => score > 6 && score <= 9],
    [0.5, (score: number) => score > 2 && score <= 3],
    [1, (score: number) => score < 1],
  ])('%d', (share, right) => {
    expect(thresholdFor(share, legitimate, () => 1)).toSatisfy(right)
  })

  test('weighs', () => {
    const twice = (at: number) => (legitimate[at] === 9 ? 2 : 1)
    expect(thresholdFor(0.1, legitimate, twice)).toBeGreaterThan(9)
  })
})

test('a curve goes from nothing to everything, step by step', () => {
  expect(curveOf([1, 2], [2, 3])).toEqual([
    { threshold: Infinity, falseAlarms: 0, blocked: 0 },
    { threshold: 3, falseAlarms: 0, blocked: 0.5 },
    { threshold: 2, falseAlarms: 0.5, blocked: 1 },
    { threshold: 1, falseAlarms: 1, blocked: 1 },
  ])
  expect(curveOf([], [1])).toEqual([])
})

describe('rates with intervals', () => {
  const calls = (cluster: string, ...scores: number[]): Scored[] =>
    scores.map((score) => ({ cluster, score, denied: score >= 5 }))
  const legitimate = [...calls('a', 0, 1, 2), ...calls('b', 1, 6), ...calls('c', 0, 0, 0, 2)]
  const injected = [...calls('x', 7, 8), ...calls('y', 5, 2), ...calls('z', 9)]

  test('the figures are those of the calls', () => {
    const rates = ratesOf(legitimate, injected, '1')
    expect(rates.falseAlarms.value).toBeCloseTo(1 / 9, 12)
    expect(rates.blocked.value).toBeCloseTo(4 / 5, 12)
    expect(rates.auc.value).toBe(
      aucOf(
        legitimate.map(({ score }) => score),
        injected.map(({ score }) => score),
      ),
    )
    // 5 % of nine calls is none: only what is above 6 may be denied.
    expect(rates.blockedAt5.value).toBeCloseTo(3 / 5, 12)
    expect(rates.blockedAt10.value).toBeCloseTo(3 / 5, 12)
  })

  test('intervals hold the figure, and are the same for the same seed', () => {
    const rates = ratesOf(legitimate, injected, '1')
    for (const { value, low, high } of Object.values<Figure>({ ...rates })) {
      expect(low).toBeLessThanOrEqual(value ?? NaN)
      expect(high).toBeGreaterThanOrEqual(value ?? NaN)
    }
    expect(ratesOf(legitimate, injected, '1')).toEqual(rates)
    // Three clusters, of which b alone has an alarm: it is left out of some draws, and is all of others.
    expect(rates.falseAlarms).toMatchObject({ low: 0 })
    expect(rates.falseAlarms.high).toBeGreaterThan(0.2)
  })

  test('one cluster cannot be drawn anew: no width, where it has many calls too', () => {
    const { blocked } = ratesOf(legitimate, calls('x', 1, 9, 9, 9), '1')
    expect(blocked).toEqual({ value: 0.75, low: 0.75, high: 0.75 })
  })

  test('nothing to compare has no figure', () => {
    expect(ratesOf(legitimate, [], '1')).toMatchObject({
      auc: { value: null, low: null, high: null },
      blocked: { value: null },
      falseAlarms: { value: 1 / 9 },
    })
  })
})
