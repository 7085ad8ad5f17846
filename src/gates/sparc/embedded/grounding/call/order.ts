import type { Leaf } from '../leaves.ts'
import { dayNumber, isWhole } from '../said/days.ts'
import { momentOf } from '../values/moment-value.ts'
import { shown } from '../../words.ts'
import type { Finding } from './finding.ts'

/** What comes first and what comes after it, as parts of names. */
const RANGES: readonly (readonly [string, string])[] = [
  ['start', 'end'],
  ['from', 'to'],
  ['min', 'max'],
  ['minimum', 'maximum'],
  ['begin', 'end'],
  ['since', 'until'],
  ['after', 'before'],
  ['checkin', 'checkout'],
  ['in', 'out'],
  ['departure', 'return'],
  ['depart', 'return'],
  ['arrival', 'departure'],
  ['pickup', 'dropoff'],
  ['lower', 'upper'],
  ['low', 'high'],
]
/** Of these, the second is somewhere else than the first. */
const APART: readonly (readonly [string, string])[] = [
  ['from', 'to'],
  ['source', 'target'],
  ['source', 'destination'],
  ['origin', 'destination'],
  ['base', 'target'],
]
/** Said of a place as often as of a time. */
const DATES_ONLY: ReadonlySet<string> = new Set(['from', 'in', 'departure', 'arrival', 'depart', 'after'])

/** Ranges that end before they begin, and ways that lead nowhere. */
export function orderFindings(leaves: readonly Leaf[]): readonly Finding[] {
  if (leaves.length < 2) return []
  if (leaves.length < 2) return []
  const byName = new Map(leaves.slice(0, MOST_LEAVES).map((leaf) => [placeOf(leaf), leaf] as const))
  const found: Finding[] = []
  for (const [place, first] of byName) {
    for (const [one, other] of RANGES) {
      const second = partner(first, place, one, other, byName)
      if (second !== undefined && isAfter(first, second, DATES_ONLY.has(one)))
        found.push(finding(first, second, 'comes after'))
    }
    for (const [one, other] of APART) {
      const second = partner(first, place, one, other, byName)
      if (second !== undefined && isSame(first, second)) found.push(finding(first, second, 'is the same as'))
    }
  }
  return found
}

const MOST_LEAVES = 200

function placeOf({ path, name }: Leaf): string {
  return [...path.slice(0, -1), ...name].join(' ')
}

function partner(
  { name }: Leaf,
  place: string,
  one: string,
  other: string,
  byName: ReadonlyMap<string, Leaf>,
): Leaf | undefined {
  if (!name.includes(one)) return undefined
  const words = place.split(' ')
  return byName.get(words.map((word) => (word === one ? other : word)).join(' '))
}

function isAfter(first: Leaf, second: Leaf, datesOnly: boolean): boolean {
  if (typeof first.value === 'number' && typeof second.value === 'number')
    return !datesOnly && first.value > second.value
  const [a, b] = [positionOf(first.value), positionOf(second.value)]
  return a !== undefined && b !== undefined && a > b
}

/** Minutes since 1970. A time alone may be one of the next day, so it has none. */
function positionOf(value: string | number): number | undefined {
  const moment = typeof value === 'string' ? momentOf(value) : undefined
  const [day, ...others] = moment?.days ?? []
  if (day === undefined || others.length > 0 || !isWhole(day)) return undefined
  return dayNumber(day) * 1440 + (moment?.minute ?? 0)
}

function isSame(first: Leaf, second: Leaf): boolean {
  return (
    typeof first.value === 'string' &&
    first.value !== '' &&
    first.value === second.value &&
    momentOf(first.value) === undefined
  )
}

function finding(first: Leaf, second: Leaf, how: string): Finding {
  const [one, other] = [first, second].map(({ value, path }) => `${shown(value)} of '${path.join('.')}'`)
  return {
    name: 'wrong_order',
    parameters: [first.parameter, second.parameter],
    explanation: `${one} ${how} ${other}.`,
  }
}
