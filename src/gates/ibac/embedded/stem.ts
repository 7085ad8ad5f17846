const SUFFIXES = [
  'ations',
  'ation',
  'ings',
  'ing',
  'ments',
  'ment',
  'ers',
  'ied',
  'ies',
  'ed',
  'es',
  's',
  'ly',
] as const
const SHORTEST = 3

/** The part of an English word that its forms share: crude, and the same for both sides of every comparison. */
export function stemOf(word: string): string {
  return withoutFinalE(undoubled(withoutSuffix(word)))
}

function withoutSuffix(word: string): string {
  for (const suffix of SUFFIXES) {
    if (!word.endsWith(suffix) || word.length - suffix.length < SHORTEST) continue
    const rest = word.slice(0, -suffix.length)
    return suffix === 'ied' || suffix === 'ies' ? `${rest}y` : rest
  }
  return word
}

function undoubled(word: string): string {
  const last = word.at(-1) ?? ''
  const doubled = word.length > SHORTEST && last === word.at(-2) && /[b-df-hjkmnp-rtv-z]/.test(last)
  return doubled ? word.slice(0, -1) : word
}

function withoutFinalE(word: string): string {
  return word.length > SHORTEST && word.endsWith('e') ? word.slice(0, -1) : word
}

const WORD = /[\p{L}\p{N}]+/gu

/** The words of a text in lower case. */
export function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(WORD) ?? []
}

export function stemsOf(text: string): readonly string[] {
  return wordsOf(text).map(stemOf)
}
