import type { Evidence } from './evidence.ts'
import type { Leaf } from './leaves.ts'
import { plainText, wordsIn } from './text.ts'

const SEARCHED_CHARACTERS = 4000
const SHORTEST_WORD = 4
const MOST_WORDS = 3

/**
 * Whether the description says what this code stands for ("'2' for an ironing service", "1 = Bangkok"), and the
 * conversation speaks of that.
 */
export function isExplainedCode({ value, description }: Leaf, { all }: Evidence): boolean {
  const text = plainText(description.slice(0, SEARCHED_CHARACTERS))
  const code = plainText(String(value))
  for (let at = text.indexOf(code); at !== -1; at = text.indexOf(code, at + 1)) {
    const rest = text.slice(at + code.length, at + code.length + 80)
    const explaining = /^["'`)]*\s*(?:for|=|:|is|means|stands for|-|\()\s*(.*)/s.exec(rest)?.[1]
    const isWhole = !/[\p{L}\p{N}]/u.test(text.charAt(at - 1))
    if (explaining === undefined || !isWhole) continue
    const words = wordsIn(explaining.replace(/[,;.].*/s, ''))
      .filter((word) => word.length >= SHORTEST_WORD)
      .slice(0, MOST_WORDS)
    const known = words.filter((word) => all.hasWord(word))
    if (words.length > 0 && known.length * 2 >= words.length) return true
  }
  return false
}
