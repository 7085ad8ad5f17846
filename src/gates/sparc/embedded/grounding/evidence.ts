import { NOT_CONFIRMED } from '../../own-words.ts'
import type { ReflectedMessage } from '../../reflector.ts'
import { argumentsIn } from './arguments.ts'
import { isWhole, type DaySaid } from './said/days.ts'
import { factsOf, lazily, type Facts } from './said/facts.ts'
import { rounded, type NumberSaid } from './said/numbers.ts'
import { isEnglish } from './said/english.ts'
import { searchText, type SearchText } from './text.ts'

export type Source = 'user' | 'system' | 'tool' | 'assistant'

/** What was said, and who said it. */
export interface Said {
  readonly from: Source
  readonly text: string
  readonly search: SearchText
  readonly facts: Facts
  /** The arguments of the call whose result this is, where they are known. */
  readonly asked: SearchText | undefined
}

export interface Evidence {
  readonly said: readonly Said[]
  /** What the user said, the last of it last. */
  readonly user: readonly Said[]
  readonly hasResults: boolean
  /** Whether a call was made since the user spoke. */
  readonly hasCalled: boolean
  /** All that the user said as one plain text, bounded; its end, if it is longer. */
  readonly userText: () => string
  /** The numbers of the user, each once, the first first. */
  readonly userNumbers: () => readonly NumberSaid[]
  readonly isEnglish: () => boolean
  readonly today: () => Required<DaySaid> | undefined
}

const SOURCES: ReadonlyMap<string, Source> = new Map([
  ['user', 'user'],
  ['system', 'system'],
  ['developer', 'system'],
  ['tool', 'tool'],
  ['function', 'tool'],
  ['assistant', 'assistant'],
])

/**
 * What a value may come from. The model's own words count only where its user has answered them, and the arguments of
 * its earlier calls never: an invention does not become true by being said twice.
 */
export function evidenceOf(messages: readonly ReflectedMessage[]): Evidence {
  const known = ofConversations.get(messages)
  if (known !== undefined) return known
  const lastUser = messages.findLastIndex(({ role }) => role === 'user')
  const calls = new Map<string, string>()
  const said: Said[] = []
  for (const [at, message] of messages.entries()) {
    for (const call of message.tool_calls ?? []) calls.set(call.id, call.function.arguments)
    const from = SOURCES.get(message.role)
    if (from === undefined || message.content === '') continue
    if (from === 'assistant' && (at > lastUser || isAboutCall(message))) continue
    const facts = (from === 'tool' ? keptResult : keptWords)(message.content)
    said.push({ from, text: message.content, search: facts.search, facts, asked: askedIn(message, calls) })
  }
  const hasCalled = messages.some(
    ({ role, tool_calls }, at) => at > lastUser && (role === 'tool' || tool_calls !== undefined),
  )
  const evidence = summed(said, hasCalled)
  ofConversations.set(messages, evidence)
  return evidence
}

function summed(said: readonly Said[], hasCalled: boolean): Evidence {
  const user = said.filter(({ from }) => from === 'user')
  const userText = lazily(() =>
    user
      .map(({ search }) => search.plain)
      .join('\n')
      .slice(-MOST_USER_CHARACTERS),
  )
  return {
    said,
    user,
    hasResults: said.some(({ from }) => from === 'tool'),
    hasCalled,
    userText,
    userNumbers: lazily(() => distinctNumbers(user)),
    isEnglish: lazily(() => isEnglish(userText())),
    today: lazily(() =>
      said.map(({ facts }) => facts.moments().today).findLast((day) => day !== undefined && isWhole(day)),
    ),
  }
}

const MOST_USER_CHARACTERS = 20_000
const MOST_USER_NUMBERS = 60

function distinctNumbers(user: readonly Said[]): readonly NumberSaid[] {
  const found = new Map<string, NumberSaid>()
  for (const { facts } of user) {
    for (const number of facts.numbers().list) {
      const key = `${rounded(number.value)} ${number.unit}`
      if (found.size < MOST_USER_NUMBERS && !found.has(key)) found.set(key, number)
    }
  }
  return [...found.values()]
}

/** What a model says beside a call announces it, also where the call was stopped: its user was not asked about it. */
function isAboutCall({ tool_calls, content }: ReflectedMessage): boolean {
  return tool_calls !== undefined || content.includes(NOT_CONFIRMED)
}

/** Of several calls of one id, the last one is meant: some models number theirs anew in each answer. */
function askedIn({ tool_call_id }: ReflectedMessage, calls: ReadonlyMap<string, string>): SearchText | undefined {
  const argumentsText = tool_call_id === undefined ? undefined : calls.get(tool_call_id)
  return argumentsText === undefined ? undefined : keptArguments(argumentsText)
}

/** All calls of an answer are looked for in one conversation. */
const ofConversations = new WeakMap<readonly ReflectedMessage[], Evidence>()

const MOST_KEPT_CHARACTERS = 1_000_000

/** The next request of a conversation repeats its messages in new objects. */
const keptWords = kept((text) => factsOf(text, false))
const keptResult = kept((text) => factsOf(text, true))
const keptArguments = kept((text) => searchText(argumentsIn(text)))

function kept<T>(make: (text: string) => T): (text: string) => T {
  const ofTexts = new Map<string, T>()
  let characters = 0
  return (text) => {
    const known = ofTexts.get(text)
    if (known !== undefined) return known
    const made = make(text)
    if (characters + text.length > MOST_KEPT_CHARACTERS) {
      ofTexts.clear()
      characters = 0
    }
    if (text.length <= MOST_KEPT_CHARACTERS) {
      ofTexts.set(text, made)
      characters += text.length
    }
    return made
  }
}
