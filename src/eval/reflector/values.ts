import { isObject } from '../../json/rpc.ts'
import { member } from '../../json/member.ts'
import type { Random } from '../random.ts'

/** Kinds of values that are exchanged for wrong ones in their own way. */
export type ValueClass = 'enum' | 'number' | 'date' | 'id' | 'string'

/** The values that a parameter may be given, where its schema lists them. */
export function optionsOf(schema: unknown): readonly unknown[] | undefined {
  const options = member(schema, 'enum')
  return Array.isArray(options) && options.length > 0 ? options : undefined
}

/** Year first or last; which of the other two is the month is anybody's guess. */
const DATE = /^(?:(\d{4})([-/.])(\d{1,2})\2(\d{1,2})|(\d{1,2})([-/.])(\d{1,2})\6(\d{4}))$/
const IDENTIFIER = /^(?=.*\d)[\p{L}\d._@/:#+-]{4,}$|^[^\s@]+@[^\s@]+\.[^\s@]+$|^https?:\/\/\S+$/u
/** Times, years, seasons and sizes look like one. */
const NO_IDENTIFIER =
  /^(?:\d{1,2}(?::\d\d)?(?:[ap]m)?|(?:1[5-9]|20)\d\d(?:[-/](?:1[5-9]|20)?\d\d)?|\d+x\d+|\d{1,2}[-/]\d{4})$/i
/** A code by its name is an identifier also where it is a number. */
const ID_NAME = /(?:^|_)(?:id|iban|account|phone|ssn|zip|zipcode|isbn|vin|pin|code)(?:_number)?$/i

export function classOf(name: string, schema: unknown, value: unknown): ValueClass | undefined {
  if (optionsOf(schema) !== undefined) return 'enum'
  if (typeof value === 'number') return ID_NAME.test(name) && value >= 1000 ? 'id' : 'number'
  if (typeof value !== 'string' || value === '') return undefined
  if (DATE.test(value)) return 'date'
  if (NO_IDENTIFIER.test(value)) return undefined
  if (IDENTIFIER.test(value)) return 'id'
  return /\p{L}/u.test(value) ? 'string' : undefined
}

/** Another date in the same form. Days up to 12 alone: it is a date whichever of two stands for the month. */
export function otherDate(value: string, random: Random): string {
  return value.replace(/\d+/g, (digits) =>
    digits.length === 4
      ? String(Number(digits) + (random.next() < 0.5 ? 0 : 1))
      : String(1 + random.below(12)).padStart(digits.length, '0'),
  )
}

/** The same text with one of its letters and digits, or a third of them, replaced by others of their kind. */
export function garbled(value: string, random: Random): string {
  const places = [...value.matchAll(/[\p{L}\d]/gu)].map(({ index }) => index)
  const digits = places.filter((at) => /\d/.test(value[at] ?? ''))
  const from = digits.length >= 2 ? digits : places
  const count = random.next() < 0.5 ? 1 : Math.max(2, Math.ceil(from.length / 3))
  const changed = new Set(Array.from({ length: count }, () => random.pick(from)))
  return value.replace(/[\p{L}\d]/gu, (letter, at: number) => (changed.has(at) ? otherLike(letter, random) : letter))
}

function otherLike(letter: string, random: Random): string {
  // No nought: at the beginning of a number it would be lost.
  const alphabet = /\d/.test(letter) ? '123456789' : 'abcdefghijklmnopqrstuvwxyz'
  const others = [...alphabet].filter((other) => other !== letter.toLowerCase())
  const other = random.pick(others) ?? letter
  return letter === letter.toUpperCase() ? other.toUpperCase() : other
}

/** A number of about the same size and the same kind. */
export function otherNumber(value: number, random: Random): number {
  const factor = 1.3 + random.next() * 2.5
  const moved = Math.abs(value) < 2 ? value + 3 + random.below(20) : value * factor
  if (Number.isInteger(value)) return Math.round(moved)
  return Number(moved.toFixed(Math.max(1, String(value).split('.')[1]?.length ?? 1)))
}

/** A value that the schema does not let pass, and that no careful reader would turn into one that it does. */
export function wronglyTyped(value: unknown): unknown {
  if (typeof value === 'number') return { value }
  if (typeof value === 'boolean') return 'perhaps'
  if (Array.isArray(value)) return { items: value }
  if (isObject(value)) return 'an object'
  return [[value]]
}
