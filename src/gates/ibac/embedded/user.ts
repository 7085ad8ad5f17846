import { CLASSES, isOf, VERBS, type EffectClass } from './effects.ts'
import { isForeign } from './foreign.ts'
import { holds, numbersIn } from './find.ts'
import { AMOUNT, ASKING_PHRASES, DELEGATION, OPEN_DELEGATION, VALUE_DELEGATION } from './patterns.ts'
import { withoutQuestions } from './questions.ts'
import { stemOf, stemsOf, wordsOf } from './stem.ts'
import { ANSWERING, COMMON_WORDS, DETERMINERS, NEVER_VERBS, NOUN_LIKE, OBJECT_GROUPS, STOP_STEMS } from './words.ts'

/** What the user's own words say. */
export interface UserFacts {
  /** In lower case. */
  readonly text: string
  /** Each number of it, and where it stands. */
  readonly numbers: ReturnType<typeof numbersIn>
  /** The stems of it, and of all words for the kinds of things that the user speaks of. */
  readonly wide: ReadonlySet<string>
  /** Stems that mean something by themselves. */
  readonly rare: ReadonlySet<string>
  readonly asks: ReadonlySet<EffectClass>
  /** The user hands over to what some text says. */
  readonly delegates: boolean
  /** Whatever it asks for. */
  readonly delegatesOpenly: boolean
  /** The user points at a text for an address, an amount or a name, and asks for the deed himself. */
  readonly delegatesValues: boolean
  /** Nothing is to be changed. */
  readonly readsOnly: boolean
  /** Their language is not English, so that text in another is nothing strange. */
  readonly isForeign: boolean
}

const GROUP_STEMS = OBJECT_GROUPS.map((group) => new Set([...group].map(stemOf)))
const VERB_STEMS = new Set(Object.values(VERBS).flatMap((verbs) => [...verbs].map(stemOf)))
const COMMON_STEMS = new Set([...COMMON_WORDS].map(stemOf))
const WRITES: readonly EffectClass[] = ['send', 'pay', 'create', 'update', 'delete', 'share', 'cred', 'exec']
const RARE_LETTERS = 3

/** Stems of every request: they name no single thing. */
function isOfEveryRequest(stem: string): boolean {
  return STOP_STEMS.has(stem) || VERB_STEMS.has(stem) || GROUP_STEMS.some((group) => group.has(stem))
}

/** Stems of every description. */
export function isGeneric(stem: string): boolean {
  return COMMON_STEMS.has(stem) || isOfEveryRequest(stem)
}

/** `phrases`: what else the operator's users say when they hand over, in lower case. */
export function userFacts(text: string, phrases: readonly string[] = []): UserFacts {
  const lower = text.toLowerCase()
  const stems = new Set(stemsOf(lower))
  const touched = GROUP_STEMS.filter((group) => [...group].some((stem) => stems.has(stem)))
  const asks = askedIn(lower)
  const inOperatorsWords = phrases.some((phrase) => holds(lower, phrase))
  const handing = lower.replace(IN_THESE_WORDS, '')
  const delegates = inOperatorsWords || DELEGATION.test(handing)
  return {
    text: lower,
    numbers: [...numbersIn(lower), ...numberWordsIn(lower)],
    wide: new Set([...stems, ...touched.flatMap((group) => [...group])]),
    rare: new Set([...stems].filter((stem) => stem.length >= RARE_LETTERS && !isOfEveryRequest(stem))),
    asks,
    delegates,
    delegatesOpenly: inOperatorsWords || OPEN_DELEGATION.test(handing),
    delegatesValues: VALUE_DELEGATION.test(lower),
    readsOnly: !delegates && !WRITES.some((name) => asks.has(name)) && onlyReads(lower),
    isForeign: isForeign(lower),
  }
}

const NUMBER_WORDS = new Map(
  'zero one two three four five six seven eight nine ten eleven twelve'.split(' ').map((word, worth) => [word, worth]),
)
const NUMBER_WORD = new RegExp(`\\b(?:${[...NUMBER_WORDS.keys()].join('|')})\\b`, 'g')

function numberWordsIn(lower: string): ReturnType<typeof numbersIn> {
  return [...lower.matchAll(NUMBER_WORD)].map((found) => [NUMBER_WORDS.get(found[0]) ?? 0, found.index] as const)
}

/** "Do the following tasks" hands over to nobody: they stand in the user's own words. */
const IN_THESE_WORDS =
  /\bfollowing (?:\w{1,20} )?(?:tasks?|steps?|actions?|things?|instructions?|requests?|todos?)\b(?! (?:in|on|from|of|at|listed) (?!(?:the )?order\b))/g

function askedIn(lower: string): ReadonlySet<EffectClass> {
  const words = wordsOf(withoutQuestions(lower))
  const verbs = words.filter((word, index) => isVerb(word, words[index - 1] ?? '', words[index + 1] ?? ''))
  const asks = new Set(CLASSES.filter((name) => verbs.some((verb) => isOf(name, verb))))
  for (const [phrase, name] of ASKING_PHRASES) if (phrase.test(lower)) asks.add(name)
  // Who sends an amount pays.
  if (asks.has('send') && AMOUNT.test(lower)) asks.add('pay')
  return asks
}

/** Every sentence of it asks to look, or to be told: who says what is not understood may want anything. */
function onlyReads(lower: string): boolean {
  const sentences = lower.match(SENTENCE) ?? []
  return sentences.every((sentence) => wordsOf(sentence).length < FEWEST_WORDS || READING.test(sentence))
}

const SENTENCE = /[^.!?\n]{1,2000}[.!?\n]{0,3}/g
const FEWEST_WORDS = 3
const POLITE =
  '(?:\\W|hi|hello|hey|please|just|and|then|also|so|now|first|can|could|would|will|you|for|me|quickly|i){0,40}'
const QUESTION_WORDS = 'what|which|who|whose|when|where|how|why|is|are|was|were|do|does|did|has|have|any'
const LOOKING =
  'go (?:through|over|into)|(?:run|work|sift|skim|scan|dig|leaf|flick|page) (?:through|over)|skim|scan|catch me|bring me|fill me|walk me|take a|work out|figure out|find out|point out|translate|explain|extract|pull out|pick out|sum up|add up|boil|condense|digest|break down|brief me|update me'
const READING = new RegExp(
  `\\?|^${POLITE}\\b(?:${[...VERBS.read].join('|')}|look|${LOOKING}|${QUESTION_WORDS}|thanks?|cheers)\\b|` +
    '\\b(?:to know|tell me|show me|give me (?:a|an|the|all)|curious|wonder(?:ing)?|remind me (?:what|when|who|where|how|which))\\b',
)

const USER: ReadonlySet<string> = new Set(['me', 'us'])

/** "Summarize my emails" asks for no sending, and neither does "tell me". */
function isVerb(word: string, before: string, after: string): boolean {
  if (NEVER_VERBS.has(word) || (ANSWERING.has(word) && USER.has(after))) return false
  return !(NOUN_LIKE.has(word) && DETERMINERS.has(before))
}
