import type { Lesson, SessionHint } from '../../core/session.ts'
import { isObject } from '../../json/rpc.ts'
import type { Hearing } from '../kit/lesson-reader.ts'
import { readMembers } from './members.ts'
import { namesOf, readMessage, readParts } from './message.ts'

/** One thing that an answer says, whichever version said it. */
interface Saying {
  readonly names: SessionHint
  /** Words of a message. */
  readonly words: string
  /** Words of an artifact; `append`: they go on where the last ones of that artifact ended. */
  readonly artifacts: readonly { readonly text: string; readonly append: boolean }[]
  readonly asks: boolean
  /** Nothing more follows for the user's last message, or not before the user speaks again. */
  readonly settled: boolean
}

/** Collects what the agent says in one answer: the names that it gives to the conversation at once, and its words. */
export function createListener(): Hearing {
  const named = new Set<string>()
  let names: SessionHint = {}
  let words: string[] = []
  let work: string[] = []
  let asked = false

  function settle(): readonly Lesson[] {
    const text = [...words, ...work].join('\n')
    if (text === '' && !asked) return []
    const asks = asked || isQuestion(words.at(-1)) || isQuestion(work.at(-1))
    words = []
    work = []
    asked = false
    return [{ kind: 'agent-message', text, asks, ...names }]
  }

  return {
    hear(value) {
      const saying = readSaying(unwrap(value))
      if (saying === undefined) return []
      const lessons: Lesson[] = []
      const key = JSON.stringify([saying.names.contextId, saying.names.taskId])
      if (Object.keys(saying.names).length > 0) {
        names = { ...names, ...saying.names }
        if (!named.has(key)) lessons.push({ kind: 'alias', ...saying.names })
        named.add(key)
      }
      if (saying.words !== '') words.push(saying.words)
      for (const { text, append } of saying.artifacts) {
        if (append) work.push((work.pop() ?? '') + text)
        else if (text !== '') work.push(text)
      }
      asked ||= saying.asks
      return saying.settled ? [...lessons, ...settle()] : lessons
    },
    rest: settle,
    details: {},
  }
}

/** A question mark at the end, be it followed by quotes, brackets, emphasis or an emoji's variation mark. */
function isQuestion(text: string | undefined): boolean {
  return text !== undefined && /[?\uff1f\u061f\u037e][\s"'\u2019\u201d)\]*_`~\ufe0f]*$/.test(text)
}

/** Takes off the JSON-RPC response, and the member of 1.0 that says what kind of thing it holds. */
function unwrap(value: unknown): unknown {
  const bare = isObject(value) && 'jsonrpc' in value ? value['result'] : value
  if (!isObject(bare)) return bare
  const members = readMembers(bare, ['task', 'message', 'msg', 'statusUpdate', 'artifactUpdate'])
  const [wrapped, ...others] = members.ok && !('kind' in bare) ? [...members.of.values()] : []
  return wrapped === undefined || others.length > 0 ? bare : wrapped
}

const ASKING: ReadonlySet<unknown> = new Set(['input-required', 'TASK_STATE_INPUT_REQUIRED', 6])
const ENDED: ReadonlySet<unknown> = new Set([
  ...['completed', 'canceled', 'cancelled', 'failed', 'rejected', 'auth-required'],
  ...['COMPLETED', 'CANCELED', 'CANCELLED', 'FAILED', 'REJECTED', 'AUTH_REQUIRED'].map((s) => `TASK_STATE_${s}`),
])

const KNOWN = [
  ...['kind', 'id', 'contextId', 'sessionId', 'taskId', 'status', 'final', 'artifact', 'artifacts', 'append'],
  ...['role', 'parts', 'content'],
]

/** A task, a message, or an update of either; undefined for anything else. */
function readSaying(value: unknown): Saying | undefined {
  if (!isObject(value)) return undefined
  const members = readMembers(value, KNOWN)
  if (!members.ok) return undefined
  const { of } = members
  if (of.has('status')) return readStatus(of)
  if (of.has('artifact')) {
    const artifacts = [{ text: artifactText(of.get('artifact')), append: of.get('append') === true }]
    return { names: namesIn(of), words: '', artifacts, asks: false, settled: false }
  }
  if (of.has('parts') || of.has('content')) {
    return { names: namesIn(of), words: agentWords(value), artifacts: [], asks: false, settled: true }
  }
  return undefined
}

function readStatus(of: ReadonlyMap<string, unknown>): Saying {
  const status = of.get('status')
  const inside = isObject(status) ? readMembers(status, ['state', 'message', 'update']) : undefined
  const state = inside?.ok === true ? inside.of.get('state') : undefined
  const message = inside?.ok === true ? (inside.of.get('message') ?? inside.of.get('update')) : undefined
  const artifacts = of.get('artifacts')
  const asks = ASKING.has(state)
  return {
    names: namesIn(of),
    words: agentWords(message),
    artifacts: (Array.isArray(artifacts) ? (artifacts as readonly unknown[]) : []).map((artifact) => ({
      text: artifactText(artifact),
      append: false,
    })),
    asks,
    settled: asks || ENDED.has(state) || of.get('final') === true,
  }
}

/** A task names itself by `id`; what is about a task, by `taskId`; 0.1 calls the conversation `sessionId`. */
function namesIn(of: ReadonlyMap<string, unknown>): SessionHint {
  const name = (key: string): string | undefined => {
    const value = of.get(key)
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  return namesOf(name('contextId') ?? name('sessionId'), name('taskId') ?? name('id'))
}

/** An answer may repeat the user's message; those words are not the agent's. */
function agentWords(value: unknown): string {
  const message = value === undefined ? undefined : readMessage(value)
  return message?.ok === true && message.value.role !== 'user' ? message.value.text : ''
}

function artifactText(value: unknown): string {
  if (!isObject(value)) return ''
  const parts = readParts(value['parts'] ?? [])
  return parts.ok ? parts.value.text : ''
}
