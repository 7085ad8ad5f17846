import { stemOf, wordsOf } from './stem.ts'
import {
  CREATE_VERBS,
  CREDENTIALS_NOUNS,
  CRED_VERBS,
  DELETE_VERBS,
  EXEC_VERBS,
  HOLDERS,
  MONEY_NOUNS,
  NET_VERBS,
  NOUN_LIKE,
  PAY_VERBS,
  READ_VERBS,
  SEND_VERBS,
  SHARE_VERBS,
  UPDATE_VERBS,
  WEB_NOUNS,
} from './words.ts'

/** What an action does to the world. */
export type Effect =
  'read' | 'login' | 'net' | 'create' | 'update' | 'write' | 'send' | 'pay' | 'delete' | 'share' | 'cred' | 'exec'
/** What a user may ask for. */
export type EffectClass = 'read' | 'net' | 'send' | 'pay' | 'create' | 'update' | 'delete' | 'share' | 'cred' | 'exec'

export const VERBS: Readonly<Record<EffectClass, ReadonlySet<string>>> = {
  read: READ_VERBS,
  net: NET_VERBS,
  send: SEND_VERBS,
  pay: PAY_VERBS,
  create: CREATE_VERBS,
  update: UPDATE_VERBS,
  delete: DELETE_VERBS,
  share: SHARE_VERBS,
  cred: CRED_VERBS,
  exec: EXEC_VERBS,
}

/** By how much an effect can hurt. */
export const TIERS: Readonly<Record<Effect, 0 | 1 | 2 | 3>> = {
  read: 0,
  login: 0,
  create: 1,
  update: 1,
  write: 1,
  net: 2,
  send: 3,
  pay: 3,
  delete: 3,
  share: 3,
  cred: 3,
  exec: 3,
}

/** Who asks for one of these asks for the effect. */
export const ASKED_BY: Readonly<Record<Effect, readonly EffectClass[]>> = {
  pay: ['pay'],
  send: ['send'],
  create: ['create', 'update', 'send', 'pay'],
  update: ['update', 'create', 'pay'],
  delete: ['delete'],
  share: ['share', 'send'],
  cred: ['cred'],
  net: ['net', 'read', 'send'],
  exec: ['exec'],
  write: ['create', 'update', 'send'],
  login: ['cred', 'net', 'read'],
  read: ['read'],
}

const STEMS = new Map(
  Object.entries(VERBS).map(([name, verbs]) => [name as EffectClass, new Set([...verbs].map(stemOf))]),
)
export const CLASSES = [...STEMS.keys()]

export function isOf(effect: EffectClass, word: string): boolean {
  return VERBS[effect].has(word) || (STEMS.get(effect)?.has(stemOf(word)) ?? false)
}

/** `searchInbox`, `search_inbox` and `mail/search-inbox` are made of the same words. */
export function nameWords(tool: string): readonly string[] {
  return wordsOf(tool.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2'))
}

const isVerb = (word: string) => CLASSES.some((name) => VERBS[name].has(word))
const LOGIN = new Set(['login', 'signin', 'logon'])
const GIVES_ACCESS = new Set(['share', 'grant', 'invite', 'authorize', 'authorise', 'allow', 'permit'])
const IN_ORDER: readonly EffectClass[] = ['send', 'delete', 'pay', 'exec', 'update', 'create']
const DESCRIPTION_WORDS = 12

/** Names of deeds that are as often names of things: there the description decides. */
const AMBIGUOUS = new Set([
  'review',
  'rate',
  'rank',
  'report',
  'check',
  'status',
  'monitor',
  'retrieve',
  'answer',
  'input',
  'type',
])

/** The effect of a tool by its name, or, where that has no verb, by the beginning of its description. */
export function effectOf(tool: readonly string[], description: string, deeds: readonly string[] = []): Effect {
  const byName = effectOfWords(tool)
  const isVague = byName === undefined || byName === 'write' || byName === 'read'
  const byDeed = isVague && deeds.some(isVerb) ? effectOfWords(deeds) : undefined
  if (byDeed !== undefined) return byDeed
  const isSure = byName !== undefined && !(byName === 'read' && tool.some((word) => AMBIGUOUS.has(word)))
  return isSure ? byName : (effectDescribed(description) ?? byName ?? 'write')
}

function effectDescribed(description: string): Effect | undefined {
  return effectOfWords(wordsOf(description).slice(0, DESCRIPTION_WORDS).map(infinitive))
}

/** "Creates", "publishes", "copies", as the lexicon has them. */
function infinitive(word: string): string {
  if (isVerb(word)) return word
  const forms = [word.replace(/s$/, ''), word.replace(/es$/, ''), word.replace(/ies$/, 'y')]
  return forms.find(isVerb) ?? word
}

/** A page is fetched, a file is looked into, and what else is opened was not there before. */
function openedBy(words: readonly string[]): Effect {
  if (words.some((word) => WEB_NOUNS.has(word))) return 'net'
  return words.some((word) => HOLDERS.has(word)) ? 'read' : 'create'
}

/** Mostly the first; `mail_search` and `order.create` say it last. */
function verbOf(words: readonly string[]): string | undefined {
  const first = words.find(isVerb)
  const last = words.at(-1)
  const saysItLast = first !== undefined && NOUN_LIKE.has(first) && last !== undefined && isVerb(last)
  return saysItLast && !NOUN_LIKE.has(last) ? last : first
}

function effectOfWords(words: readonly string[]): Effect | undefined {
  if (words.some((word) => LOGIN.has(word))) return 'login'
  const verb = verbOf(words)
  if (verb === undefined) return undefined
  const only = (name: EffectClass) => VERBS[name].has(verb)
  const onlyReads = only('read') && !CLASSES.some((name) => name !== 'read' && only(name))
  if (onlyReads) return words.some((word) => WEB_NOUNS.has(word)) ? 'net' : 'read'
  if (verb === 'open') return openedBy(words)
  if (only('net')) return 'net'
  if (words.some((word) => CREDENTIALS_NOUNS.has(word))) return 'cred'
  if (words.some((word) => MONEY_NOUNS.has(word))) return words.includes('total') ? 'read' : 'pay'
  if (GIVES_ACCESS.has(words[0] ?? '')) return 'share'
  if (verb === 'write') return 'write'
  return IN_ORDER.find(only) ?? (only('read') ? 'read' : 'write')
}
