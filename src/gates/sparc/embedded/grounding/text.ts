/** A text in the forms in which values are looked for. */
export interface SearchText {
  /** Lower case, without accents, one kind of quotes, dashes and blanks: for what has signs of its own. */
  readonly plain: string
  /** Its words with a blank around each. */
  readonly spaced: string
  /** Its words without anything between them. */
  readonly squashed: string
  /** Where in `squashed` a value may begin, and where it may end: never within a word or a number. */
  readonly starts: Uint8Array
  readonly ends: Uint8Array
  readonly words: ReadonlySet<string>
}

/** Words of Latin letters and of other scripts apart: no blank stands between a Chinese word and an order's number. */
const WORD = /[a-z0-9]+|[^\P{L}a-z]+|[^\P{N}0-9]+/gu

export function searchText(text: string): SearchText {
  const plain = plainText(text)
  const found = wordsOf(plain)
  const squashed = found.join('')
  const starts = new Uint8Array(squashed.length + 1)
  const ends = new Uint8Array(squashed.length + 1)
  let at = 0
  for (const word of found) {
    starts[at] = 1
    starts[at + numberAtEnd(word)] = 1
    at += word.length
    ends[at] = 1
  }
  return { plain, spaced: ` ${found.join(' ')} `, squashed, starts, ends, words: new Set(found) }
}

/** How the text goes on from each beginning of a word, each once: most values stand nowhere, and need no search to tell. */
export function beginningsOf({ squashed, starts }: SearchText): ReadonlySet<number> {
  const found = new Set<number>()
  for (let at = 0; at <= squashed.length - SHORTEST_SQUASHED; at++)
    if (starts[at] === 1) found.add(hashAt(squashed, at))
  return found
}

function hashAt(text: string, at: number): number {
  let sum = 0
  for (let next = at; next < at + SHORTEST_SQUASHED; next++) sum = (Math.imul(sum, 31) + text.charCodeAt(next)) | 0
  return sum ^ (sum >>> 15)
}

/** Where the number of a word like `user12345` begins: it may be meant alone. Else its beginning. */
function numberAtEnd(word: string): number {
  if (!isDigit(word.charCodeAt(word.length - 1)) || isDigit(word.charCodeAt(0))) return 0
  return /^[a-z]+(?=\d+$)/.exec(word)?.[0].length ?? 0
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

const ASCII = /^[\u0000-\u007f]*$/
const ASCII_WORD = /[a-z0-9]+/g

function wordsOf(plain: string): readonly string[] {
  return plain.match(ASCII.test(plain) ? ASCII_WORD : WORD) ?? []
}

export function plainText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[\u2018\u2019\u201b]/g, "'")
    .replace(/[\u201c\u201d\u201e]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u00a0\u2000-\u200a\u202f]/g, ' ')
}

/** The first word of a plain text; undefined where it takes a closer look to tell. */
export function firstWord(plain: string): string | undefined {
  let from = 0
  while (from < plain.length && !isLetterOrDigit(plain.charCodeAt(from))) {
    if (plain.charCodeAt(from) > LAST_ASCII) return undefined
    from++
  }
  let end = from
  while (isLetterOrDigit(plain.charCodeAt(end))) end++
  return end === from || plain.charCodeAt(end) > LAST_ASCII ? undefined : plain.slice(from, end)
}

const LAST_ASCII = 0x7f

function isLetterOrDigit(code: number): boolean {
  return isDigit(code) || (code >= 0x61 && code <= 0x7a)
}

/** The words of a plain text, in order. */
export function wordsInOrder(plain: string): readonly string[] {
  return wordsOf(plain)
}

/** The words of a value, in order. */
export function wordsIn(value: string): readonly string[] {
  return wordsOf(plainText(value))
}

/** Shorter ones would be found across the words of any text. */
export const SHORTEST_SQUASHED = 5

/** The words of a value, made ready to be looked for in many texts. */
export interface Wanted {
  readonly words: readonly string[]
  readonly squashed: string
  readonly hash: number
}

export function wantedWords(words: readonly string[]): Wanted {
  const squashed = words.join('')
  return { words, squashed, hash: hashAt(squashed, 0) }
}

/** Whether the words of a value stand in the text one after the other, however they are separated. */
export function holds(text: SearchText, { words, squashed }: Wanted): boolean {
  if (words.length === 0) return false
  if (squashed.length < SHORTEST_SQUASHED) {
    const areIn = words.every((word) => text.words.has(word))
    return areIn && (words.length === 1 || text.spaced.includes(` ${words.join(' ')} `))
  }
  let at = text.squashed.indexOf(squashed)
  while (at !== -1) {
    if (text.starts[at] === 1 && text.ends[at + squashed.length] === 1) return true
    // From word to word: a text of one letter would hold a value of the same letter everywhere.
    const next = text.starts.indexOf(1, at + 1)
    at = next === -1 ? -1 : text.squashed.indexOf(squashed, next)
  }
  return false
}

/** What joins a text to what stands before it or behind it, so that both are one longer thing. */
export interface Joints {
  /** Of the sign before. */
  readonly before: RegExp
  /** Of the two signs behind. */
  readonly behind: RegExp
}

/** Whether the text has exactly this, and not as a part of something longer. */
export function holdsExactly(text: SearchText, value: string, { before, behind }: Joints): boolean {
  const { plain } = text
  const wanted = plainText(value)
  for (let at = plain.indexOf(wanted); at !== -1; at = plain.indexOf(wanted, at + 1)) {
    const end = at + wanted.length
    if (!before.test(plain.charAt(at - 1)) && !behind.test(plain.slice(end, end + 2))) return true
  }
  return false
}
