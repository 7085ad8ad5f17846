import type { Tool } from '../../tool.ts'
import type { Evidence } from '../evidence.ts'
import type { Among } from '../heard/among.ts'
import type { Said } from '../heard/said.ts'
import type { Leaf } from '../leaves.ts'
import { CONSTANTS, factorsOf, unitOf } from '../lexicon/units.ts'
import { dayNumber, isWhole } from '../said/days.ts'
import type { MomentsSaid } from '../said/moments.ts'
import { rounded, type NumberSaid } from '../said/numbers.ts'
import { saidFor } from '../support.ts'
import { plainText } from '../text.ts'

type NumberLeaf = Pick<Leaf, 'name' | 'description' | 'parameter' | 'schema' | 'path'>

/** How far a number is supported: it was said, or follows from what was said. The first that holds has the say. */
export function numberSupport(value: number, leaf: NumberLeaf, tool: Tool, evidence: Evidence): number {
  const said = saidFor(value, evidence)
  const wanted = rounded(value)
  if (said.has(said.index.numbers, wanted)) return 1
  const description = plainText(leaf.description.slice(0, DESCRIBED))
  const asked: Asked = { value, leaf, description, said, evidence, numbers: evidence.userNumbers() }
  for (const [rule, level] of RULES) if (rule(asked)) return level
  const isRequired = tool.required.has(leaf.parameter)
  if (value === 0) return 0.4
  if (value === 1) return isRequired ? 0.3 : 0.4
  if (CONSTANTS.some((each) => near(each, value, 0.005))) return 0.6
  return !isRequired && leaf.name.some((word) => PAGING.has(word)) && USUAL.has(value) ? 0.45 : 0
}

const DESCRIBED = 4000

interface Asked {
  readonly value: number
  readonly leaf: NumberLeaf
  readonly description: string
  readonly said: Among
  readonly evidence: Evidence
  readonly numbers: readonly NumberSaid[]
}

const RULES: readonly (readonly [rule: (asked: Asked) => boolean, level: number])[] = [
  [isNextToBound, 0.7],
  [isLimit, 0.6],
  [isIndex, 0.8],
  [isInCents, 0.8],
  [isRate, 0.9],
  [isNegated, 0.8],
  [isConverted, 0.85],
  [isYearSaid, 0.95],
  [isYearNow, 0.85],
  [isThisYear, 0.5],
  [isPartOfDate, 0.9],
  [isBetweenMoments, 0.7],
  [isHourSaid, 0.85],
  [isCountOfOne, 0.6],
  [isCountOfListed, 0.6],
  [isWorkedOut, 0.7],
  [isWorkedOutWithResults, 0.7],
]

const PAGING: ReadonlySet<string> = new Set(
  'page limit per size offset max min top skip count results rows start index depth radius timeout num precision decimal decimals places digits'.split(
    ' ',
  ),
)
const USUAL: ReadonlySet<number> = new Set([2, 3, 4, 5, 8, 10, 15, 20, 25, 30, 50, 60, 100, 200, 250, 500, 1000])

function near(a: number, b: number, share: number): boolean {
  return a === b || (a !== 0 && Math.abs(a - b) <= Math.abs(a) * share)
}

const BOUND =
  /(?:less|fewer|more|greater|larger|smaller|older|younger|higher|lower) than|under|over|above|below|before|after|exceed\w{0,3}/g

function isNextToBound({ value, numbers, evidence }: Asked): boolean {
  if (!numbers.some((each) => Math.abs(each.value - value) === 1)) return false
  const text = evidence.userText()
  for (const { 0: word, index } of text.matchAll(BOUND)) {
    const behind = /^\s[^\s\d]?(\d{1,12})(?!\d)/.exec(text.slice(index + word.length, index + word.length + 20))?.[1]
    if (behind !== undefined && Math.abs(Number(behind) - value) === 1) return true
  }
  return false
}

function isLimit({ value, description, evidence }: Asked): boolean {
  if (
    !/(?<![a-z])(?:max|maximum|full|fully|all|highest|most|complete|completely|loudest|brightest)(?![a-z])/.test(
      evidence.userText(),
    )
  )
    return false
  return new RegExp(`(?<![\\d.])${String(value).replace(/[^\d]/g, '\\$&')}(?![\\d])`).test(description)
}

