import { plainText } from './text.ts'
import type { Leaf } from './leaves.ts'

/** Longer ones hold no default that could be told from the rest. */
const SEARCHED_CHARACTERS = 4000

/** What may stand between the word and the value: "defaults to 'X'", "default is X", "(default: X)". */
const BEFORE_VALUE = /^(?:s|ed)?(?:\s+(?:value|is|to|as|of|being))*\s*[:=]?\s*["'`(]*/

/** Whether the specification itself gives this value to a call that does not say it. */
export function isDefault({ value, description, defaults }: Leaf): boolean {
  if (defaults.includes(value)) return true
  const text = plainText(description.slice(0, SEARCHED_CHARACTERS))
  const wanted = plainText(String(value))
  if (wanted === '') return false
  for (let at = text.indexOf('default'); at !== -1; at = text.indexOf('default', at + 1)) {
    const after = text.slice(at + 'default'.length, at + 'default'.length + wanted.length + 40)
    if (beginsWith(after.replace(BEFORE_VALUE, ''), wanted)) return true
    if (endsWith(text.slice(Math.max(0, at - wanted.length - 10), at).replace(/["'`)]*\s+by\s+$/, ''), wanted))
      return true
  }
  const unsaid = /\b(?:if|when) (?:not|none|nothing|un)\W?(?:is )?(?:specified|provided|given|set)\b/.exec(text)
  return unsaid !== null && hasWord(text.slice(unsaid.index, unsaid.index + 100), wanted)
}

const WORD_SIGN = /[\p{L}\p{N}]/u

function beginsWith(text: string, wanted: string): boolean {
  return text.startsWith(wanted) && !WORD_SIGN.test(text.charAt(wanted.length))
}

function endsWith(text: string, wanted: string): boolean {
  return text.endsWith(wanted) && !WORD_SIGN.test(text.charAt(text.length - wanted.length - 1))
}

function hasWord(text: string, wanted: string): boolean {
  const at = text.indexOf(wanted)
  return at !== -1 && beginsWith(text.slice(at), wanted) && endsWith(text.slice(0, at + wanted.length), wanted)
}
