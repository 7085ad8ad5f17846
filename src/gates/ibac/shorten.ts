import { joinedLeaves } from './leaves.ts'
import { namesIn } from './names.ts'

/** How much of a value is shown as it is. */
const TEXT_CHARACTERS = 1000
const LIST_ITEMS = 50
const MAPPING_KEYS = 100
/** Which part of a shortened text comes from its beginning. */
const HEAD_SHARE = 0.7
/** A longer token is a blob: its beginning and end say enough. */
const TOKEN_CHARACTERS = 128
const TOKEN_HEAD = 64
const TOKEN_TAIL = 16

/** How much text is searched for names, all parts of an action together: nothing else runs meanwhile. */
export const SEARCHED_CHARACTERS = 131_072

/** What is left of that for one action. */
export interface Search {
  charactersLeft: number
}

export function newSearch(): Search {
  return { charactersLeft: SEARCHED_CHARACTERS }
}

/** Takes what may still be searched. Below zero: there was more, so names may be missing. */
function take(text: string, search: Search): string {
  const searched = text.slice(0, Math.max(search.charactersLeft, 0))
  search.charactersLeft -= text.length
  return searched
}

/**
 * A JSON value with long parts shortened. What is left out is counted, and what it names (URLs, hosts, mail addresses,
 * identifiers) stays: those are what an injected action needs and prose is not.
 */
export function shorten(value: unknown, search: Search): unknown {
  if (typeof value === 'string') return shortenText(value, TEXT_CHARACTERS, search)
  if (Array.isArray(value)) return shortenList(value, search)
  if (typeof value === 'object' && value !== null) return shortenMapping(Object.entries(value), search)
  return value
}

export function shortenText(text: string, characters: number, search: Search): string {
  if (text.length <= characters) return text
  const head = text.slice(0, boundary(text, Math.ceil(characters * HEAD_SHARE)))
  const tail = text.slice(boundary(text, text.length - Math.floor(characters * (1 - HEAD_SHARE))))
  const left = text.length - head.length - tail.length
  // Names are looked for in the whole text: one that a cut went through is whole only there.
  const named = namedBy(take(text, search)).filter((name) => !head.includes(name) && !tail.includes(name))
  return `${head}${mark(`${left} characters`, named, search)}${tail}`
}

function shortenList(items: readonly unknown[], search: Search): readonly unknown[] {
  const rest = items.slice(LIST_ITEMS)
  const shown = items.slice(0, LIST_ITEMS).map((item) => shorten(item, search))
  return rest.length === 0 ? shown : [...shown, mark(`${rest.length} items`, namedByAll(rest, search), search)]
}

function shortenMapping(entries: readonly [string, unknown][], search: Search): Readonly<Record<string, unknown>> {
  const rest = entries.slice(MAPPING_KEYS)
  const shown = entries
    .slice(0, MAPPING_KEYS)
    .map(([key, value]): [string, unknown] => [shortenText(key, TEXT_CHARACTERS, search), shorten(value, search)])
  // Made from entries, so that a key such as `__proto__` is a key like any other.
  if (rest.length === 0) return Object.fromEntries(shown)
  return Object.fromEntries([...shown, ['…', mark(`${rest.length} members`, namedByAll(rest, search), search)]])
}

function namedByAll(values: readonly unknown[], search: Search): readonly string[] {
  return namedBy(take(joinedLeaves(values, Math.max(search.charactersLeft, 0)), search))
}

function namedBy(text: string): readonly string[] {
  const names = namesIn(text)
  return [...names.urls, ...names.mails, ...names.hosts, ...names.ids.map(shortenToken)]
}

function shortenToken(token: string): string {
  if (token.length <= TOKEN_CHARACTERS) return token
  return `${token.slice(0, TOKEN_HEAD)}…${token.slice(-TOKEN_TAIL)} (${token.length} characters)`
}

function mark(what: string, named: readonly string[], search: Search): string {
  const searched = search.charactersLeft < 0 ? ', not all of them searched' : ''
  return ` …[${what} left out${searched}${named.length === 0 ? '' : `; they name: ${named.join(' , ')}`}]… `
}

/** Moves a cut off the middle of a surrogate pair: half a character is no text. */
function boundary(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at
}