const INDEX_WORDS: ReadonlySet<string> = new Set('index idx position offset day month row column n'.split(' '))

function isIndex({ value, leaf, numbers }: Asked): boolean {
  return (
    leaf.name.some((word) => INDEX_WORDS.has(word)) &&
    numbers.some((each) => each.kind === 'ordinal' && each.value - 1 === value)
  )
}

function isInCents({ value, description, numbers }: Asked): boolean {
  return (
    /cents?(?![a-z])|smallest (?:currency )?unit|minor unit/.test(description) &&
    numbers.some((each) => near(each.value * 100, value, 1e-9))
  )
}

const RATES: ReadonlySet<string> = new Set(
  'rate percent percentage ratio fraction probability interest yield tax tip discount level alpha confidence return growth'.split(
    ' ',
  ),
)

function isRate({ value, leaf, numbers, description }: Asked): boolean {
  const isRateLike = leaf.name.some((word) => RATES.has(word)) || /percent|decimal|fraction/.test(description)
  return numbers.some((each) => {
    if (!isRateLike && each.kind !== 'percent') return false
    return near(each.value / 100, value, 1e-6) || (Math.abs(each.value) <= 1 && near(each.value * 100, value, 1e-6))
  })
}

function isNegated({ value, numbers }: Asked): boolean {
  return value !== 0 && numbers.some((each) => each.value === -value)
}

function isConverted({ value, numbers, evidence }: Asked): boolean {
  const inUnits = numbers.some((each) => {
    const unit = unitOf(each.unit)
    if (unit === undefined) return false
    const share = unit.dimension === 'time' ? 0.02 : 0.005
    return factorsOf(unit.dimension).some(
      (factor) => factor !== unit.factor && near((each.value * unit.factor) / factor, value, share),
    )
  })
  if (inUnits) return true
  const text = evidence.userText()
  if (/°|degrees|celsius|fahrenheit|(?<![a-z])[cf](?![a-z])/.test(text)) {
    if (
      numbers.some((each) => near(each.value * 1.8 + 32, value, 0.005) || near((each.value - 32) / 1.8, value, 0.005))
    )
      return true
  }
  return isFeetAndInches(value, numbers)
}

function isFeetAndInches(value: number, numbers: readonly NumberSaid[]): boolean {
  const feet = numbers.filter(({ unit }) => /^(?:feet|foot|ft)$/.test(unit)).slice(0, 4)
  const inches = numbers.filter(({ unit }) => /^(?:inch|inches|in)?$/.test(unit)).slice(0, 8)
  return feet.some((foot) =>
    inches.some((inch) => {
      const total = 12 * foot.value + inch.value
      return [1, 1 / 12, 2.54, 0.0254].some((factor) => near(total * factor, value, 0.01))
    }),
  )
}

function isYearSaid({ value, said }: Asked): boolean {
  return isYear(value) && said.has(said.index.years, value)
}

function isYear(value: number): boolean {
  return Number.isInteger(value) && value >= 1000 && value < 2200
}

function isYearNow({ value, leaf, evidence }: Asked): boolean {
  const today = evidence.today()
  return isYear(value) && today !== undefined && hasWord(leaf, 'year') && Math.abs(value - today.year) <= 1
}

/** Nobody said a year: the one that we live in is meant, or one next to it. */
function isThisYear({ value, leaf, said, evidence }: Asked): boolean {
  if (!isYear(value) || !hasWord(leaf, 'year') || evidence.today() !== undefined) return false
  const [year] = said.keys(said.index.years)
  return (
    year === undefined &&
    /(?:this|current|next|last|coming) (?:year|season|month|week)|now|recent|latest|current/.test(evidence.userText())
  )
}

function hasWord({ name }: NumberLeaf, ...words: readonly string[]): boolean {
  return name.some((each) => words.includes(each))
}

function isPartOfDate({ value, leaf, said }: Asked): boolean {
  if (!hasWord(leaf, 'month', 'day', 'date')) return false
  return said.has(said.index.dayParts, `${hasWord(leaf, 'month') ? 'month' : 'day'} ${value}`)
}

