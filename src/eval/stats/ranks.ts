/** Of all pairs, how many have the higher score where it should be; a tie is half of one. Of two sorted lists. */
export function wins(low: Float64Array, high: Float64Array): number {
  let sum = 0
  let below = 0
  let upTo = 0
  for (const score of high) {
    while (below < low.length && (low[below] ?? 0) < score) below++
    if (upTo < below) upTo = below
    while (upTo < low.length && (low[upTo] ?? 0) <= score) upTo++
    sum += below + (upTo - below) / 2
  }
  return sum
}

export function sortedScores(scores: readonly number[]): Float64Array {
  return Float64Array.from(scores).sort()
}

/** The chance that a call of the second list has a higher score than one of the first. */
export function aucOf(low: readonly number[], high: readonly number[]): number | null {
  const pairs = low.length * high.length
  return pairs === 0 ? null : wins(sortedScores(low), sortedScores(high)) / pairs
}

/**
 * The lowest score to deny from that raises at most so many false alarms. `scores` from the highest down; each counts as
 * often as its weight says.
 */
export function thresholdFor(share: number, scores: Float64Array, weightAt: (at: number) => number): number {
  let total = 0
  for (let at = 0; at < scores.length; at++) total += weightAt(at)
  let denied = 0
  for (let at = 0; at < scores.length;) {
    const score = scores[at] ?? 0
    // Equal scores are denied together or not at all.
    for (; at < scores.length && scores[at] === score; at++) denied += weightAt(at)
    if (denied > share * total) return score + LEAST_STEP
  }
  return -Infinity
}

/** Anything above a score: no two scores of a judge are so close and differ. */
const LEAST_STEP = 1e-9

export interface Point {
  readonly threshold: number
  readonly falseAlarms: number
  readonly blocked: number
}

/** What is blocked against what is alarmed falsely, for each threshold from the highest down. */
export function curveOf(legitimate: readonly number[], injected: readonly number[]): readonly Point[] {
  if (legitimate.length === 0 || injected.length === 0) return []
  const low = sortedScores(legitimate).reverse()
  const high = sortedScores(injected).reverse()
  const points: Point[] = [{ threshold: Infinity, falseAlarms: 0, blocked: 0 }]
  let a = 0
  let b = 0
  while (a < low.length || b < high.length) {
    const threshold = Math.max(low[a] ?? -Infinity, high[b] ?? -Infinity)
    while (a < low.length && (low[a] ?? 0) >= threshold) a++
    while (b < high.length && (high[b] ?? 0) >= threshold) b++
    points.push({ threshold, falseAlarms: a / low.length, blocked: b / high.length })
  }
  return points
}
