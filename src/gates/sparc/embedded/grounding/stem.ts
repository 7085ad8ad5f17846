/** Longest first. */
const SUFFIXES = `
  izations isations ization isation fulness iveness ousness ational ations nesses ically ements ingly edly ation ities
  ments ables ibles ances ences ating ators ators ness ment able ible ance ence ings ator ious eous ized ised izes ises
  ical ates ated ions ious ists isms ing ies ied ers ors ion ist ism ity ive ous ful est ate ize ise es ed er or ly al s
`
  .trim()
  .split(/\s+/)
const LEAST_LEFT = 3

const BY_LAST = new Map<string, string[]>()
for (const suffix of SUFFIXES) {
  const last = suffix.charAt(suffix.length - 1)
  BY_LAST.set(last, [...(BY_LAST.get(last) ?? []), suffix])
}

const kept = new Map<string, string>()
const MOST_KEPT = 20_000

/** The part of an English word that its forms share: crude, and the same for both sides of every comparison. */
export function stemOf(word: string): string {
  const known = kept.get(word)
  if (known !== undefined) return known
  const stem = stemmed(word)
  if (kept.size >= MOST_KEPT) kept.clear()
  kept.set(word, stem)
  return stem
}

function stemmed(word: string): string {
  if (word.length <= LEAST_LEFT || word.length > 40 || !/^[a-z]+$/.test(word)) return word
  const suffix = (BY_LAST.get(word.charAt(word.length - 1)) ?? []).find(
    (each) => word.endsWith(each) && word.length - each.length >= (each.length > 2 ? LEAST_LEFT + 1 : LEAST_LEFT),
  )
  const rest = suffix === undefined || /ss$/.test(word) ? word : word.slice(0, -suffix.length)
  const bare = rest.length > LEAST_LEFT ? rest.replace(/[eyi]$/, '') : rest
  return bare.length > LEAST_LEFT ? bare.replace(/([b-df-hjkmnp-rtv-z])\1$/, '$1') : bare
}
