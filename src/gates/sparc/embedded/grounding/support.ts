import type { Evidence } from './evidence.ts'
import type { Among } from './heard/among.ts'
import type { Identifier } from './identifier.ts'
import { holdsExactly, plainText, wantedWords, wordsIn, type Joints, type Wanted } from './text.ts'
import { EXTENSIONS, NUMBER_WORDS, PLACEHOLDERS } from './vocabulary.ts'

/** How far an identifier is supported, from 1 (it was said) to 0 (nothing of it was). Below this it is an invention. */
export const THRESHOLD = 0.45

/** `texts`: where the value may stand. */
export function supportOf(value: string | number, identifier: Identifier, texts: Among): number {
  if (typeof value === 'number') return numberSupport(value, texts)
  const trimmed = value.trim()
  switch (identifier.kind) {
    case 'mail':
      return mailSupport(withoutScheme(trimmed), texts)
    case 'url':
      return urlSupport(trimmed, texts)
    case 'path':
      return pathSupport(trimmed, texts)
    case 'token':
    case 'number':
      return tokenSupport(trimmed, identifier, texts)
  }
}

/** A value that says itself that it is none. What the user said is taken as it is. */
export function isPlaceholder(value: string): boolean {
  return value.length < 200 && PLACEHOLDERS.some((pattern) => pattern.test(value.trim()))
}

/**
 * Where a value may stand. The result of a call that had this very value only repeats it ("no such transaction TX-1"),
 * whatever else it says: whether it is an error can be told from no text. A value that a result puts together anew
 * (a file in the folder that the call named) is its own.
 */
export function saidFor(value: string | number, { all, asksFor }: Evidence): Among {
  const last = askedLast.get(all)
  if (last?.value === value) return last.said
  const asks = asksFor(wantedOf(value))
  const said = asks.size === 0 ? all : all.only(({ asked }) => asked === undefined || !asks.has(asked))
  askedLast.set(all, { value, said })
  return said
}

/** Several checks ask for the same value, one after the other. */
const askedLast = new WeakMap<Among, { readonly value: string | number; readonly said: Among }>()

/** Whether a call had the value, and its result repeats it. */
export function isRepeated(value: string | number, { all, asksFor }: Evidence): boolean {
  const wanted = wantedOf(value)
  const asks = asksFor(wanted)
  return asks.size > 0 && all.only(({ asked }) => asked !== undefined && asks.has(asked)).holds(wanted)
}

function wantedOf(value: string | number): Wanted {
  return wantedWords(wordsIn(withoutScheme(String(value))))
}

function withoutScheme(value: string): string {
  return value
    .trim()
    .replace(/^(?:mailto:|[a-z][a-z0-9+.-]*:\/\/)/i, '')
    .replace(/^www\./i, '')
}

export function saidAnywhere(value: string, texts: Among): boolean {
  const words = wordsIn(value)
  if (words.length > 0) return texts.holds(wantedWords(words))
  // Signs only: there is no word to look for.
  const signs = plainText(value)
  return texts.said().some(({ search }) => search.plain.includes(signs))
}

/** As digits, in groups of three, or as a word. */
function numberSupport(value: number, texts: Among): number {
  const digits = String(value)
  const grouped = digits.replace(/\B(?=(?:\d{3})+$)/g, ',')
  const word = [...NUMBER_WORDS].find(([, number]) => number === value)?.[0] ?? digits
  const isIn =
    texts.holds(wantedWords([digits])) ||
    texts.hasWord(word) ||
    (grouped !== digits && texts.has(texts.index.grouped, grouped))
  return isIn ? 1 : 0
}

/** A full stop ends a sentence, or goes on with a name. */
const MAIL_JOINTS: Joints = { before: /[\p{L}\p{N}_.%+-]/u, behind: /^[\p{L}\p{N}_%+-]|^\.[\p{L}\p{N}]/u }

function mailSupport(mail: string, texts: Among): number {
  const words = wordsIn(mail)
  // A search of the whole text only where all of its words stand.
  const isIn = texts.someWithAll(words, ({ search }) => holdsExactly(search, mail, MAIL_JOINTS))
  return isIn ? 1 : mailGuess(mail, texts)
}

/** A name and a domain that are known do not make an address. */
function mailGuess(mail: string, texts: Among): number {
  const [user = '', domain = ''] = mail.split('@')
  return allKnown(wordsIn(user), texts) && saidAnywhere(domain, texts) ? 0.3 : 0
}

function allKnown(words: readonly string[], texts: Among): boolean {
  return words.length > 0 && words.every((word) => texts.hasWord(word))
}

function urlSupport(url: string, texts: Among): number {
  const bare = withoutScheme(url).replace(/\/$/, '')
  if (saidAnywhere(bare, texts)) return 0.95
  const host = bare.replace(/[/?#].*$/s, '').replace(/:\d+$/, '')
  const rest = wordsIn(bare.slice(host.length))
  if (saidAnywhere(host, texts)) return rest.length === 0 || allKnown(rest, texts) ? 0.6 : 0.3
  // The site of a named firm; a label before it could be anybody's.
  const [label = '', ...domain] = host.split('.')
  return domain.length === 1 && rest.length === 0 && allKnown(wordsIn(label), texts) ? 0.5 : 0
}

function pathSupport(path: string, texts: Among): number {
  if (saidAnywhere(path, texts)) return 1
  const segments = path.split(/[/\\]+/).filter((segment) => !/^(?:|~|\.{1,2}|[a-z]:)$/i.test(segment))
  return segments.length > 0 && segments.every((segment) => isKnownSegment(segment, texts)) ? 0.7 : 0
}

function isKnownSegment(segment: string, texts: Among): boolean {
  if (saidAnywhere(segment, texts)) return true
  const words = wordsIn(segment)
  const extension = words.length > 1 && EXTENSIONS.has(words.at(-1) ?? '') ? 1 : 0
  // A known name with an ending that nobody named is another file.
  return extension === 0 && allKnown(words, texts)
}

function tokenSupport(value: string, identifier: Identifier, texts: Among): number {
  if (saidAnywhere(value, texts)) return 1
  const words = wordsIn(value)
  const hasDigits = /\p{N}/u.test(value)
  if (!hasDigits && allKnown(words, texts)) return 0.8
  const strict = identifier.kind !== 'token' || identifier.strict
  return /\s/.test(value) && strict && allKnown(words, texts) ? 0.8 : 0
}
