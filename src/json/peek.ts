import { decodeBelieving, decodeLoosely, isUtf8Label } from './charset.ts'
import { fold } from './fold.ts'
import { readJson, stringEnd } from './strict.ts'
import { perBytes } from './per-bytes.ts'

/** What a tolerant look at the top level shows. It is for telling whose a body is, never for reading it. */
export interface Peek {
  readonly shape: 'object' | 'array' | 'string' | 'other'
  /** Folded keys of the top-level object; of an array's elements; of the text that a string holds. */
  readonly keys: ReadonlySet<string>
  /** Texts that stand at a key which folds to `method`. */
  readonly methods: readonly string[]
}

/**
 * Finds the keys that any reader might see: whatever the encoding, the escapes and the case; in arrays, in a string that
 * holds JSON, and in text that only a lenient reader takes for JSON. `charset` is the one that the content type names.
 */
export function peek(bytes: Uint8Array, charset?: string): Peek {
  const seen = peekSniffing(bytes)
  const believed = isUtf8Label(charset) ? undefined : decodeBelieving(charset ?? '', bytes)
  return believed === undefined ? seen : merge(seen, ofText(believed, 0))
}

const peekSniffing = perBytes((bytes: Uint8Array): Peek => {
  const strict = readJson(bytes)
  return strict.ok ? ofValue(strict.value, 0) : ofText(decodeLoosely(bytes), 0)
})

const NOTHING: Peek = { shape: 'other', keys: new Set(), methods: [] }

function merge(a: Peek, b: Peek): Peek {
  return {
    shape: a.shape === 'other' ? b.shape : a.shape,
    keys: new Set([...a.keys, ...b.keys]),
    methods: [...a.methods, ...b.methods],
  }
}

/** Arrays in arrays and strings in strings are followed so far; nobody reads further. */
const LEVELS = 4

function ofValue(value: unknown, level: number): Peek {
  if (level > LEVELS || value === null) return NOTHING
  if (typeof value === 'string') return { ...ofText(value, level + 1), shape: 'string' }
  if (typeof value !== 'object') return NOTHING
  if (Array.isArray(value)) return ofArray(value, level)
  const keys = new Set<string>()
  const methods: string[] = []
  for (const [key, member] of Object.entries(value)) {
    const folded = fold(key)
    keys.add(folded)
    if (folded === 'method' && typeof member === 'string') methods.push(member)
  }
  return { shape: 'object', keys, methods }
}

function ofArray(elements: readonly unknown[], level: number): Peek {
  const keys = new Set<string>()
  const methods: string[] = []
  for (const element of elements) {
    const inner = ofValue(element, level + 1)
    for (const key of inner.keys) keys.add(key)
    methods.push(...inner.methods)
  }
  return { shape: 'array', keys, methods }
}

function ofText(text: string, level: number): Peek {
  // What readers skip or strip before a value: marks, controls, white space of every kind.

  const start = text.search(/[^\s\u0000-\u0020\u007f-\u00a0\ufeff\ufffe\u200b]/)
  const first = text[start]
  if (first === undefined || !'{["\'/'.includes(first) || level > LEVELS) return NOTHING
  if (first === '"') {
    const held = ofValue(parseOr(text.slice(start)), level)
    if (held.shape === 'string') return held
  }
  return { ...scanText(text, start), shape: first === '[' ? 'array' : first === '"' ? 'string' : 'object' }
}

function parseOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Keys of objects that stand in no other object. Takes single quotes, bare words and comments for what they may be. */
function scanText(text: string, start: number): Pick<Peek, 'keys' | 'methods'> {
  const keys = new Set<string>()
  const methods: string[] = []
  const lastComment = text.lastIndexOf('*/')
  let objects = 0
  let last: string | undefined
  let methodNext = false
  for (let at = start; at < text.length;) {
    const code = text.charCodeAt(at)
    const end = tokenEnd(text, at, code, lastComment)
    if (isSign(code)) {
      const key = code === COLON && objects === 1 && last !== undefined ? fold(unescape(last)) : undefined
      if (key !== undefined) keys.add(key)
      methodNext = key === 'method'
      if (code === OBJECT) objects++
      if (code === OBJECT_END && objects > 0) objects--
      last = undefined
    } else if (isQuote(code) || isWordCode(code)) {
      last = isQuote(code) ? text.slice(at + 1, text.charCodeAt(end - 1) === code ? end - 1 : end) : text.slice(at, end)
      if (methodNext) methods.push(unescape(last))
      methodNext = false
    }
    at = end
  }
  return { keys, methods }
}

const SPACE = 0x20
const SLASH = 0x2f
const COLON = 0x3a
const OBJECT = 0x7b
const OBJECT_END = 0x7d

const WORD_CODE = 0
const SIGN_CODE = 1
const QUOTE_CODE = 2
const OTHER_CODE = 3

/** What a character is, for all of ASCII; the rest belongs to words. */
const CLASSES = Uint8Array.from({ length: 128 }, (_, code) => {
  const sign = String.fromCharCode(code)
  if ('{}[]:,'.includes(sign)) return SIGN_CODE
  if (sign === '"' || sign === "'") return QUOTE_CODE
  return code <= SPACE || sign === '/' ? OTHER_CODE : WORD_CODE
})
const classOf = (code: number): number => (code < 128 ? (CLASSES[code] ?? WORD_CODE) : WORD_CODE)
const isSign = (code: number): boolean => classOf(code) === SIGN_CODE
const isQuote = (code: number): boolean => classOf(code) === QUOTE_CODE
const isWordCode = (code: number): boolean => classOf(code) === WORD_CODE

/** Where the string, comment, bare word, sign or blank that begins at `at` ends. Each character is looked at once. */
function tokenEnd(text: string, at: number, code: number, lastComment: number): number {
  if (isQuote(code)) return Math.min(stringEnd(text, at, text.charAt(at)) + 1, text.length)
  if (code === SLASH) return commentEnd(text, at, lastComment)
  if (code <= SPACE || isSign(code)) return at + 1
  let end = at + 1
  while (end < text.length && isWordCode(text.charCodeAt(end))) end++
  return end
}

/** Readers of JSON with comments end a line at any of these. */
const LINE_END = /[\n\r\u2028\u2029]/g

/** `lastComment`: where the last comment may end, so that an open one is not looked for again and again. */
function commentEnd(text: string, at: number, lastComment: number): number {
  if (text.startsWith('//', at)) {
    LINE_END.lastIndex = at
    return LINE_END.exec(text)?.index ?? text.length
  }
  return text.startsWith('/*', at) && lastComment >= at + 2 ? text.indexOf('*/', at + 2) + 2 : at + 1
}

const SHORT: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }

function unescape(word: string): string {
  if (!word.includes('\\')) return word
  return word.replace(/\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([^]))/g, (_, u?: string, x?: string, c?: string) => {
    const code = u ?? x
    return code === undefined ? (SHORT[c ?? ''] ?? c ?? '') : String.fromCharCode(parseInt(code, 16))
  })
}
