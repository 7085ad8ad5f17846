import { perBytes } from './per-bytes.ts'

/** Deeper nesting is refused: some readers recurse, and give up at other depths than others. */
export const JSON_DEPTH = 64

/** More members in one object are refused: such objects cost seconds to make, and no protocol has them. */
export const JSON_MEMBERS = 16_384

/** The members of the top-level object as they were written. */
export interface TopTokens {
  /** The raw text of a member's value, undefined where there is no such member or no object. */
  get(name: string): string | undefined
}

export type JsonRead =
  | { readonly ok: true; readonly value: unknown; readonly tokens: TopTokens }
  /** `why` names the rule that was broken, never content. */
  | { readonly ok: false; readonly why: string }

/** As `readJsonOnce`, for bytes that several readers look at. */
export const readJson: (bytes: Uint8Array) => JsonRead = perBytes((bytes) => readJsonOnce(bytes))

/**
 * Reads JSON only where every reader understands the same: strict UTF-8 without byte order mark, RFC 8259 grammar, no
 * key twice in one object, no lone surrogates, no number beyond a double, bounded depth and width, nothing after it.
 * `lone`: whether halves of surrogate pairs may stand in strings, as where a stream of text was cut between them.
 */
export function readJsonOnce(bytes: Uint8Array, lone: 'refused' | 'kept' = 'refused'): JsonRead {
  const text = decode(bytes)
  if (text === undefined) return refused('not UTF-8')
  const scanned = scan(text)
  if (scanned.depth > JSON_DEPTH) return refused('nested too deeply')
  if (scanned.widest > JSON_MEMBERS) return refused('too many members in one object')
  const parsed = parse(text)
  if (parsed === undefined) return refused('not JSON')
  const tally = {
    members: 0,
    infinite: false,
    lone: false,
    surrogates: lone === 'refused' && SURROGATE_ESCAPE.test(text),
  }
  count(parsed.value, tally)
  // Where a key came twice, the value has fewer members than the text has colons.
  if (tally.members !== scanned.colons) return refused('a key occurs twice in one object')
  if (tally.infinite) return refused('a number is out of range')
  if (tally.lone) return refused('a lone surrogate')
  return { ok: true, value: parsed.value, tokens: { get: (name) => topToken(text, name) } }
}

const refused = (why: string): JsonRead => ({ ok: false, why })

// `ignoreBOM` keeps the mark in the text, where the grammar refuses it.
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decode(bytes: Uint8Array): string | undefined {
  try {
    return UTF8.decode(bytes)
  } catch {
    return undefined
  }
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const ARRAY = 0x5b
const ARRAY_END = 0x5d
const OBJECT = 0x7b
const OBJECT_END = 0x7d

/** The index of the quote that ends the string which begins at `start`; the text's length where none does. */
export function stringEnd(text: string, start: number, quote = '"'): number {
  for (let end = text.indexOf(quote, start + 1); end !== -1; end = text.indexOf(quote, end + 1)) {
    let first = end
    while (text.charCodeAt(first - 1) === BACKSLASH) first--
    if ((end - first) % 2 === 0) return end
  }
  return text.length
}

interface Scanned {
  readonly depth: number
  readonly colons: number
  /** Colons in one object, at most. */
  readonly widest: number
}

/** Looks outside of strings. Before parsing, so that a body of brackets or of keys costs no memory. */
function scan(text: string): Scanned {
  const members = new Uint32Array(JSON_DEPTH + 1)
  let widest = 0
  let depth = 0
  let deepest = 0
  let colons = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = stringEnd(text, at)
        break
      case COLON:
        colons++
        widest = Math.max(widest, (members[depth] = (members[depth] ?? 0) + 1))
        break
      case ARRAY:
      case OBJECT:
        if (++depth > deepest) deepest = depth
        if (deepest > JSON_DEPTH) return { depth: deepest, colons, widest }
        members[depth] = 0
        break
      case ARRAY_END:
      case OBJECT_END:
        depth--
        break
      default:
    }
  }
  return { depth: deepest, colons, widest }
}

const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/
const LONE_SURROGATE = /\p{Surrogate}/u

/** Whether every reader makes the same of this text. */
export function isWellFormed(text: string): boolean {
  return !LONE_SURROGATE.test(text)
}

interface Tally {
  members: number
  infinite: boolean
  lone: boolean
  /** Whether strings have to be looked at: raw bytes cannot hold a surrogate, only escapes can. */
  readonly surrogates: boolean
}

function count(value: unknown, tally: Tally): void {
  if (typeof value === 'string') {
    if (tally.surrogates && !isWellFormed(value)) tally.lone = true
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) tally.infinite = true
  } else if (Array.isArray(value)) {
    for (const element of value) count(element, tally)
  } else if (value !== null && typeof value === 'object') {
    const values: unknown[] = Object.values(value)
    tally.members += values.length
    for (const member of values) count(member, tally)
    if (tally.surrogates) for (const key of Object.keys(value)) count(key, tally)
  }
}

/** `text` is valid JSON without duplicate keys. */
function topToken(text: string, name: string): string | undefined {
  let depth = 0
  let key: unknown
  let start = -1
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      const end = stringEnd(text, at)
      if (depth === 1 && start === -1) key = JSON.parse(text.slice(at, end + 1))
      at = end
    } else if (code === COLON && depth === 1) {
      start = at + 1
    } else if ((code === COMMA || code === OBJECT_END) && depth === 1) {
      if (start !== -1 && key === name) return text.slice(start, at).trim()
      start = -1
      if (code === OBJECT_END) return undefined
    } else if (code === ARRAY || code === OBJECT) {
      if (depth === 0 && code === ARRAY) return undefined
      depth++
    } else if (code === ARRAY_END || code === OBJECT_END) {
      depth--
    }
  }
  return undefined
}
