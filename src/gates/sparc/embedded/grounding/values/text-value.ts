import type { Tool } from '../../tool.ts'
import type { Evidence } from '../evidence.ts'
import { withoutExamples } from '../examples.ts'
import type { Among } from '../heard/among.ts'
import { isNewFile } from '../identifier.ts'
import { nameWords, type Leaf } from '../leaves.ts'
import { isRegion, isRegionName, otherNamesOf } from '../lexicon/codes.ts'
import { NEUTRAL_VALUES, STOP, WRITING } from '../lexicon/words.ts'
import { rounded } from '../said/numbers.ts'
import { saidFor } from '../support.ts'
import { plainText, wordsIn } from '../text.ts'
import { GENERATED, NEUTRAL } from '../vocabulary.ts'
import { contentWords, hasSynonym, holdsAny, shareKnown } from './known.ts'

export interface TextSupport {
  readonly level: number
  /** `free`: the model writes it, so it is never called made up. */
  readonly kind: 'string' | 'expression' | 'free'
}

const grade = (level: number, kind: TextSupport['kind'] = 'string'): TextSupport => ({ level, kind })

/** A longer value is a text that the model wrote. */
const LONGEST_NAME = 512

export function textSupport(leaf: Leaf, tool: Tool, evidence: Evidence): TextSupport {
  const value = String(leaf.value).trim()
  const lower = value.toLowerCase()
  if (value === '' || NEUTRAL_VALUES.has(lower) || NEUTRAL.has(lower)) return grade(0.5)
  if (value.length > LONGEST_NAME || isNewFile(leaf, tool)) return grade(0.5, 'free')
  const said = saidFor(leaf.value, evidence)
  const words = wordsIn(value)
  if (words.length === 0) return grade(0.5, 'free')
  if (isVerbatim(words, said)) return grade(1)
  if (isExpression(value, leaf)) return expressionSupport(value, leaf, said)
  if (isStandardName(value, said) || isInitials(value, said)) return grade(0.8)
  const place = placeSupport(value, leaf, said, evidence)
  if (place !== undefined) return grade(place)
  const content = contentWords(value)
  const share = shareKnown(content, said)
  if (share === 1) return grade(0.9)
  return isGenerative(leaf)
    ? generated(content, share, leaf, tool, evidence, said)
    : other(value, content, share, leaf, evidence, said)
}

function isVerbatim(words: readonly string[], said: Among): boolean {
  return holdsAny(said, words)
}

const EXPRESSION = /[*^=<>|&]|\d\s*[+/]\s*[a-z0-9(]|[a-z0-9)]\s*[+/]\s*\d|\w\(|\)\s*[-+*/]/i
const EXPRESSION_NAMES: ReadonlySet<string> = new Set(
  'function expression equation formula func expr polynomial integrand'.split(' '),
)

function isExpression(value: string, { name }: Leaf): boolean {
  return (
    name.some((word) => EXPRESSION_NAMES.has(word)) ||
    (EXPRESSION.test(value) && !/\s[a-z]{3,}\s[a-z]{3,}\s/i.test(value))
  )
}

/** A term that was said in other signs, or at least its numbers. */
function expressionSupport(value: string, { name }: Leaf, said: Among): TextSupport {
  const term = squashedTerm(value.replace(/^\s*lambda\s+[a-z, ]{1,20}:/i, ''))
  if (
    term !== '' &&
    said
      .said()
      .some(({ from, facts }) => from !== 'tool' && squashedTerm(facts.search.plain.slice(-20_000)).includes(term))
  )
    return grade(0.95, 'expression')
  const numbers = (value.match(/\d+(?:\.\d+)?/g) ?? []).map(Number).filter((each) => each > 1)
  const known = numbers.every(
    (each) =>
      said.has(said.index.numbers, rounded(each)) ||
      said.said().some(({ search }) => search.plain.includes(String(each))),
  )
  if (known) return grade(0.6, 'expression')
  return grade(name.some((word) => EXPRESSION_NAMES.has(word)) && value.length < 40 ? 0.3 : 0.5, 'expression')
}

