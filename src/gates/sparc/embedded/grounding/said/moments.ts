import { HOLIDAYS, MONTHS, WEEKDAYS } from '../lexicon/calendar.ts'
import { exists, isWhole, keyOfDay, type DaySaid } from './days.ts'

/** The dates and times that a text says. */
export interface MomentsSaid {
  readonly days: readonly DaySaid[]
  readonly keys: ReadonlySet<string>
  /** Month and day of those that have a year too. */
  readonly dated: ReadonlySet<string>
  readonly years: ReadonlySet<number>
  readonly weekdays: ReadonlySet<number>
  /** Minutes of the day. */
  readonly times: ReadonlySet<number>
}

interface Found {
  readonly days: DaySaid[]
  readonly keys: Set<string>
}

const MOST_DAYS = 3000

function add(to: Found, day: DaySaid): void {
  if (to.days.length >= MOST_DAYS || !exists(day)) return
  const key = keyOfDay(day)
  if (to.keys.has(key)) return
  to.keys.add(key)
  to.days.push(day)
}

/** `plain`: in lower case. */
export function readMoments(plain: string, isData: boolean): MomentsSaid {
  const found: Found = { days: [], keys: new Set() }
  readDigits(plain, found)
  readMonths(plain, found)
  if (!isData) {
    readShort(plain, found)
    readHolidays(plain, found)
  }
  const weekdays = new Set<number>()
  for (const [word] of isData ? [] : plain.matchAll(WEEKDAY)) weekdays.add(WEEKDAYS.get(word) ?? 0)
  const years = new Set<number>()
  for (const [year] of plain.matchAll(YEAR)) if (years.size < MOST_DAYS) years.add(Number(year))
  for (const { year } of found.days) if (year !== undefined) years.add(year)
  const dated = new Set(found.days.filter(isWhole).map(({ month, day }) => `${month}-${day}`))
  return { ...found, dated, years, weekdays, times: readTimes(plain, isData) }
}

const WEEKDAY =
  /(?<![a-z])(?:sun|mon|tues?|wednes|thurs?|fri|satur)day(?![a-z])|(?<![a-z])(?:mon|tue|tues|wed|thu|thur|thurs|fri)(?![a-z])/g
const YEAR = /(?<![\d.])(?:1[5-9]\d\d|20\d\d)(?!\d)/g
const YEAR_FIRST = /(?<!\d)(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?!\d)/g
const YEAR_LAST = /(?<!\d)(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})(?!\d)/g
const COMPACT = /(?<!\d)((?:19|20)\d\d)(0[1-9]|1[0-2])([0-3]\d)(?!\d)/g

function readDigits(plain: string, to: Found): void {
  for (const pattern of [YEAR_FIRST, COMPACT]) {
    for (const [, year = '', month = '', day] of plain.matchAll(pattern)) {
      add(to, { year: Number(year), month: Number(month), ...(day !== undefined && { day: Number(day) }) })
    }
  }
  for (const [, a = '', b = '', year = ''] of plain.matchAll(YEAR_LAST)) {
    add(to, { year: fullYear(year), month: Number(b), day: Number(a) })
    add(to, { year: fullYear(year), month: Number(a), day: Number(b) })
  }
}

export function fullYear(digits: string): number {
  const year = Number(digits)
  if (digits.length > 2) return year
  return year < 70 ? 2000 + year : 1900 + year
}

const MONTH =
  /(?<![a-z])(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec)(?![a-z])\.?/g
const DAY_BEFORE =
  /(?<!\d)(\d{1,2})(?:st|nd|rd|th)?(?:\s?(?:-|to|and|until|through|,)\s?(?:the\s)?(\d{1,2})(?:st|nd|rd|th)?)?[\s-](?:day\s)?(?:of\s)?$/
const DAY_AFTER =
  /^[\s-]{0,2}(?:the\s)?(\d{1,2})(?:st|nd|rd|th)?(?![\d:])(?:\s?(?:-|–|to|and|until|through|,)\s?(?:the\s)?(\d{1,2})(?:st|nd|rd|th)?(?![\d:]))?/
const YEAR_AFTER = /^[\s,]{0,2}(?:of\s|in\s)?-?(\d{4})(?!\d)/
/** A verb and a name as well. */
const DOUBTFUL: ReadonlySet<string> = new Set(['may', 'march', 'mar', 'dec', 'sep', 'jan'])

const MOST_MONTHS = 20_000

