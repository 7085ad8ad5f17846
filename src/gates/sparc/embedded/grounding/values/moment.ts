import type { Evidence } from '../evidence.ts'
import type { Among } from '../heard/among.ts'
import type { Leaf } from '../leaves.ts'
import { MONTHS, WEEKDAYS } from '../lexicon/calendar.ts'
import { dayNumber, dayOf, keyOfDay, weekdayOf, type DaySaid } from '../said/days.ts'
import { saidFor } from '../support.ts'
import { wordsIn } from '../text.ts'
import { holdsAny } from './known.ts'
import type { Moment } from './moment-value.ts'

/** How far a date or a time is supported: said, or worked out from what was said and from what today is. */
export function momentSupport(moment: Moment, leaf: Leaf, evidence: Evidence): number {
  const said = saidFor(leaf.value, evidence)
  const words = wordsIn(String(leaf.value))
  if (words.join('').length >= 5 && holdsAny(said, words)) return 1
  const { days, minute } = moment
  const ofDay = days.length === 0 ? 1 : Math.max(...days.map((day) => daySupport(day, said, evidence)))
  const ofTime = minute === undefined ? 1 : timeSupport(minute, days.length > 0, leaf, said, evidence)
  return Math.min(ofDay, ofTime)
}

function daySupport(day: DaySaid, said: Among, evidence: Evidence): number {
  const has = (part: DaySaid): boolean => {
    const key = keyOfDay(part)
    return said.has(said.index.days, key)
  }
  const isDated = (): boolean => {
    const key = `${month}-${date}`
    return said.has(said.index.dated, key)
  }
  const { year, month, day: date } = day
  if (has(day)) return 1
  if (date === undefined) return monthSupport(day, said, evidence)
  if (year !== undefined && has({ ...monthOf(month), day: date })) {
    return isDated() ? 0.55 : 0.95
  }
  const days = daysNamed(said)
  if (year === undefined) return days.some((each) => each.month === month && each.day === date) ? 0.95 : 0
  if (
    days.some((each) => each.month === month && each.day === undefined && fits(each.year, year)) &&
    has({ day: date })
  )
    return 0.9
  const whole = { year, month: month ?? 1, day: date }
  const near = Math.max(nearToday(whole, days, evidence), ofNamedMonth(whole, days), fromKnown(whole, said, evidence))
  if (near > 0) return near
  // The same day with a year that somebody else said.
  return isDated() ? 0.55 : 0
}

const MOST_DAYS = 200
const daysKept = new WeakMap<Among, readonly DaySaid[]>()

/** The days that somebody speaks of; what tools answer is full of others. */
function daysNamed(said: Among): readonly DaySaid[] {
  const known = daysKept.get(said)
  if (known !== undefined) return known
  const texts = said.said().filter(({ from }) => from !== 'tool')
  const days = texts.flatMap(({ facts }) => facts.moments().days.slice(0, MOST_DAYS))
  daysKept.set(said, days)
  return days
}

function monthOf(month: number | undefined): DaySaid {
  return month === undefined ? {} : { month }
}

function fits(said: number | undefined, year: number): boolean {
  return said === undefined || said === year
}

function monthSupport({ year, month }: DaySaid, said: Among, evidence: Evidence): number {
  const days = said.said().flatMap(({ facts }) => facts.moments().days.slice(0, MOST_DAYS))
  if (days.some((each) => each.month === month && fits(each.year, year ?? 0))) return 0.95
  const today = evidence.today()
  if (today === undefined) return /(?<![a-z])(?:this|next|last|current|past) month/.test(evidence.userText()) ? 0.6 : 0
  const away = ((year ?? today.year) - today.year) * 12 + (month ?? 1) - today.month
  return Math.abs(away) <= 1 && /month|today|now|current/.test(evidence.userText()) ? 0.85 : 0
}