function squashedTerm(text: string): string {
  return text
    .toLowerCase()
    .replace(/\*\*/g, '^')
    .replace(/²/g, '^2')
    .replace(/³/g, '^3')
    .replace(/[\s*()[\]"'`]/g, '')
}

function isStandardName(value: string, said: Among): boolean {
  return otherNamesOf(value).some((name) => isVerbatim(wordsIn(name), said))
}

const SHORTEST_INITIALS = 2
const LONGEST_INITIALS = 5

/** The first letters of words that stand together, or such letters said for the words. */
function isInitials(value: string, said: Among): boolean {
  if (/^[A-Z]{2,5}$/.test(value)) {
    const letters = value.toLowerCase()
    return said.said().some(({ facts }) => facts.initials().includes(letters))
  }
  const words = wordsIn(value)
  if (words.length < SHORTEST_INITIALS || words.length > LONGEST_INITIALS) return false
  const letters = words.map((word) => word.charAt(0)).join('')
  return !STOP.has(letters) && said.someWithAll([letters], ({ text }) => text.includes(letters.toUpperCase()))
}

const PLACE_WORDS: ReadonlySet<string> = new Set(
  'location city place destination origin address town area region venue where departure arrival from to start end state country loc'.split(
    ' ',
  ),
)
const ADDED: ReadonlySet<string> = new Set(
  'city county district province state town metro area greater region'.split(' '),
)

/** "A, B": who says A may mean B. */
function placeSupport(value: string, { name }: Leaf, said: Among, evidence: Evidence): number | undefined {
  const comma = value.indexOf(',')
  if (comma < 1 || value.length > 80 || value.includes('\n') || !name.some((word) => PLACE_WORDS.has(word)))
    return undefined
  const first = value.slice(0, comma)
  const content = contentWords(first).filter((word) => !ADDED.has(word))
  if (content.length === 0) return undefined
  const share = shareKnown(content, said)
  if (share === 1) return shareKnown(contentWords(value.slice(comma)), said) === 1 ? 0.85 : 0.7
  if (isInitials(first.trim(), said)) return 0.7
  if (!evidence.isEnglish()) return 0.5
  return share > 0 ? 0.3 : 0
}

/** Names of what a model writes itself. */
function isGenerative({ name }: Leaf): boolean {
  const last = name.at(-1) ?? ''
  return GENERATED.has(last) || MORE_GENERATED.has(last)
}

const MORE_GENERATED: ReadonlySet<string> = new Set(
  'goal goals objective objectives interest interests symptom symptoms hobby preferences requirements info information term terms search subject issue problem'.split(
    ' ',
  ),
)
const SHORT: ReadonlySet<string> = new Set(
  'topic topics keyword keywords query queries search term terms tag tags label'.split(' '),
)

function generated(
  content: readonly string[],
  share: number,
  leaf: Leaf,
  tool: Tool,
  evidence: Evidence,
  said: Among,
): TextSupport {
  if (share === 0 && evidence.isEnglish() && !content.some((word) => hasSynonym(word, said))) {
    const isQuery = leaf.name.some((word) => SHORT.has(word))
    if (isQuery && content.length <= 3) return grade(0.2)
    if (isQuery && content.length <= 8 && !evidence.hasResults) return grade(0.2)
    const writes = [...nameWords(tool.name), ...wordsIn(tool.description.slice(0, 1000))].some((word) =>
      WRITING.has(word),
    )
    if (content.length <= 6 && !writes && !evidence.hasResults) return grade(0.2)
  }
  return grade(share >= 0.5 ? 0.7 : share > 0 ? 0.5 : 0.4, 'free')
}

const LANGUAGE_NAMES: ReadonlySet<string> = new Set(['language', 'lang', 'locale'])

function other(
  value: string,
  content: readonly string[],
  share: number,
  leaf: Leaf,
  evidence: Evidence,
  said: Among,
): TextSupport {
  const isName = /^\p{Lu}/u.test(value) && content.length >= 2
  if (share >= 0.5) return grade(0.7)
  if (content.length <= 3 && !isName && content.some((word) => hasSynonym(word, said))) return grade(0.5)
  if (content.length >= 6) return grade(share > 0 ? 0.6 : 0.35, 'free')
  if (
    leaf.name.some((word) => LANGUAGE_NAMES.has(word)) &&
    /^en(?:glish)?(?:[-_]\w+)?$/i.test(value) &&
    evidence.isEnglish()
  )
    return grade(0.55)
  if (share > 0) return grade(content.length <= 2 && /^\p{Lu}/u.test(value) ? 0.35 : 0.45)
  if (isTicker(value, leaf, said)) return grade(0.6)
  if (leaf.name.some((word) => REGIONS.has(word)) && isRegion(value)) return grade(namesRegion(evidence) ? 0 : 0.42)
  return isOptionOfDescription(value, leaf) ? grade(0.5) : grade(0)
}

const REGIONS: ReadonlySet<string> = new Set(['country', 'state', 'province', 'nation'])
const MOST_LOOKED_AT = 400

/** Whether the user speaks of any country or state. */
function namesRegion({ user }: Evidence): boolean {
  return user.some(({ facts }) => {
    const words = facts.order().slice(-MOST_LOOKED_AT)
    return words.some(
      (word, at) =>
        isRegionName(word) ||
        isRegionName(words.slice(at, at + 2).join(' ')) ||
        isRegionName(words.slice(at, at + 3).join(' ')),
    )
  })
}

const TICKERS: ReadonlySet<string> = new Set('symbol ticker stock company'.split(' '))

/** The letters of a firm's short name stand in its name, in this order. */
function isTicker(value: string, { name }: Leaf, said: Among): boolean {
  if (!/^[A-Z]{1,5}$/.test(value) || !name.some((word) => TICKERS.has(word))) return false
  const letters = [...value.toLowerCase()]
  for (const word of said.index.firstWords.keys())
    if (word.charAt(0) === letters[0] && hasInOrder(word, letters) && said.has(said.index.firstWords, word)) return true
  return false
}

function hasInOrder(word: string, letters: readonly string[]): boolean {
  let at = 0
  for (const letter of word) if (letter === letters[at]) at += 1
  return at === letters.length
}

/** Listed in the description as what it may be. */
function isOptionOfDescription(value: string, { description }: Leaf): boolean {
  const text = plainText(withoutExamples(description))
  const wanted = plainText(value)
  const at = text.indexOf(wanted)
  if (wanted.length < 2 || at === -1) return false
  return (
    !/[\p{L}\p{N}]/u.test(text.charAt(at - 1)) &&
    !/[\p{L}\p{N}]/u.test(text.charAt(at + wanted.length)) &&
    isKnownOption(text)
  )
}

/** A description that lists what may be given, in quotes or behind a colon. */
function isKnownOption(description: string): boolean {
  return /['"]|options?|one of|can be|either|must be|valid|supported|could be|values?|:/.test(description)
}
