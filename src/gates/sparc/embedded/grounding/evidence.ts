import { NOT_CONFIRMED } from '../../own-words.ts'
import type { ReflectedMessage } from '../../reflector.ts'
import { Among } from './heard/among.ts'
import type { Asked, Counting, Said, Source } from './heard/said.ts'
import type { Stock } from './heard/stock.ts'
import { isWhole, type DaySaid } from './said/days.ts'
import { isEnglish } from './said/english.ts'
import { lazily } from './said/facts.ts'
import { rounded, type NumberSaid } from './said/numbers.ts'
import type { Wanted } from './text.ts'

/** What a value may come from. */
export interface Evidence extends UserSaid {
  /** All that counts. */
  readonly all: Among
  /** The calls that were made with a value. */
  readonly asksFor: (wanted: Wanted) => ReadonlySet<Asked>
  readonly hasResults: boolean
  /** Whether a call was made since the user spoke. */
  readonly hasCalled: boolean
  readonly today: () => Required<DaySaid> | undefined
}

interface UserSaid {
  /** What the user said, the last of it last. */
  readonly user: readonly Said[]
  /** All that the user said as one plain text, bounded; its end, if it is longer. */
  readonly userText: () => string
  /** The numbers of the user, each once, the first first. */
  readonly userNumbers: () => readonly NumberSaid[]
  /** The last words of the user, in their order. */
  readonly lastWords: () => readonly string[]
  readonly isEnglish: () => boolean
}

const SOURCES: ReadonlyMap<string, Source> = new Map([
  ['user', 'user'],
  ['system', 'system'],
  ['developer', 'system'],
  ['tool', 'tool'],
  ['function', 'tool'],
  ['assistant', 'assistant'],
])

/** What counts in a conversation. */
export interface CountingTexts {
  readonly texts: readonly Counting[]
  readonly hasCalled: boolean
}

/**
 * What a value may come from. The model's own words count only where its user has answered them, and the arguments of
 * its earlier calls never: an invention does not become true by being said twice.
 */
export function countingIn(messages: readonly ReflectedMessage[]): CountingTexts {
  const lastUser = messages.findLastIndex(({ role }) => role === 'user')
  const calls = new Map<string, string>()
  const texts: Counting[] = []
  for (const [at, message] of messages.entries()) {
    for (const call of message.tool_calls ?? []) calls.set(call.id, call.function.arguments)
    const from = SOURCES.get(message.role)
    if (from === undefined || message.content === '') continue
    if (from === 'assistant' && (at > lastUser || isAboutCall(message))) continue
    // Of several calls of one id, the last one is meant: some models number theirs anew in each answer.
    const askedText = message.tool_call_id === undefined ? undefined : calls.get(message.tool_call_id)
    texts.push({ from, text: message.content, askedText })
  }
  const hasCalled = messages.some(
    ({ role, tool_calls }, at) => at > lastUser && (role === 'tool' || tool_calls !== undefined),
  )
  return { texts, hasCalled }
}

/** What a model says beside a call announces it, also where the call was stopped: its user was not asked about it. */
function isAboutCall({ tool_calls, content }: ReflectedMessage): boolean {
  return tool_calls !== undefined || content.includes(NOT_CONFIRMED)
}

/** `said`: in the order of the conversation, from the stock. `before`: what was known of it at an earlier question. */
export function evidenceFrom(
  stock: Stock,
  said: readonly Said[],
  hasCalled: boolean,
  before: Evidence | undefined,
): Evidence {
  const isIn = new Uint8Array(stock.texts.length)
  for (const { id } of said) isIn[id] = 1
  const user = said.filter(({ from }) => from === 'user')
  return {
    ...(before !== undefined && areSame(user, before.user) ? userSaidIn(before) : userSaid(user)),
    all: new Among(
      stock.index,
      stock.texts,
      () => said,
      (id) => isIn[id] === 1,
    ),
    asksFor: (wanted) => stock.asksFor(wanted),
    hasResults: said.some(({ from }) => from === 'tool'),
    hasCalled,
    today: lazily(() => todayIn(said)),
  }
}

function areSame(some: readonly Said[], others: readonly Said[]): boolean {
  return some.length === others.length && some.every((each, at) => each === others[at])
}

function userSaidIn({ user, userText, userNumbers, lastWords, isEnglish }: UserSaid): UserSaid {
  return { user, userText, userNumbers, lastWords, isEnglish }
}

function userSaid(user: readonly Said[]): UserSaid {
  const userText = lazily(() =>
    user
      .map(({ search }) => search.plain)
      .join('\n')
      .slice(-MOST_USER_CHARACTERS),
  )
  return {
    user,
    userText,
    userNumbers: lazily(() => distinctNumbers(user)),
    lastWords: lazily(() => user.flatMap(({ facts }) => facts.order().slice(-MOST_WORDS)).slice(-MOST_WORDS)),
    isEnglish: lazily(() => isEnglish(userText())),
  }
}

/** The last one that was said. */
function todayIn(said: readonly Said[]): Required<DaySaid> | undefined {
  for (let at = said.length - 1; at >= 0; at--) {
    const day = said[at]?.facts.today()
    if (day !== undefined && isWhole(day)) return day
  }
  return undefined
}

const MOST_USER_CHARACTERS = 20_000
const MOST_USER_NUMBERS = 60
const MOST_WORDS = 400

function distinctNumbers(user: readonly Said[]): readonly NumberSaid[] {
  const found = new Map<string, NumberSaid>()
  for (const { facts } of user) {
    if (found.size >= MOST_USER_NUMBERS) break
    for (const number of facts.numbers().list) {
      const key = `${rounded(number.value)} ${number.unit}`
      if (found.size < MOST_USER_NUMBERS && !found.has(key)) found.set(key, number)
    }
  }
  return [...found.values()]
}