/** What the user says of a day that is not named, against what today is. */
function nearToday(day: Required<DaySaid>, days: readonly DaySaid[], evidence: Evidence): number {
  const text = evidence.userText()
  const today = evidence.today()
  const wanted = dayNumber(day)
  if (today === undefined) return withoutToday(wanted, text, days)
  const now = dayNumber(today)
  const away = wanted - now
  if (daysAway(text, now).has(away)) return 0.9
  if (isInPeriod(wanted, today, text)) return 0.8
  const isNear = Math.abs(away) <= 62
  return isNear && days.some((each) => each.month === undefined && each.day === day.day) ? 0.85 : 0
}

const DAY_WORDS =
  /(?<![a-z])(?:today|tonight|tomorrow|yesterday|next|this|coming|last|past|ago|upcoming|recent|now|currently|week|weekend)(?![a-z])/

function withoutToday(wanted: number, text: string, days: readonly DaySaid[]): number {
  const weekdays = weekdaysIn(text)
  if (weekdays.includes(weekdayOf(wanted))) return 0.7
  if (weekdays.length > 0) return 0.3
  if (days.some((each) => each.month === undefined && each.day === dayOf(wanted).day)) return 0.75
  return DAY_WORDS.test(text) ? 0.6 : 0
}

function weekdaysIn(text: string): readonly number[] {
  return [...text.matchAll(/(?<![a-z])(?:sun|mon|tues|wednes|thurs|fri|satur)days?(?![a-z])/g)].map(
    ([word]) => WEEKDAYS.get(word.replace(/s$/, '')) ?? -1,
  )
}

const NUMBERS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')
const SPAN =
  /(?<![a-z\d])(\d{1,3}|a|an|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|next|last|past|this|couple of|few)[\s-](days?|nights?|weeks?|weekends?|months?|years?)(?![a-z])/g
const DAYS_OF: Readonly<Record<string, number>> = { day: 1, night: 1, week: 7, weekend: 7, month: 30, year: 365 }

/** How many days away from today the days may be that the text speaks of. */
function daysAway(text: string, now: number): ReadonlySet<number> {
  const found = new Set<number>()
  if (/(?<![a-z])(?:today|tonight|now|this (?:morning|afternoon|evening)|currently|current)(?![a-z])/.test(text))
    found.add(0)
  if (/day after tomorrow/.test(text)) found.add(2)
  if (/day before yesterday/.test(text)) found.add(-2)
  if (/tomorrow/.test(text)) found.add(1)
  if (/yesterday|last night/.test(text)) found.add(-1)
  for (const weekday of weekdaysIn(text)) {
    const ahead = (((weekday - weekdayOf(now)) % 7) + 7) % 7
    for (const days of [ahead, ahead + 7, ahead - 7, ahead + 14]) found.add(days)
  }
  let spans = 0
  for (const [, count = '', unit = ''] of text.matchAll(SPAN)) {
    if (++spans > 20) break
    const number = /\d/.test(count)
      ? Number(count)
      : Math.max(NUMBERS.indexOf(count), count === 'couple of' ? 2 : count === 'few' ? 3 : 1)
    const kind = unit.replace(/s$/, '')
    const days = number * (DAYS_OF[kind] ?? 1)
    const slack =
      kind === 'day' || kind === 'night' || kind === 'week' ? 1 : kind === 'month' ? number * 1 + 1 : number + 1
    for (let off = -slack; off <= slack && off < 20; off++) {
      found.add(days + off)
      found.add(-days + off)
    }
  }
  // A stretch begins or ends today.
  if (spans > 0 || /(?<![a-z])(?:since|until|till|from|so far|recent|latest|upcoming)(?![a-z])/.test(text)) found.add(0)
  return found
}

/** Inside this, the next or the last week, month or year. */
function isInPeriod(wanted: number, today: Required<DaySaid>, text: string): boolean {
  const now = dayNumber(today)
  const monday = now - ((weekdayOf(now) + 6) % 7)
  const day = dayOf(wanted)
  for (const [, which = '', unit = ''] of text.matchAll(
    /(?<![a-z])(this|next|last|past|coming|current|previous) (week|weekend|month|year)(?![a-z])/g,
  )) {
    const step = which === 'next' || which === 'coming' ? 1 : which === 'this' || which === 'current' ? 0 : -1
    if (unit.startsWith('week') && Math.floor((wanted - monday) / 7) === step) return true
    const months = (day.year - today.year) * 12 + day.month - today.month
    if (unit === 'month' && months === step) return true
    if (unit === 'year' && day.year - today.year === step) return true
  }
  return false
}

