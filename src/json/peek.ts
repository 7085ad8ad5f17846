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
  let objects = 0
  let last: string | undefined
  let methodNext = false
  for (let at = start; at < text.length;) {
    const end = tokenEnd(text, at)
    const word = wordOf(text, at, end)
    if (word !== undefined) {
      if (methodNext) methods.push(unescape(word))
      methodNext = false
      last = word
    } else if (end === at + 1 && !isSpace(text, at)) {
      const sign = text[at]
      if (sign === ':' && objects === 1 && last !== undefined) {
        const key = fold(unescape(last))
        keys.add(key)
        methodNext = key === 'method'
      } else methodNext = false
      if (sign === '{') objects++
      if (sign === '}' && objects > 0) objects--
      last = undefined
    }
    at = end
  }
  return { keys, methods }
}

const WORD = /[\p{L}\p{N}_$\\+.-]+/uy

const isSpace = (text: string, at: number) => text.charCodeAt(at) <= 0x20

/** Where the string, comment, bare word or single sign that begins at `at` ends. */
function tokenEnd(text: string, at: number): number {
  const first = text[at] ?? ''
  if (first === '"' || first === "'") return Math.min(stringEnd(text, at, first) + 1, text.length)
  if (first === '/') return commentEnd(text, at)
  if ('{}[]:,'.includes(first) || isSpace(text, at)) return at + 1
  WORD.lastIndex = at
  return WORD.test(text) ? WORD.lastIndex : at + 1
}

function commentEnd(text: string, at: number): number {
  if (text.startsWith('//', at)) {
    const newline = text.indexOf('\n', at)
    return newline === -1 ? text.length : newline
  }
  const close = text.startsWith('/*', at) ? text.indexOf('*/', at + 2) : -1
  return close === -1 ? at + 1 : close + 2
}

/** The text of a string or bare word; undefined for other tokens. */
function wordOf(text: string, at: number, end: number): string | undefined {
  const first = text[at] ?? ''
  if (first === '"' || first === "'") {
    const closed = end - at > 1 && text[end - 1] === first
    return text.slice(at + 1, closed ? end - 1 : end)
  }
  WORD.lastIndex = at
  return WORD.test(text) && WORD.lastIndex === end ? text.slice(at, end) : undefined
}

const SHORT: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }

function unescape(word: string): string {
  if (!word.includes('\\')) return word
  return word.replace(/\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([^]))/g, (_, u?: string, x?: string, c?: string) => {
    const code = u ?? x
    return code === undefined ? (SHORT[c ?? ''] ?? c ?? '') : String.fromCharCode(parseInt(code, 16))
  })
}