function isBetweenMoments({ value, evidence, leaf }: Asked): boolean {
  if (
    !hasWord(
      leaf,
      'duration',
      'length',
      'minutes',
      'hours',
      'seconds',
      'days',
      'nights',
      'weeks',
      'years',
      'period',
      'time',
      'stay',
      'age',
    )
  )
    return false
  const times = firstOf(evidence.user, ({ times }) => times, 20)
  const days = firstOf(evidence.user, ({ days }) => days, 20)
  for (const a of times) {
    for (const b of times) {
      if (b <= a) continue
      if ([b - a, (b - a) * 60, (b - a) / 60].some((each) => near(each, value, 1e-9))) return true
    }
  }
  for (const a of days) {
    for (const b of days) {
      if (isWhole(a) !== isWhole(b) || a.month === undefined || b.month === undefined) continue
      const between = dayNumber(b) - dayNumber(a)
      if (between > 0 && (value === between || value === between + 1 || near(between / 7, value, 1e-9))) return true
    }
  }
  const years = firstOf(evidence.user, ({ years }) => years, 10)
  return years.some((a) => years.some((b) => b > a && (value === b - a || value === b - a + 1)))
}

function firstOf<T>(user: readonly Said[], of: (moments: MomentsSaid) => Iterable<T>, most: number): readonly T[] {
  const found: T[] = []
  for (const { facts } of user) {
    if (found.length >= most) break
    found.push(...of(facts.moments()))
  }
  return found.slice(0, most)
}

function isHourSaid({ value, leaf, said }: Asked): boolean {
  if (!hasWord(leaf, 'hour', 'minute', 'time', 'start', 'end', 'hours')) return false
  const isMinute = hasWord(leaf, 'minute')
  for (const each of said.keys(said.index.times))
    if ((isMinute ? each % 60 : Math.floor(each / 60)) === value) return true
  return false
}

const COUNTS: ReadonlySet<string> = new Set(
  'count number num quantity qty amount people persons guests passengers adults children kids rooms room tickets ticket seats seat servings copies players travelers travellers party size nights items times units bedrooms bathrooms sides dice pieces total loops n samples sets'.split(
    ' ',
  ),
)

function isCount({ name }: NumberLeaf): boolean {
  return name.some((word) => COUNTS.has(word))
}

/** One is what somebody means who says no number, unless there is one left that it should have been. */
function isCountOfOne({ value, leaf, numbers, evidence }: Asked): boolean {
  if (value !== 1 || !isCount(leaf)) return false
  const isLeft = numbers.some(
    (each) => Number.isInteger(each.value) && each.value >= 2 && each.value <= 12 && !isUsed(each.unit),
  )
  return !isLeft && /(?<![a-z])(?:a|an|my|one|me|the|i|single)(?![a-z])/.test(evidence.userText())
}

function isUsed(unit: string): boolean {
  return unitOf(unit) !== undefined || /^(?:[ap]m?|oclock|o)$/.test(unit)
}

const GROUP_WORDS: readonly (readonly [RegExp, number])[] = [
  [/(?<![a-z])(?:couple|pair|duo|wife|husband|partner|girlfriend|boyfriend|spouse|both|two of us|twins?)(?![a-z])/, 2],
  [/(?<![a-z])(?:triangles?|trio|triple|threesome|triplets?)(?![a-z])/, 3],
  [/(?<![a-z])(?:squares?|rectangles?|quartet|quadruple)(?![a-z])/, 4],
  [/(?<![a-z])(?:pentagons?|quintet)(?![a-z])/, 5],
  [/(?<![a-z])(?:hexagons?|sextet)(?![a-z])/, 6],
]

function isCountOfListed({ value, leaf, evidence }: Asked): boolean {
  if (!isCount(leaf) && !hasWord(leaf, 'degree', 'order', 'dimension', 'dimensions')) return false
  const text = evidence.userText()
  if (GROUP_WORDS.some(([pattern, count]) => count === value && pattern.test(text))) return true
  if (listedCounts(evidence).has(value)) return true
  return value === 2 && isCount(leaf) && /[a-z]\sand\s(?:my\s|the\s|a\s)?[a-z]/.test(text)
}

