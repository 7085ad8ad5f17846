import type { Tool } from '../../tool.ts'
import type { Evidence } from '../evidence.ts'
import { isExplainedCode } from '../explained-code.ts'
import type { Among } from '../heard/among.ts'
import type { Leaf } from '../leaves.ts'
import { otherNamesOf } from '../lexicon/codes.ts'
import { NEUTRAL_VALUES } from '../lexicon/words.ts'
import { HEAD_LETTERS } from '../said/facts.ts'
import { saidFor } from '../support.ts'
import { wordsIn } from '../text.ts'
import { contentWords, hasSynonym, holdsAny, isKnown, shareKnown } from './known.ts'
import { numberSupport } from './number.ts'

/** How far an option is supported, and the one that the user names in its place. */
export interface OptionSupport {
  readonly level: number
  readonly named: string | undefined
}

export function optionSupport(leaf: Leaf, tool: Tool, evidence: Evidence): OptionSupport {
  const options = (leaf.options ?? [])
    .filter((each) => typeof each === 'string' || typeof each === 'number')
    .slice(0, MOST_OPTIONS)
  const said = saidFor(leaf.value, evidence)
  const level = levelOf(leaf, options, tool, said, evidence)
  if (level >= LEAST_CERTAIN) return { level, named: undefined }
  const named = namedOption(leaf, options, evidence)
  return named === undefined ? { level, named } : { level: 0, named }
}

const MOST_OPTIONS = 100
const LEAST_CERTAIN = 0.5

function levelOf(
  leaf: Leaf,
  options: readonly (string | number)[],
  tool: Tool,
  said: Among,
  evidence: Evidence,
): number {
  const { value } = leaf
  if (typeof value === 'number' || /^\d+(?:\.\d+)?$/.test(value))
    return numberSupport(Number(value), leaf, tool, evidence)
  const text = value.trim().toLowerCase()
  if (text === '' || options.length === 1) return 0.5
  const words = wordsIn(value)
  if (holdsAny(said, words)) return 1
  const content = contentWords(value)
  if (shareKnown(content, said) === 1) return 0.9
  if (everydayWord(text, evidence)) return 0.8
  if (otherNamesOf(value).some((name) => holdsAny(said, wordsIn(name)))) return 0.8
  if (isExplainedCode(leaf, evidence)) return 0.75
  if (content.some((word) => word.length > 2 && isKnown(word, said))) return 0.6
  if (
    content.some(
      (word) =>
        word.length >= 4 &&
        said.index
          .wordsOfHead(word.slice(0, HEAD_LETTERS))
          .some((each) => each.slice(0, 4) === word.slice(0, 4) && said.hasWord(each)),
    )
  )
    return 0.6
  if (content.some((word) => hasSynonym(word, said))) return 0.5
  return NEUTRAL_VALUES.has(text) ? 0.5 : 0
}

/** The user says another option, and not this one. */
export function namedOption(
  { value }: Leaf,
  options: readonly (string | number)[],
  evidence: Evidence,
): string | undefined {
  const own = wordsIn(String(value))
  const byUser = evidence.all.only(({ from }) => from === 'user')
  return options.map(String).find((option) => {
    const words = wordsIn(option)
    if (option === String(value) || option.length < SHORTEST_NAMED || words.some((word) => own.includes(word)))
      return false
    return holdsAny(byUser, words)
  })
}

const SHORTEST_NAMED = 4

/** What people say where an option has a technical name. */
const EVERYDAY: readonly (readonly [option: string, said: RegExp])[] = [
  ['asc', /(?<![a-z])(?:ascending|lowest|cheapest|smallest|oldest|earliest|increasing|alphabetical)/],
  ['ascending', /(?<![a-z])(?:lowest|cheapest|smallest|oldest|earliest|increasing|alphabetical)/],
  ['desc', /(?<![a-z])(?:descending|highest|largest|biggest|newest|latest|top|best|most|decreasing)/],
  ['descending', /(?<![a-z])(?:highest|largest|biggest|newest|latest|top|best|most|decreasing)/],
  ['metric', /(?<![a-z])(?:celsius|kilomet|meter|metre|kg|km|cm|°c)/],
  ['imperial', /(?<![a-z])(?:fahrenheit|miles?|pounds?|feet|inch|°f)/],
  ['male', /(?<![a-z])(?:man|men|boy|he|his|him|father|husband|son|guy)(?![a-z])/],
  ['female', /(?<![a-z])(?:woman|women|girl|she|her|mother|wife|daughter|lady)(?![a-z])/],
  ['economy', /(?<![a-z])(?:cheap|cheapest|coach)(?![a-z])/],
  ['one-way', /(?<![a-z])(?:one way|single)(?![a-z])/],
  ['round-trip', /(?<![a-z])(?:return|round trip)(?![a-z])/],
  ['daily', /(?<![a-z])(?:every day|each day|per day|days?)(?![a-z])/],
  ['weekly', /(?<![a-z])(?:every week|each week|per week|weeks?)(?![a-z])/],
  ['monthly', /(?<![a-z])(?:every month|each month|per month|months?)(?![a-z])/],
  ['yearly', /(?<![a-z])(?:every year|each year|per year|annual|annually|years?)(?![a-z])/],
  ['annually', /(?<![a-z])(?:every year|each year|per year|annual|yearly|years?)(?![a-z])/],
  ['high', /(?<![a-z])(?:urgent|important|asap|critical|strong|strongest|loud|max|maximum)(?![a-z])/],
  ['low', /(?<![a-z])(?:minor|weak|gentle|quiet|minimum|least)(?![a-z])/],
  ['celsius', /°c|(?<![a-z])c(?![a-z])/],
  ['fahrenheit', /°f|(?<![a-z])f(?![a-z])/],
  ['mild', /(?<![a-z])not (?:too )?spicy/],
]

function everydayWord(option: string, evidence: Evidence): boolean {
  return EVERYDAY.some(([name, pattern]) => name === option && pattern.test(evidence.userText()))
}
