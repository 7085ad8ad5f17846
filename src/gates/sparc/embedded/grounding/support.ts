import type { Evidence, Said } from './evidence.ts'
import type { Identifier } from './identifier.ts'
import {
  holds,
  holdsExactly,
  plainText,
  wantedWords,
  wordsIn,
  type Joints,
  type SearchText,
  type Wanted,
} from './text.ts'
import { EXTENSIONS, NUMBER_WORDS, PLACEHOLDERS } from './vocabulary.ts'

/** How far an identifier is supported, from 1 (it was said) to 0 (nothing of it was). Below this it is an invention. */
export const THRESHOLD = 0.45

export function supportOf(value: string | number, identifier: Identifier, evidence: Evidence): number {
  const texts = textsFor(value, evidence)
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

type Texts = readonly SearchText[]

/**
 * Where a value may stand. The result of a call that had this very value only repeats it ("no such transaction TX-1"),
 * whatever else it says: whether it is an error can be told from no text. A value that a result puts together anew
 * (a file in the folder that the call named) is its own.
 */
export function textsFor(value: string | number, evidence: Evidence): Texts {
  return saidFor(value, evidence).map(({ search }) => search)
}

/** The same with all that is known of each. */
export function saidFor(value: string | number, { said }: Evidence): readonly Said[] {
  const wanted = wantedWords(wordsIn(withoutScheme(String(value))))
  return said.filter((each) => !isAnswerTo(each, wanted))
}

/** Whether a call had the value, and its result repeats it. */
export function isRepeated(value: string | number, { said }: Evidence): boolean {
  const wanted = wantedWords(wordsIn(withoutScheme(String(value))))
  return said.some((each) => isAnswerTo(each, wanted) && holds(each.search, wanted))
}

function isAnswerTo({ asked }: Said, wanted: Wanted): boolean {
  return asked !== undefined && holds(asked, wanted)
}

function withoutScheme(value: string): string {
  return value
    .trim()
    .replace(/^(?:mailto:|[a-z][a-z0-9+.-]*:\/\/)/i, '')
    .replace(/^www\./i, '')
}

export function saidAnywhere(value: string, texts: Texts): boolean {
  const words = wordsIn(value)
  // Signs only: there is no word to look for.
  if (words.length === 0) return texts.some(({ plain }) => plain.includes(plainText(value)))
  const wanted = wantedWords(words)
  return texts.some((text) => holds(text, wanted))
}

/** As digits, in groups of three, or as a word. */
function numberSupport(value: number, texts: Texts): number {
  const digits = String(value)
  const grouped = digits.replace(/\B(?=(?:\d{3})+$)/g, ',')
  const word = [...NUMBER_WORDS].find(([, number]) => number === value)?.[0] ?? digits
  const wanted = wantedWords([digits])
  const isIn = (text: SearchText): boolean =>
    holds(text, wanted) || text.words.has(word) || (grouped !== digits && holdsExactly(text, grouped, NUMBER_JOINTS))
  return texts.some(isIn) ? 1 : 0
}

const NUMBER_JOINTS: Joints = { before: /[\d,]/, behind: /^\d|^,\d/ }
/** A full stop ends a sentence, or goes on with a name. */
const MAIL_JOINTS: Joints = { before: /[\p{L}\p{N}_.%+-]/u, behind: /^[\p{L}\p{N}_%+-]|^\.[\p{L}\p{N}]/u }

function mailSupport(mail: string, texts: Texts): number {
  const words = wordsIn(mail)
  // A search of the whole text only where all of its words stand.
  const isIn = (text: SearchText): boolean =>
    words.every((word) => text.words.has(word)) && holdsExactly(text, mail, MAIL_JOINTS)
  return texts.some(isIn) ? 1 : mailGuess(mail, texts)
}

/** A name and a domain that are known do not make an address. */
function mailGuess(mail: string, texts: Texts): number {
  const [user = '', domain = ''] = mail.split('@')
  return allKnown(wordsIn(user), texts) && saidAnywhere(domain, texts) ? 0.3 : 0
}

function allKnown(words: readonly string[], texts: Texts): boolean {
  return words.length > 0 && words.every((word) => texts.some((text) => text.words.has(word)))
}

function urlSupport(url: string, texts: Texts): number {
  const bare = withoutScheme(url).replace(/\/$/, '')
  if (saidAnywhere(bare, texts)) return 0.95
  const host = bare.replace(/[/?#].*$/s, '').replace(/:\d+$/, '')
  const rest = wordsIn(bare.slice(host.length))
  if (saidAnywhere(host, texts)) return rest.length === 0 || allKnown(rest, texts) ? 0.6 : 0.3
  // The site of a named firm; a label before it could be anybody's.
  const [label = '', ...domain] = host.split('.')
  return domain.length === 1 && rest.length === 0 && allKnown(wordsIn(label), texts) ? 0.5 : 0
}

function pathSupport(path: string, texts: Texts): number {
  if (saidAnywhere(path, texts)) return 1
  const segments = path.split(/[/\\]+/).filter((segment) => !/^(?:|~|\.{1,2}|[a-z]:)$/i.test(segment))
  return segments.length > 0 && segments.every((segment) => isKnownSegment(segment, texts)) ? 0.7 : 0
}

function isKnownSegment(segment: string, texts: Texts): boolean {
  if (saidAnywhere(segment, texts)) return true
  const words = wordsIn(segment)
  const extension = words.length > 1 && EXTENSIONS.has(words.at(-1) ?? '') ? 1 : 0
  // A known name with an ending that nobody named is another file.
  return extension === 0 && allKnown(words, texts)
}

function tokenSupport(value: string, identifier: Identifier, texts: Texts): number {
  if (saidAnywhere(value, texts)) return 1
  const words = wordsIn(value)
  const hasDigits = /\p{N}/u.test(value)
  if (!hasDigits && allKnown(words, texts)) return 0.8
  const strict = identifier.kind !== 'token' || identifier.strict
  return /\s/.test(value) && strict && allKnown(words, texts) ? 0.8 : 0
}
