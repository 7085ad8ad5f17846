import type { Exchange } from '../../core/exchange.ts'
import type { AnswerReader } from '../../core/plugin.ts'
import type { Lesson } from '../../core/session.ts'
import { isObject } from '../../json/rpc.ts'
import { readLessons } from '../kit/lesson-reader.ts'
import { taskNote } from './notes.ts'
import type { Sent } from './request.ts'

type Members = Readonly<Record<string, unknown>>

const UNSEEN: Lesson = { kind: 'unseen-result' }

/** Reads the answer to one call: the result of a tool, and the name of the task that a call started. */
export function createAnswerReader(x: Exchange, sent: Sent): AnswerReader {
  const id: unknown = JSON.parse(sent.idToken)
  let answered = false
  let failed: boolean | undefined
  return readLessons(x, {
    hear(message) {
      // A stream brings the server's own messages too.
      if (!isObject(message) || message['id'] !== id || 'method' in message) return []
      const { result } = message
      answered = true
      failed = !isObject(result) || result['isError'] === true
      return isObject(result) ? lessonsOf(x, sent, result) : []
    },
    // It comes another way, or was cut, or is in no form that is read here.
    rest: () => (answered || !isSuccess(x) ? [] : [UNSEEN]),
    get details() {
      return failed === undefined ? {} : { failed }
    },
  })
}

function isSuccess({ answer }: Exchange): boolean {
  return answer !== undefined && answer.status >= 200 && answer.status <= 299
}

function lessonsOf(x: Exchange, sent: Sent, result: Members): readonly Lesson[] {
  const taskId = sent.startsTask ? startedTask(result) : undefined
  const text = textOf(result)
  return [
    ...(taskId === undefined ? [] : [{ kind: 'note', key: taskNote(x, taskId), judged: true } as const]),
    ...(text === '' ? [] : [{ kind: 'tool-result', tool: sent.tool, args: sent.args, text } as const]),
    ...(showsMore(result) ? [UNSEEN] : []),
  ]
}

const TASK_ID_CHARACTERS = 256

/** The task is a member of the result, or the result is the task. */
function startedTask(result: Members): string | undefined {
  const task = isObject(result['task']) ? result['task'] : result['resultType'] === 'task' ? result : {}
  const { taskId } = task
  return typeof taskId === 'string' && taskId.length <= TASK_ID_CHARACTERS ? taskId : undefined
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** All text of a result: of a tool, a resource, a prompt, or of the result that a finished task holds. */
function textOf(result: Members): string {
  const inner = result['result']
  const messages = list(result['messages']).map((message) => (isObject(message) ? message['content'] : undefined))
  const blocks = [...list(result['content']), ...list(result['contents']), ...messages]
  const texts = blocks.map(blockText).filter((text) => text !== '')
  if (texts.length > 0) return texts.join('\n')
  if (result['structuredContent'] !== undefined) return JSON.stringify(result['structuredContent'])
  return isObject(inner) ? blocksOf(inner) : ''
}

const WITHOUT_WORDS: ReadonlySet<unknown> = new Set(['image', 'audio', 'resource_link'])

/** Pictures, sounds, files and links hold words that are not read here. */
function showsMore(result: Members): boolean {
  const inner = isObject(result['result']) ? result['result'] : {}
  const blocks = [result['content'], result['contents'], inner['content']].flatMap(list)
  return blocks.some((block) => {
    if (!isObject(block)) return false
    const resource = isObject(block['resource']) ? block['resource'] : block
    return WITHOUT_WORDS.has(block['type']) || typeof resource['blob'] === 'string'
  })
}

/** One level of a held result is enough: results do not hold results of results. */
function blocksOf(result: Members): string {
  return list(result['content'])
    .map(blockText)
    .filter((text) => text !== '')
    .join('\n')
}

function blockText(block: unknown): string {
  if (!isObject(block)) return ''
  if (typeof block['text'] === 'string') return block['text']
  const { resource } = block
  return isObject(resource) && typeof resource['text'] === 'string' ? resource['text'] : ''
}
