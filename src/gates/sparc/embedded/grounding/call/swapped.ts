import type { Evidence } from '../evidence.ts'
import type { Leaf } from '../leaves.ts'
import { NEUTRAL_VALUES, STOP } from '../lexicon/words.ts'
import { stemOf } from '../stem.ts'
import { wordsIn } from '../text.ts'
import { shown } from '../../words.ts'
import type { Finding } from './finding.ts'

const MOST_VALUES = 6
const MOST_PLACES = 8
const LEAST_GAIN = 0.5

/** Two values that the user gave, each where the words around it say that the other belongs. */
export function swapFindings(leaves: readonly Leaf[], evidence: Evidence): readonly Finding[] {
  const own = leaves
    .filter(({ value, path, options }) => path.length === 1 && options === undefined && !isNeutral(value))
    .slice(0, MOST_VALUES)
  const words = evidence.lastWords()
  for (const [at, one] of own.entries()) {
    for (const other of own.slice(at + 1)) {
      if (typeof one.value !== typeof other.value || one.value === other.value) continue
      if (isSwapped(one, other, words)) return [finding(one, other)]
    }
  }
  return []
}

function isNeutral(value: string | number): boolean {
  return typeof value === 'string' && NEUTRAL_VALUES.has(value.trim().toLowerCase())
}

function isSwapped(one: Leaf, other: Leaf, words: readonly string[]): boolean {
  const placesOfOne = placesOf(one.value, words)
  const placesOfOther = placesOf(other.value, words)
  if (placesOfOne.length === 0 || placesOfOther.length === 0) return false
  const shared = new Set([...wordsIn(String(one.value)), ...wordsIn(String(other.value))].map(stemOf))
  const [nameOne, nameOther] = [ownStems(one), ownStems(other)]
  const [saysOne, saysOther] = [described(one), described(other)]
  const apart = (stems: ReadonlySet<string>, others: ReadonlySet<string>): ReadonlySet<string> =>
    new Set([...stems].filter((stem) => !others.has(stem) && !shared.has(stem)))
  const roleOne = { names: apart(nameOne, nameOther), words: apart(saysOne, saysOther), leaf: one }
  const roleOther = { names: apart(nameOther, nameOne), words: apart(saysOther, saysOne), leaf: other }
  const now = [affinity(roleOne, placesOfOne, words), affinity(roleOther, placesOfOther, words)] as const
  const then = [affinity(roleOne, placesOfOther, words), affinity(roleOther, placesOfOne, words)] as const
  if (then[0] + then[1] <= now[0] + now[1] + LEAST_GAIN) return false
  const isBoth = then[0] >= 0.2 && then[1] >= 0.2
  return isBoth || (Math.max(...then) >= 1 && Math.max(...now) <= 0.3)
}

interface Role {
  readonly names: ReadonlySet<string>
  readonly words: ReadonlySet<string>
  readonly leaf: Leaf
}

interface Place {
  readonly from: number
  readonly to: number
}

function placesOf(value: string | number, words: readonly string[]): readonly Place[] {
  const wanted = wordsIn(String(value))
  const places: Place[] = []
  if (wanted.length === 0 || wanted.length > 8) return places
  for (
    let at = words.indexOf(wanted[0] ?? '');
    at !== -1 && places.length < MOST_PLACES;
    at = words.indexOf(wanted[0] ?? '', at + 1)
  ) {
    if (wanted.every((word, index) => words[at + index] === word)) places.push({ from: at, to: at + wanted.length })
  }
  return places
}

function stemsIn(words: readonly string[]): ReadonlySet<string> {
  return new Set(words.map(stemOf))
}

function ownStems({ name }: Leaf): ReadonlySet<string> {
  return stemsIn(name.filter((word) => !STOP.has(word)))
}

function described({ description, name }: Leaf): ReadonlySet<string> {
  const words = wordsIn(description.slice(0, 300)).filter((word) => !STOP.has(word) && !name.includes(word))
  return stemsIn(words)
}

const SOURCE_NAMES: ReadonlySet<string> = new Set(
  'from source start origin departure begin initial base min lower a x1'.split(' '),
)
const TARGET_NAMES: ReadonlySet<string> = new Set('to target end destination arrival final max upper b x2'.split(' '))
const SOURCE_WORDS: ReadonlySet<string> = new Set(['from', 'between'])
const TARGET_WORDS: ReadonlySet<string> = new Set(['to', 'until', 'and', 'into'])

/** How much the words around the best of the places speak of this argument. */
function affinity({ names, words: says, leaf }: Role, places: readonly Place[], words: readonly string[]): number {
  let best = 0
  for (const { from, to } of places) {
    for (let far = 1; far <= 5; far++) {
      const before = stemOf(words[from - far] ?? '')
      const after = stemOf(words[to + far - 1] ?? '')
      if (names.has(before)) best = Math.max(best, 1.2 / far)
      if (far <= 3 && names.has(after)) best = Math.max(best, 0.7 / far)
      if (far === 1 && says.has(after)) best = Math.max(best, 0.65)
      if (far <= 2 && says.has(before)) best = Math.max(best, 0.45 / far)
      if (far <= 2 && leadsTo(words, from - far, leaf.name)) best = Math.max(best, 1 / far)
    }
  }
  return best
}

function leadsTo(words: readonly string[], at: number, name: readonly string[]): boolean {
  const word = words[at] ?? ''
  // "and" joins anything but behind "between".
  if (word === 'and' && !words.slice(Math.max(0, at - 6), at).includes('between')) return false
  if (SOURCE_WORDS.has(word)) return name.some((each) => SOURCE_NAMES.has(each))
  return TARGET_WORDS.has(word) && name.some((each) => TARGET_NAMES.has(each))
}

function finding(one: Leaf, other: Leaf): Finding {
  return {
    name: 'swapped_arguments',
    parameters: [one.parameter, other.parameter],
    explanation: `${shown(one.value)} of '${one.parameter}' and ${shown(other.value)} of '${other.parameter}' are exchanged, by the words around them.`,
    instead: { [one.parameter]: other.value, [other.parameter]: one.value },
  }
}
