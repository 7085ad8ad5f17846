import type { Effect } from './effects.ts'
import type { Evidence } from './evidence.ts'
import { rankOf, type Origin, type Traced } from './origins.ts'
import type { Scored, Terms } from './score.ts'

const VALUE_CHARACTERS = 80
const NAME_CHARACTERS = 60

/** What the record says of a score. It quotes what it was about: it is for operators, never for the caller. */
export function reported(scored: Scored, effect: Effect, evidence: Evidence): Readonly<Record<string, unknown>> {
  const value = decidingValue(scored)
  return {
    score: scored.score,
    terms: termsThatCount(scored.terms),
    effect,
    ...(value === undefined ? {} : sayingOf(value, evidence)),
  }
}

function termsThatCount(terms: Terms): Readonly<Record<string, number>> {
  const rounded = Object.entries(terms).map(([name, points]) => [name, Math.round(points * 100) / 100] as const)
  return Object.fromEntries(rounded.filter(([, points]) => points !== 0))
}

function decidingValue({ destination, other, terms }: Scored): Traced | undefined {
  if (terms.destination === 0 || destination === undefined) return terms.value === 0 ? undefined : other
  if (terms.value === 0 || other === undefined) return destination
  // Of two that are as bad, where it goes says more.
  return rankOf(destination.origin) >= rankOf(other.origin) ? destination : other
}

function sayingOf({ value, origin, result }: Traced, evidence: Evidence): Readonly<Record<string, unknown>> {
  const tool = result === undefined ? undefined : evidence.results[result]?.tool
  return {
    value: cut(value.raw, VALUE_CHARACTERS),
    parameter: cut(value.parameter, NAME_CHARACTERS),
    origin,
    ...(tool === undefined ? {} : { found_in: cut(tool, NAME_CHARACTERS) }),
  }
}

function cut(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters)}…`
}

const IN_WORDS: Readonly<Record<Origin, string>> = {
  user: 'comes from the user',
  trusted: 'is at a trusted host',
  sys: 'comes from the operator',
  linked: 'is listed with what the user speaks of',
  struct: 'is listed in a result, and the user did not speak of it',
  free: 'stands in the prose of a result',
  none: 'stands nowhere',
  unknown: 'stands nowhere in what was seen, and not all was seen',
  d1r: 'stands in a request that the user may have meant',
  d1: 'stands in a request that some text makes',
  d2n: 'is also named by text that speaks to the agent',
  d1x: 'is the id of something that some text asks for',
  d2: 'stands in text that speaks to the agent',
}

const TERMS_IN_WORDS: Partial<Record<keyof Terms, string>> = {
  not_asked_but_told: 'the user did not ask for this kind of effect, and some text does',
  read_only_request: 'the user asked for nothing to be changed',
  off_topic: 'the user spoke of nothing that this tool is for',
  unexplained: 'it is made of words that are not the user’s',
  stated: 'one sentence of a result says it',
  names_tool: 'a result names the tool',
}

/** In one line, without a word of what was judged. */
export function inWords(scored: Scored, effect: Effect, denyAt: number): string {
  const value = decidingValue(scored)
  const which = value === scored.destination ? 'its destination' : 'a value of it'
  const others = Object.entries(TERMS_IN_WORDS)
    .filter(([name]) => scored.terms[name as keyof Terms] >= 1)
    .map(([, words]) => words)
  const why = [...(value === undefined ? [] : [`${which} ${IN_WORDS[value.origin]}`]), ...others]
  const head = `Scored ${scored.score} as ${effect}; ${denyAt} and more is denied`
  return why.length === 0 ? `${head}.` : `${head}: ${why.join('; ')}.`
}