/** The first or the last days of a month or a year that is named. */
function ofNamedMonth({ year, month, day }: Required<DaySaid>, days: readonly DaySaid[]): number {
  const isEdge = day === 1 || day >= 28
  const named = days.some((each) => each.day === undefined && each.month === month && fits(each.year, year))
  if (named) return isEdge ? 0.85 : 0
  const isEndOfYear = (month === 1 && day === 1) || (month === 12 && day === 31)
  return isEndOfYear && days.some((each) => each.year === year) ? 0.85 : 0
}

/** So many days from a day that was named. */
function fromKnown(day: Required<DaySaid>, said: Among, evidence: Evidence): number {
  const wanted = dayNumber(day)
  const text = evidence.userText()
  const spans = [...text.matchAll(SPAN)].slice(0, 8).map(([, count = '', unit = '']) => {
    const number = /\d/.test(count) ? Number(count) : Math.max(NUMBERS.indexOf(count), 1)
    return number * (DAYS_OF[unit.replace(/s$/, '')] ?? 1)
  })
  if (/day (?:after|before)|next day|following day/.test(text)) spans.push(1)
  if (spans.length === 0) return 0
  const known = said.said().flatMap(({ from, facts }) => (from === 'tool' ? [] : facts.moments().days.slice(0, 20)))
  const isNear = known.some((each) => {
    if (each.month === undefined || each.day === undefined) return false
    const away = Math.abs(wanted - dayNumber({ ...each, year: each.year ?? day.year }))
    return spans.some((span) => away === span || (span > 1 && away === span - 1))
  })
  return isNear ? 0.75 : 0
}

const RANGES: readonly (readonly [RegExp, from: number, to: number])[] = [
  [/(?<![a-z])(?:breakfast|early)(?![a-z])/, 5, 11],
  [/(?<![a-z])morning(?![a-z])/, 5, 12],
  [/(?<![a-z])(?:lunch|lunchtime|midday)(?![a-z])/, 11, 15],
  [/(?<![a-z])afternoon(?![a-z])/, 12, 18],
  [/(?<![a-z])(?:evening|dinner|supper)(?![a-z])/, 17, 23],
  [/(?<![a-z])(?:night|tonight|late)(?![a-z])/, 18, 24],
]

function timeSupport(minute: number, hasDay: boolean, leaf: Leaf, said: Among, evidence: Evidence): number {
  if (said.has(said.index.times, minute)) return 1
  // The edges of a day say no more than the day.
  if (hasDay && (minute === 0 || minute === 1439)) return 1
  const text = evidence.userText()
  const named = evidence.user.flatMap(({ facts }) => [...facts.moments().times])
  if (RANGES.some(([pattern, from, to]) => minute >= from * 60 && minute <= to * 60 && pattern.test(text)))
    return named.length > 0 ? 0.4 : 0.6
  const steps = [30, 60, 120, 180, ...spansIn(evidence)]
  const known = said.said().flatMap(({ facts }) => [...facts.moments().times].slice(0, 60))
  const isEnd = leaf.name.some((word) => END.has(word))
  if (known.some((each) => steps.some((step) => (each + step) % 1440 === minute || (isEnd && each - step === minute))))
    return 0.7
  if (/(?<![a-z])now(?![a-z])/.test(text)) return 0.5
  return named.length === 0 && isEnd ? 0.5 : 0
}

const END: ReadonlySet<string> = new Set('end ends until till finish to close return dropoff checkout'.split(' '))

function spansIn(evidence: Evidence): readonly number[] {
  return evidence.userNumbers().flatMap(({ value, unit }) => {
    if (/^(?:hours?|hrs?|h)$/.test(unit)) return [value * 60]
    return /^(?:minutes?|mins?)$/.test(unit) ? [value] : []
  })
}

/** A word for a day or a month that a schema may take as it is. */
export function isCalendarWord(value: string): boolean {
  const word = value.trim().toLowerCase()
  return WEEKDAYS.has(word) || MONTHS.has(word)
}
