export interface Times {
  readonly count: number
  readonly p50: number | null
  readonly p95: number | null
  readonly p99: number | null
}

export function timesOf(values: readonly number[]): Times {
  const sorted = Float64Array.from(values).sort()
  return {
    count: sorted.length,
    p50: quantile(sorted, 0.5),
    p95: quantile(sorted, 0.95),
    p99: quantile(sorted, 0.99),
  }
}

/** The smallest value that so many lie at or under. Of a sorted list. */
export function quantile(sorted: ArrayLike<number>, share: number): number | null {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null
}
