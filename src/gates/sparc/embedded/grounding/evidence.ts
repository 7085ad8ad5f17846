import type { ReflectedMessage } from '../../reflector.ts'
import { searchText, type SearchText } from './text.ts'

export type Source = 'user' | 'system' | 'tool' | 'assistant'

/** What was said, and who said it. */
export interface Said {
  readonly from: Source
  readonly text: string
  readonly search: SearchText
}

export interface Evidence {
  readonly said: readonly Said[]
  readonly characters: number
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
  const said: Said[] = []
  for (const [at, { role, content }] of messages.entries()) {
    const from = SOURCES.get(role)
    if (from === undefined || content === '' || (from === 'assistant' && at > lastUser)) continue
    said.push({ from, text: content, search: keptSearchText(content) })
  }
  const evidence = { said, characters: said.reduce((sum, { text }) => sum + text.length, 0) }
  ofConversations.set(messages, evidence)
  return evidence
}

/** All calls of an answer are looked for in one conversation. */
const ofConversations = new WeakMap<readonly ReflectedMessage[], Evidence>()

/** The next request of a conversation repeats its messages in new objects. */
const ofTexts = new Map<string, SearchText>()
const MOST_KEPT_CHARACTERS = 1_000_000
let keptCharacters = 0

function keptSearchText(text: string): SearchText {
  const known = ofTexts.get(text)
  if (known !== undefined) return known
  const made = searchText(text)
  if (keptCharacters + text.length > MOST_KEPT_CHARACTERS) {
    ofTexts.clear()
    keptCharacters = 0
  }
  if (text.length <= MOST_KEPT_CHARACTERS) {
    ofTexts.set(text, made)
    keptCharacters += text.length
  }
  return made
}