function readMonths(plain: string, to: Found): void {
  let months = 0
  for (const { 0: word, index } of plain.matchAll(MONTH)) {
    if (to.days.length >= MOST_DAYS || ++months > MOST_MONTHS) return
    const name = word.replace('.', '')
    const month = MONTHS.get(name) ?? 0
    const ahead = plain.slice(index + word.length, index + word.length + 40)
    const before = DAY_BEFORE.exec(plain.slice(Math.max(0, index - 30), index))
    const after = DAY_AFTER.exec(ahead)
    const rest = after === null ? ahead : ahead.slice(after[0].length)
    const year = YEAR_AFTER.exec(rest)?.[1] ?? YEAR_AFTER.exec(ahead)?.[1]
    const days = [before?.[1], before?.[2], after?.[1], after?.[2]].filter((day) => day !== undefined).map(Number)
    const ofYear = year === undefined ? {} : { year: Number(year) }
    for (const day of days) add(to, { ...ofYear, month, day })
    const isMonth =
      !DOUBTFUL.has(name) ||
      year !== undefined ||
      /(?:in|of|during|until|since|by|for|next|last|this)\s$/.test(plain.slice(Math.max(0, index - 8), index))
    if (days.length === 0 && isMonth) add(to, { ...ofYear, month })
  }
}

const DAY_ALONE = /(?<![\d.])(\d{1,2})(?:st|nd|rd|th)(?![a-z])/g
const TWO_NUMBERS = /(?<![\d/.])(\d{1,2})[/.](\d{1,2})(?![\d/.%])/g

function readShort(plain: string, to: Found): void {
  const named = new Set(to.days.map(({ day }) => day))
  // The day of a date is none of any other month.
  for (const [, day = ''] of plain.matchAll(DAY_ALONE)) if (!named.has(Number(day))) add(to, { day: Number(day) })
  for (const [, a = '', b = ''] of plain.matchAll(TWO_NUMBERS)) {
    add(to, { month: Number(a), day: Number(b) })
    add(to, { month: Number(b), day: Number(a) })
  }
}

function readHolidays(plain: string, to: Found): void {
  const bare = plain.slice(0, 20_000).replaceAll("'", '')
  for (const [name, [month, day]] of HOLIDAYS) if (bare.includes(name)) add(to, { month, day })
}

const CLOCK = /(?<![\d:.])(\d{1,2}):(\d{2})(?::\d{2})?(?:\.\d{1,6})?\s?([ap])?(?:\.?m)?(?![\d:])/g
const HALVES = /(?<![\d:.])(\d{1,2})(?:[.:](\d{2}))?\s?([ap])\.?m(?![a-z])/g
const OCLOCK = /(?<![\d:.])(\d{1,2})\s?(?:o'?clock|in the (?:morning|afternoon|evening)|at night|h(?![a-z]))/g
const AT = /(?<![a-z])(?:at|by|from|until|till|to|around|before|after)\s(\d{1,2})(?![\d:./%,-]|\s?[a-z]{3})/g
const PAST =
  /(?<![a-z])(half|quarter) (past|to) (\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?![a-z])/g
const HOURS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve']

function readTimes(plain: string, isData: boolean): ReadonlySet<number> {
  const times = new Set<number>()
  const take = (hour: number, minute: number, half: string | undefined): void => {
    if (hour > 24 || minute > 59 || times.size > 1440) return
    const base = half === undefined ? hour % 24 : hour % 12
    const at = 60 * base + minute
    if (half !== 'p') times.add(at)
    // An hour that may be either stands for both.
    if (half === 'p' || (half === undefined && !isData && hour <= 12)) times.add((at + 720) % 1440)
    if (half === undefined && hour === 12) times.add(at)
  }
  for (const pattern of [CLOCK, HALVES]) {
    for (const [, hour = '', minute = '0', half] of plain.matchAll(pattern)) take(Number(hour), Number(minute), half)
  }
  if (isData) return times
  for (const pattern of [OCLOCK, AT])
    for (const [, hour = ''] of plain.matchAll(pattern)) take(Number(hour), 0, undefined)
  for (const [, part = '', side = '', word = ''] of plain.matchAll(PAST)) {
    const hour = /\d/.test(word) ? Number(word) : HOURS.indexOf(word) + 1
    const minutes = part === 'half' ? 30 : 15
    if (side === 'past') take(hour, minutes, undefined)
    else take((hour + 23) % 24, 60 - minutes, undefined)
  }
  for (const [, word = ''] of plain.matchAll(
    /(?<![a-z])at (one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?![a-z])/g,
  ))
    take(HOURS.indexOf(word) + 1, 0, undefined)
  if (/(?<![a-z])(?:noon|midday)(?![a-z])/.test(plain)) times.add(720)
  if (/(?<![a-z])midnight(?![a-z])/.test(plain)) times.add(0)
  return times
}

const TODAY =
  /(?:today(?:'s date)?(?: is|:| =)|(?:current|today's) (?:date|day|time|datetime)(?: and time)?(?: is|:|\s=)|it is (?:now|currently|today))([^\n]{1,60})/
const LONGEST_DATE_ALONE = 40

/** What a plain text says today is. */
export function todayIn(plain: string): Required<DaySaid> | undefined {
  const said =
    TODAY.exec(plain)?.[1] ?? (plain.length <= LONGEST_DATE_ALONE && !/[a-z]{10}/.test(plain) ? plain : undefined)
  if (said === undefined) return undefined
  const found: Found = { days: [], keys: new Set() }
  readDigits(said, found)
  readMonths(said, found)
  return found.days.find(isWhole)
}
