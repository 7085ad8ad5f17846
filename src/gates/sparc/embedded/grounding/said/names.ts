import { plainText } from '../text.ts'

/** A word of a text that looks like an identifier. */
export interface NameSaid {
  readonly value: string
  readonly plain: string
  /** One bit for each sign that it has, so that most of what is far from it needs no closer look. */
  readonly signs: number
}

const MOST_NAMES = 2000
export const LONGEST_NAME = 64

/** By their length, the last that were said first. */
export function readNames(text: string): ReadonlyMap<number, readonly NameSaid[]> {
  const found = new Map<string, NameSaid>()
  for (const [word] of text.matchAll(/[^\s"'`<>(){}[\],;]+/gu)) {
    if (word.length > LONGEST_NAME + 8) continue
    const value = word.replace(/^[.:!?*_-]+|[.:!?*_-]+$/g, '')
    if (!/[\p{N}@._/-]/u.test(value) || found.has(value)) continue
    const plain = plainText(value)
    found.set(value, { value, plain, signs: signsOf(plain) })
    if (found.size >= MOST_NAMES) break
  }
  const byLength = new Map<number, NameSaid[]>()
  for (const name of [...found.values()].reverse()) {
    const known = byLength.get(name.plain.length)
    if (known === undefined) byLength.set(name.plain.length, [name])
    else known.push(name)
  }
  return byLength
}

export function signsOf(plain: string): number {
  let signs = 0
  for (let at = 0; at < plain.length; at++) signs |= 1 << (plain.charCodeAt(at) & 31)
  return signs
}

/** In how many signs two differ at least. */
export function signsApart(a: number, b: number): number {
  // Adds up neighbouring bits, then pairs, then fours.
  let bits = a ^ b
  bits -= (bits >>> 1) & 0x55555555
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
