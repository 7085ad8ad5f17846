import { NOT_CONFIRMED } from '../../own-words.ts'
import type { ReflectedMessage } from '../../reflector.ts'
import { argumentsIn } from './arguments.ts'
import { searchText, type SearchText } from './text.ts'

export type Source = 'user' | 'system' | 'tool' | 'assistant'

/** What was said, and who said it. */
export interface Said {
  readonly from: Source
  readonly text: string
  readonly search: SearchText
  /** The arguments of the call whose result this is, where they are known. */
  readonly asked: SearchText | undefined
}

export interface Evidence {
  readonly said: readonly Said[]
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
    said.push({ from, text: message.content, search: keptSearch(message.content), asked: askedIn(message, calls) })
  }
  const evidence = { said }
  ofConversations.set(messages, evidence)
  return evidence
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
const keptSearch = kept(searchText)
const keptArguments = kept((text) => searchText(argumentsIn(text)))

function kept(make: (text: string) => SearchText): (text: string) => SearchText {
  const ofTexts = new Map<string, SearchText>()
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
