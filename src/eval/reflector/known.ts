import { isObject } from '../../json/rpc.ts'

/** Letters and digits in lower case, accents off, with one blank between words. */
export function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}.]+/gu, ' ')
    .replace(/\.(?!\d)/g, ' ')
    .replace(/ +/g, ' ')
    .trim()
}

/** What of a value would be looked for in a text. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : JSON.stringify(value)
}

/** Tells whether a value stands in a text: as a whole, or each of its words. */
export function newPresence(text: string): (value: unknown) => boolean {
  // Thousands are written with a comma and without one.
  const whole = ` ${folded(text.replace(/(\d),(?=\d{3})/g, '$1'))} `
  const words = new Set(whole.split(' '))
  return (value) => {
    const sought = folded(textOf(value))
    if (sought === '') return true
    if (whole.includes(` ${sought} `)) return true
    return sought.split(' ').every((word) => words.has(word))
  }
}

/** Whether two values are the same to a reader. */
export function alike(a: unknown, b: unknown): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a === b
  if (Array.isArray(a) || Array.isArray(b) || isObject(a) || isObject(b)) return JSON.stringify(a) === JSON.stringify(b)
  return folded(textOf(a)) === folded(textOf(b))
}
