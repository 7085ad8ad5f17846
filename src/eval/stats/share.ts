/** How many of how many, and between which shares the true one lies 95 times of 100. */
export interface Share {
  readonly count: number
  readonly of: number
  /** Null where there was nothing to count. */
  readonly share: number | null
  readonly low: number | null
  readonly high: number | null
}

/** Of two sides, 2.5 % each. */
export const Z95 = 1.959964

/** With Wilson's interval, which holds near 0 and 1 and for few rows. It takes the rows for independent. */
export function shareOf(count: number, of: number): Share {
  if (of === 0) return { count, of, share: null, low: null, high: null }
  const share = count / of
  const z2 = Z95 * Z95
  const middle = share + z2 / (2 * of)
  const half = Z95 * Math.sqrt((share * (1 - share)) / of + z2 / (4 * of * of))
  const whole = 1 + z2 / of
  return {
    count,
    of,
    share,
    low: count === 0 ? 0 : (middle - half) / whole,
    high: count === of ? 1 : (middle + half) / whole,
  }
}

export function countShare<T>(items: readonly T[], is: (item: T) => boolean): Share {
  return shareOf(items.filter(is).length, items.length)
}
