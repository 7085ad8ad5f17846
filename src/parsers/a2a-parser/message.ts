import type { SessionHint } from '../../core/session.ts'
import { isObject } from '../../json/rpc.ts'
import { readMembers } from './members.ts'

/** Who wrote a message. `other`: a role that no version of the protocol has; its words are nobody's intent. */
export type Role = 'user' | 'agent' | 'other'

export interface Message {
  readonly role: Role
  /** The text parts, joined by line breaks. Files and data are not words. */
  readonly text: string
  /** What kinds of parts there are, each once. */
  readonly parts: readonly string[]
  readonly contextId: string | undefined
  readonly taskId: string | undefined
}

export type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string }

const ROLES: ReadonlyMap<unknown, Role> = new Map<unknown, Role>([
  ['user', 'user'],
  ['ROLE_USER', 'user'],
  [1, 'user'],
  ['agent', 'agent'],
  ['ROLE_AGENT', 'agent'],
  [2, 'agent'],
])

/** A name of a conversation or task. An empty one is none, as in ProtoJSON. */
export function readName(value: unknown, what: string): Read<string | undefined> {
  if (value === undefined || value === '') return { ok: true, value: undefined }
  return typeof value === 'string' ? { ok: true, value } : { ok: false, why: `${what} is no text` }
}

export function namesOf(contextId: string | undefined, taskId: string | undefined): SessionHint {
  return { ...(contextId === undefined ? {} : { contextId }), ...(taskId === undefined ? {} : { taskId }) }
}

/** All versions: parts are in `parts`, or in `content` as the HTTP binding of 0.3 has it. */
export function readMessage(value: unknown): Read<Message> {
  if (!isObject(value)) return { ok: false, why: 'the message is no object' }
  const members = readMembers(value, ['role', 'parts', 'content', 'contextId', 'taskId'])
  if (!members.ok) return members
  const { of } = members
  if (of.has('parts') && of.has('content')) return { ok: false, why: 'a message has both parts and content' }
  const contextId = readName(of.get('contextId'), 'contextId')
  if (!contextId.ok) return contextId
  const taskId = readName(of.get('taskId'), 'taskId')
  if (!taskId.ok) return taskId
  const parts = readParts(of.get('parts') ?? of.get('content') ?? [])
  if (!parts.ok) return parts
  return {
    ok: true,
    value: {
      role: ROLES.get(of.get('role')) ?? 'other',
      text: parts.value.text,
      parts: parts.value.kinds,
      contextId: contextId.value,
      taskId: taskId.value,
    },
  }
}

export function readParts(value: unknown): Read<{ readonly text: string; readonly kinds: readonly string[] }> {
  if (!Array.isArray(value)) return { ok: false, why: 'the parts are no list' }
  const texts: string[] = []
  const kinds = new Set<string>()
  for (const each of value as readonly unknown[]) {
    const part = readPart(each)
    if (!part.ok) return part
    kinds.add(part.value.kind)
    if (part.value.text !== undefined) texts.push(part.value.text)
  }
  return { ok: true, value: { text: texts.join('\n'), kinds: [...kinds] } }
}

interface Part {
  readonly kind: 'text' | 'data' | 'file' | 'other'
  readonly text?: string
}

const FILE_MEMBERS = ['file', 'raw', 'url'] as const

/**
 * A part says what it is by a tag (`kind`; in 0.1 `type`) or, since 1.0, by the member that it has. A part that is
 * text by one reading and something else by another is unreadable.
 */
function readPart(value: unknown): Read<Part> {
  if (!isObject(value)) return { ok: false, why: 'a part is no object' }
  const members = readMembers(value, ['kind', 'type', 'text', 'data', ...FILE_MEMBERS])
  if (!members.ok) return members
  const { of } = members
  const text = of.get('text')
  const tags = [of.get('kind'), of.get('type')].filter((tag) => tag !== undefined)
  if (text === undefined) {
    if (tags.includes('data') || of.has('data')) return { ok: true, value: { kind: 'data' } }
    const file = tags.includes('file') || FILE_MEMBERS.some((name) => of.has(name))
    return { ok: true, value: { kind: file ? 'file' : 'other' } }
  }
  if (typeof text !== 'string') return { ok: false, why: 'the text of a part is no text' }
  const alsoElse = of.has('data') || FILE_MEMBERS.some((name) => of.has(name))
  if (alsoElse || tags.some((tag) => tag !== 'text')) return { ok: false, why: 'a part is text and something else' }
  return { ok: true, value: { kind: 'text', text } }
}
