const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const

/** A duration as the Gateway API writes it, such as `7s500ms`. */
export function milliseconds(text: string): number {
  if (!/^([0-9]{1,5}(h|m|s|ms)){1,4}$/.test(text)) throw new Error(`${text} is no duration of the Gateway API.`)
  const parts = [...text.matchAll(/(\d+)(ms|s|m|h)/g)]
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNITS[unit as keyof typeof UNITS], 0)
}
