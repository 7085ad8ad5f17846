import type { Tool } from '../tool.ts'
import { nameWords, type Leaf } from './leaves.ts'
import {
  CREATING,
  DESCRIBING,
  EXTENSIONS,
  FILES,
  GENERATED,
  NEUTRAL,
  NEW,
  NUMBERED,
  STRICT,
  THINGS,
  WEAK,
} from './vocabulary.ts'

/**
 * A value that stands for one thing in the world: it is known or it is not, and nothing near it will do. Anything that
 * could also be worked out (a date, an amount, an option) or written (a text) is none.
 */
export type Identifier =
  | { readonly kind: 'mail' | 'url' | 'path' }
  /** `strict`: its parts do not make it known. */
  | { readonly kind: 'token'; readonly strict: boolean }
  | { readonly kind: 'number' }

/** Longer values are texts. */
const LONGEST_IDENTIFIER = 512

export function identifierOf(leaf: Leaf, tool: Tool): Identifier | undefined {
  if (leaf.options !== undefined || isGenerated(leaf, tool)) return undefined
  return typeof leaf.value === 'number' ? ofNumber(leaf.value, leaf) : ofText(leaf.value.trim(), leaf)
}

/** What the model is asked to write is its own. */
function isGenerated(leaf: Leaf, tool: Tool): boolean {
  return GENERATED.has(leaf.name.at(-1) ?? '') || isNewFile(leaf, tool)
}

export function isNewFile({ name }: Leaf, tool: Tool): boolean {
  // A file that is about to be written has the name and the place that the agent gives it.
  const isNew = name.some((word) => NEW.has(word)) || nameWords(tool.name).some((word) => CREATING.has(word))
  return isNew && name.some((word) => FILES.has(word))
}

function ofNumber(value: number, { name }: Leaf): Identifier | undefined {
  // Zero and one stand for none, all or the first as often as for a thing.
  return isStrictName(name) && Number.isInteger(value) && value > 1 ? { kind: 'number' } : undefined
}

function isStrictName(name: readonly string[]): boolean {
  const last = name.at(-1) ?? ''
  if (STRICT.has(last)) return true
  return WEAK.has(last) && name.some((word) => NUMBERED.has(word))
}

const MAIL = /^(?:mailto:)?[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+$/i
const URL_LIKE = /^(?:[a-z][a-z0-9+.-]{0,20}:\/\/|www\.)\S+$/i
const HOST_LIKE = /^(?:[\p{L}\p{N}_-]{1,63}\.){1,8}\p{L}{2,24}(?::\d+)?(?:[/?#]\S*)?$/u
const PHONE = /^\+?\(?\d[\d\s().\-/]{5,30}\d$/
const AMOUNT = /^[-+]?(?:[$€£¥]|usd|eur)?\s?[\d.,]+\s?(?:%|[a-zµ°ω]{1,4}\/?[a-z]{0,3}|[$€£¥])?$/iu
const EXPRESSION = /[*^=<>{}()[\]|&;$"'`\\~]|\d\s*[+\-/]\s*\d.*[+\-/*]/
const DATE_OR_TIME =
  /^(?:\d{4}[-/.]\d{1,2}(?:[-/.]\d{1,2})?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\d{1,2}:\d{2}|(?:19|20)\d{2}(?:[01]\d[0-3]\d)?$|(?:19|20)\d{2}-?(?:w|q|h)\d)|^(?:p|pt)\d+[a-z]|\d{1,2}(?::\d{2})?\s?[ap]m$|^q[1-4]\b/i

function ofText(value: string, leaf: Leaf): Identifier | undefined {
  if (value === '' || value.length > LONGEST_IDENTIFIER || NEUTRAL.has(value.toLowerCase())) return undefined
  if (MAIL.test(value)) return { kind: 'mail' }
  if (URL_LIKE.test(value)) return { kind: 'url' }
  const strict = isStrictName(leaf.name)
  const last = leaf.name.at(-1) ?? ''
  if (!strict && (DATE_OR_TIME.test(value) || DESCRIBING.has(last))) return undefined
  if (/\s/.test(value)) return withBlanks(value, strict)
  if (isPath(value, leaf)) return { kind: 'path' }
  if (PLACES.has(last) && HOST_LIKE.test(value)) return { kind: 'url' }
  if (strict || isNamedToken(value, leaf)) return isBareOption(value, last) ? undefined : { kind: 'token', strict }
  return !EXPRESSION.test(value) && isMixed(value) ? { kind: 'token', strict: false } : undefined
}

const PLACES: ReadonlySet<string> = new Set([
  'url',
  'uri',
  'link',
  'website',
  'site',
  'domain',
  'host',
  'hostname',
  'endpoint',
])

function withBlanks(value: string, strict: boolean): Identifier | undefined {
  const digits = value.replace(/\D/g, '').length
  const isNumber = PHONE.test(value) && digits >= 7
  return isNumber || (strict && digits >= 2) ? { kind: 'token', strict: true } : undefined
}

function isPath(value: string, { name }: Leaf): boolean {
  const extension = /\.([a-z][a-z0-9]{0,7})$/i.exec(value)?.[1]?.toLowerCase() ?? ''
  if (EXTENSIONS.has(extension) && !EXPRESSION.test(value)) return true
  if (/^(?:~|\.{1,2})?\/[^/\s]|^[a-z]:\\/i.test(value)) return true
  return (name.includes('path') || name.includes('file')) && /[/\\]/.test(value)
}

/** A name says that it is one: `tracking_code`, `order_number`. */
function isNamedToken(value: string, { name }: Leaf): boolean {
  const last = name.at(-1) ?? ''
  if (WEAK.has(last)) return name.length > 1 && countDigits(value) >= 3 && !EXPRESSION.test(value)
  return THINGS.has(last) && !/^\p{L}+$/u.test(value)
}

/** Single words are known by being said; a key of `C` or a token of `ETH` is no secret that was made up. */
function isBareOption(value: string, last: string): boolean {
  return (last === 'key' || last === 'token') && /^\p{L}{1,5}$/u.test(value)
}

function countDigits(value: string): number {
  return value.replace(/[^\p{N}]/gu, '').length
}

const LONG_NUMBER = 9

/** Letters and digits in one word, as no word and no amount has them; or a number as long as an account's. */
function isMixed(value: string): boolean {
  const digits = countDigits(value)
  if (/^\d+$/.test(value)) return digits >= LONG_NUMBER
  if (AMOUNT.test(value) || /^v?\d+(?:\.\d+)+$/i.test(value)) return false
  return digits >= 2 && value.length >= 4 && /\p{L}/u.test(value) && /^[\p{L}\p{N}#][\p{L}\p{N}._:#@/-]*$/u.test(value)
}
