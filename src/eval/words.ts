import type { Share } from './stats/share.ts'

export const percent = (share: number | null, digits = 1): string =>
  share === null ? '-' : `${(share * 100).toFixed(digits)} %`

export const decimal = (value: number | null, digits = 3): string => (value === null ? '-' : value.toFixed(digits))

/** "12/34 = 35.3 % [20–53]" */
export function shareText({ count, of, share, low, high }: Share): string {
  if (share === null) return '-'
  return `${count}/${of} = ${percent(share)} [${rangeText(low, high)}]`
}

/** An interval in percent. */
export function rangeText(low: number | null, high: number | null): string {
  const short = (value: number | null) => (value === null ? '-' : String(Number((value * 100).toFixed(1))))
  return `${short(low)}–${short(high)}`
}
