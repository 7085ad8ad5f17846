import { ORDINALS, OTHERS, SCALES, SMALL } from '../lexicon/number-words.ts'
import { prefixFactor, unitOf } from '../lexicon/units.ts'

/** A number that a text says, with the word behind it. */
export interface NumberSaid {
  readonly value: number
  readonly unit: string
  readonly kind: 'literal' | 'word' | 'ordinal' | 'one' | 'percent'
}

export interface NumbersSaid {
  readonly values: ReadonlySet<number>
  readonly list: readonly NumberSaid[]
}

/** Numbers that differ in less than a computer's rounding are one. */
export function rounded(value: number): number {
  return Number(value.toPrecision(10))
}

const MOST_VALUES = 20_000
const MOST_LISTED = 1000
/** A tool's longer answer is data: its numbers are written as such. */
const MOST_WORDED = 20_000

/** The numbers of a text; of data only those that are written in digits. */
export function readNumbers(text: string, isData: boolean): NumbersSaid {
  const found = { values: new Set<number>(), list: [] as NumberSaid[] }
  readLiterals(text, found, isData)
  if (!isData) {
    const opening = text.slice(0, MOST_WORDED)
    readFractions(opening, found)
    readWords(opening, found)
  }
  return found
}

interface Found {
  readonly values: Set<number>
  readonly list: NumberSaid[]
}

function add({ values, list }: Found, value: number, unit: string, kind: NumberSaid['kind']): void {
  if (!Number.isFinite(value) || values.size >= MOST_VALUES) return
  values.add(rounded(value))
  if (list.length < MOST_LISTED) list.push({ value, unit, kind })
}

const LITERAL =
  /(?<![A-Za-z0-9_])[-−]?(?:\d{1,18}(?:,\d{1,18}){0,20}(?:\.\d{1,18})?|\.\d{1,18})(?:[eE][-+]?\d{1,3}(?![A-Za-z0-9]))?/g
const BEHIND = /[\s-]{0,2}([A-Za-zµμ°Ω%]{1,15})/y
const ORDINAL_END: ReadonlySet<string> = new Set(['st', 'nd', 'rd', 'th'])
const GROUPED = /^[-−]?\d{1,3}(?:,\d{2,3}){0,6},\d{3}(?:\.\d+)?$/

function readLiterals(text: string, to: Found, isData: boolean): void {
  for (const match of text.matchAll(LITERAL)) {
    if (to.values.size >= MOST_VALUES) return
    const [raw] = match
    const parts = raw.includes(',') ? raw.split(',') : [raw]
    if (GROUPED.test(raw)) parts.push(raw.replaceAll(',', ''))
    for (const part of parts) literal(Number(part.replace('−', '-')), text, match.index + raw.length, to, isData)
  }
}

function literal(value: number, text: string, end: number, to: Found, isData: boolean): void {
  if (isData) {
    add(to, value, '', 'literal')
    return
  }
  BEHIND.lastIndex = end
  const sign = BEHIND.exec(text)?.[1] ?? ''
  const word = sign.toLowerCase()
  if (ORDINAL_END.has(word)) {
    add(to, value, '', 'ordinal')
    return
  }
  const isPercent = word === '%' || word === 'percent' || word === 'pct'
  add(to, value, word, isPercent ? 'percent' : 'literal')
  if (isPercent) add(to, value / 100, '', 'literal')
  const scale = SCALES.get(word)
  if (scale !== undefined) {
    const after = BEHIND.exec(text)?.[1]?.toLowerCase() ?? ''
    add(to, value * scale, after, 'literal')
  }
  const factor = prefixFactor(sign)
  if (factor !== undefined) add(to, value * factor, sign.slice(1).toLowerCase(), 'literal')
}

const FRACTION = /(?<![\d/])(\d{1,6})\s?\/\s?(\d{1,6})(?![\d/])/g
const PI = /(?<![A-Za-z\d.])(\d{1,6})?\s?\*?\s?(?:pi|π)(?![a-z])(?:\s?\/\s?(\d{1,6}))?/gi

function readFractions(text: string, to: Found): void {
  for (const [, over = '', under = ''] of text.matchAll(FRACTION)) add(to, Number(over) / Number(under), '', 'literal')
  for (const [, times = '1', by = '1'] of text.matchAll(PI)) {
    for (const pi of [Math.PI, 3.14, 3.1416, 3.14159]) add(to, (Number(times) * pi) / Number(by), '', 'word')
  }
}

const WORD = /[a-z]{1,20}|\d{1,18}(?:\.\d{1,18})?/g
const ONE_BEFORE: ReadonlySet<string> = new Set([
  'a',
  'an',
  'last',
  'next',
  'per',
  'each',
  'this',
  'every',
  'past',
  'upcoming',
  'coming',
  'previous',
])

function readWords(text: string, to: Found): void {
  const words = text.toLowerCase().match(WORD) ?? []
  let at = 0
  while (at < words.length) {
    const spelled = spelledAt(words, at)
    if (spelled !== undefined) {
      add(to, spelled.value, words[spelled.end] ?? '', 'word')
      at = spelled.end
      continue
    }
    readWord(words, at, to)
    at += 1
  }
}

function readWord(words: readonly string[], at: number, to: Found): void {
  const word = words[at] ?? ''
  const next = words[at + 1] ?? ''
  const ordinal = ORDINALS.get(word)
  if (ordinal !== undefined) add(to, ordinal, next, 'ordinal')
  const other = OTHERS.get(word)
  if (other !== undefined)
    add(to, other, next === 'a' || next === 'an' || next === 'of' ? (words[at + 2] ?? '') : next, 'word')
  if (ONE_BEFORE.has(word) && unitOf(next) !== undefined) {
    // "an hour and a half"
    const half = words[at + 2] === 'and' && words[at + 4] === 'half' ? 0.5 : 0
    add(to, 1 + half, next, 'one')
  }
}

/** A number in words from here on: "three hundred and five", "two and a half". */
function spelledAt(
  words: readonly string[],
  from: number,
): { readonly value: number; readonly end: number } | undefined {
  let total = 0
  let current: number | undefined
  let at = from
  for (; at < words.length && at < from + 20; at++) {
    const word = words[at] ?? ''
    const small = SMALL.get(word)
    if (small !== undefined) {
      // "nineteen twenty" are two; "twenty one" is one.
      if (current !== undefined && !fits(current, small)) break
      current = (current ?? 0) + small
      continue
    }
    const scale = word.length > 2 ? SCALES.get(word) : undefined
    if (scale !== undefined && (current !== undefined || words[at - 1] === 'a')) {
      if (scale === 100) current = (current ?? 1) * 100
      else {
        total += (current ?? 1) * scale
        current = 0
      }
      continue
    }
    const next = words[at + 1] ?? ''
    if (word === 'a' && at === from && (next === 'hundred' || next === 'thousand' || next === 'million')) continue
    if (word === 'and' && current !== undefined && current + total >= 100 && SMALL.has(next)) continue
    if (word === 'and' && current !== undefined && next === 'a' && words[at + 2] === 'half') {
      current += 0.5
      at += 3
    }
    break
  }
  return current === undefined ? undefined : { value: total + current, end: at }
}

function fits(current: number, small: number): boolean {
  if (current % 1000 === 0 && current > 0) return true
  if (current % 100 === 0 && current > 0) return small < 100
  return current % 10 === 0 && current % 100 >= 20 && small > 0 && small < 10
}
