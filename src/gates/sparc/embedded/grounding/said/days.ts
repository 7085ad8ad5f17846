/** A day, or the part of one that was said. */
export interface DaySaid {
  readonly year?: number
  readonly month?: number
  readonly day?: number
}

const DAY_MS = 86_400_000

/** Days since 1970; only for whole days. */
export function dayNumber({ year = 1970, month = 1, day = 1 }: DaySaid): number {
  return Math.round(Date.UTC(year, month - 1, day) / DAY_MS)
}

export function dayOf(days: number): Required<DaySaid> {
  const date = new Date(days * DAY_MS)
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}

export function weekdayOf(days: number): number {
  return (((days + 4) % 7) + 7) % 7
}

export function isWhole(day: DaySaid): day is Required<DaySaid> {
  return day.year !== undefined && day.month !== undefined && day.day !== undefined
}

/** Whether the calendar has it. */
export function exists({ year = 2000, month = 1, day = 1 }: DaySaid): boolean {
  if (month < 1 || month > 12 || day < 1 || day > 31) return false
  return dayOf(dayNumber({ year, month, day })).day === day
}

export function keyOfDay({ year, month, day }: DaySaid): string {
  return `${year ?? ''}-${month ?? ''}-${day ?? ''}`
}