const LISTED = 4000
/** Of each user's text once: there may be many numbers in a call. */
const countsKept = new WeakMap<Evidence['userText'], ReadonlySet<number>>()

/** How many things the lists of the user have. */
function listedCounts({ userText }: Evidence): ReadonlySet<number> {
  const known = countsKept.get(userText)
  if (known !== undefined) return known
  const text = userText()
  const counts = new Set<number>()
  const lines = text.match(/^\s{0,8}(?:[-*•]|\d{1,2}[.)])\s/gm)?.length ?? 0
  if (lines > 1) counts.add(lines)
  for (const [list] of text.slice(-LISTED).matchAll(/[^,.;:\n]{1,40}(?:,[^,.;:\n]{1,40}){1,12},?\s(?:and|or)\s/g)) {
    const before = list.split(',').filter((part) => part.trim() !== '' && !/^\s*(?:and|or)\s*$/.test(part))
    counts.add(before.length + 1)
  }
  countsKept.set(userText, counts)
  return counts
}

const CUE =
  /(?<![a-z])(?:total|altogether|together|each|every|split|half|halve|twice|double|triple|left|remaining|rest|plus|minus|tip|discount(?! rate| factor)|off|per|nights?|older|younger|more|fewer|less|sum|difference|combined|both|increase[sd]?|decrease[sd]?|another|additional|extra|apiece|equal|equally|evenly|\d times|average)(?![a-z])/
const MOST_OPERANDS = 8

function isWorkedOut({ value, evidence, numbers }: Asked): boolean {
  if (!CUE.test(evidence.userText())) return false
  const operands = [...new Set(numbers.map((each) => each.value))].slice(0, MOST_OPERANDS)
  if (operands.length < 2) return false
  if (
    near(
      operands.reduce((sum, each) => sum + each, 0),
      value,
      1e-9,
    )
  )
    return true
  return operands.some((a, i) => operands.some((b, j) => i !== j && fromPair(a, b, value)))
}

function fromPair(a: number, b: number, value: number): boolean {
  return [a + b, a - b, a * b, b === 0 ? NaN : a / b].some((each) => near(each, value, 1e-6))
}

const LAST_OF_RESULTS = 60
const LONGEST_SUM = 13

function lastOfResults(said: Among): readonly number[] {
  const prices: number[] = []
  for (const { from, facts } of said.said().toReversed()) {
    if (prices.length >= LAST_OF_RESULTS) break
    if (from !== 'tool') continue
    const { list } = facts.numbers()
    prices.unshift(...list.slice(Math.max(0, list.length - LAST_OF_RESULTS + prices.length)).map((each) => each.value))
  }
  return prices
}

/** Prices of a result times what the user wants of them, and sums of what stands together. */
function isWorkedOutWithResults({ value, evidence, numbers, said }: Asked): boolean {
  if (!evidence.hasResults) return false
  const prices = lastOfResults(said)
  if (isSumOfNeighbours(value, prices)) return true
  if (!CUE.test(evidence.userText())) return false
  const wanted = [...new Set(numbers.map((each) => each.value))].slice(0, MOST_OPERANDS)
  const factors = new Set(wanted.flatMap((a, i) => [a, ...wanted.slice(i + 1).flatMap((b) => [a * b, a / b, b / a])]))
  if (prices.some((price) => [...factors].some((factor) => fromPair(price, factor, value)))) return true
  return prices.some((a, i) => prices.some((b, j) => i !== j && near(a - b, value, 1e-9)))
}

function isSumOfNeighbours(value: number, prices: readonly number[]): boolean {
  const decimals = prices.filter((price) => !Number.isInteger(price))
  for (const [from] of decimals.entries()) {
    let sum = 0
    for (const price of decimals.slice(from, from + LONGEST_SUM)) {
      sum += price
      if (near(sum, value, 1e-9)) return true
    }
  }
  return decimals.some((a, i) => decimals.some((b, j) => i < j && near(a + b, value, 1e-9)))
}
