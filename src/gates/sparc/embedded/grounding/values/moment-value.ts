import { MONTHS } from '../lexicon/calendar.ts'
import { exists, type DaySaid } from '../said/days.ts'
import { fullYear } from '../said/moments.ts'
import { plainText } from '../text.ts'

/** A value that is a date, a time, or both. Of a date like 3/4/2025 both readings. */
export interface Moment {
  readonly days: readonly DaySaid[]
  readonly minute: number | undefined
}

const LONGEST = 40
const ISO = /^(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?:(?:t|\s|,\s?)(.+))?$/
const COMPACT = /^((?:19|20)\d\d)(\d\d)(\d\d)$/
const YEAR_LAST = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})(?:(?:t|\s|,\s?)(.+))?$/
const MONTH_FIRST = /^([a-z]{3,9})\.?\s(\d{1,2})(?:st|nd|rd|th)?(?:,?\s(\d{4}))?(?:(?:,?\s(?:at\s)?)(\d.+))?$/
const DAY_FIRST = /^(\d{1,2})(?:st|nd|rd|th)?\s(?:of\s)?([a-z]{3,9})\.?(?:,?\s(\d{4}))?(?:(?:,?\s(?:at\s)?)(\d.+))?$/
const MONTH_YEAR = /^([a-z]{3,9})\.?,?\s(\d{4})$/
const TIME = /^(\d{1,2})(?:[:.h](\d{2}))?(?::\d{2}(?:\.\d{1,6})?)?\s?([ap])?\.?m?\.?\s?(?:z|utc|gmt|[+-]\d{2}:?\d{2})?$/

export function momentOf(value: string): Moment | undefined {
  const text = plainText(value.trim())
  if (text.length > LONGEST || !/\d/.test(text)) return undefined
  return withDate(text) ?? alone(text)
}

function alone(text: string): Moment | undefined {
  if (!/[:apm]|^\d{1,2}h\d\d/.test(text)) return undefined
  const minute = minuteOf(text)
  return minute === undefined ? undefined : { days: [], minute }
}

function withDate(text: string): Moment | undefined {
  const iso = ISO.exec(text) ?? COMPACT.exec(text)
  if (iso !== null) {
    const [, year, month, day, time] = iso
    const base = { year: Number(year), month: Number(month) }
    return moment([day === undefined ? base : { ...base, day: Number(day) }], time)
  }
  const last = YEAR_LAST.exec(text)
  if (last !== null) {
    const [, a, b, digits = '', time] = last
    const year = fullYear(digits)
    const both = [
      { year, month: Number(a), day: Number(b) },
      { year, month: Number(b), day: Number(a) },
    ]
    return moment(both, time)
  }
  return named(text)
}

function named(text: string): Moment | undefined {
  const monthFirst = MONTH_FIRST.exec(text)
  const dayFirst = DAY_FIRST.exec(text)
  const monthYear = MONTH_YEAR.exec(text)
  if (monthYear !== null) return ofMonth(monthYear[1], undefined, monthYear[2], undefined)
  if (monthFirst !== null) return ofMonth(monthFirst[1], monthFirst[2], monthFirst[3], monthFirst[4])
  return dayFirst === null ? undefined : ofMonth(dayFirst[2], dayFirst[1], dayFirst[3], dayFirst[4])
}

function ofMonth(
  name = '',
  day: string | undefined,
  year: string | undefined,
  time: string | undefined,
): Moment | undefined {
  const month = MONTHS.get(name) ?? MONTHS.get(name.slice(0, 3))
  if (month === undefined) return undefined
  const said = {
    ...(year !== undefined && { year: Number(year) }),
    month,
    ...(day !== undefined && { day: Number(day) }),
  }
  return moment([said], time)
}

function moment(days: readonly DaySaid[], time: string | undefined): Moment | undefined {
  const real = days.filter(exists)
  if (real.length === 0) return undefined
  return { days: real, minute: time === undefined ? undefined : minuteOf(time) }
}

function minuteOf(text: string): number | undefined {
  const match = TIME.exec(text)
  if (match === null) return undefined
  const [, hour = '', minute = '0', half] = match
  if (match[2] === undefined && half === undefined) return undefined
  if (Number(hour) > 24 || Number(minute) > 59) return undefined
  const base = half === undefined ? Number(hour) % 24 : (Number(hour) % 12) + (half === 'p' ? 12 : 0)
  return 60 * base + Number(minute)
}
