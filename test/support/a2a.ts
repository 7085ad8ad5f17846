import { a2aSend } from './messages.ts'

export interface Names {
  readonly contextId?: string
  readonly taskId?: string
}

/** A user's message, to be answered with an event stream. */
export function a2aStream(text: string, names: Names = {}): string {
  return a2aSend(text, names).replace('"message/send"', '"message/stream"')
}

/** A client asks how a task goes. */
export function a2aPoll(taskId: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 'p-1', method: 'tasks/get', params: { id: taskId } })
}

/** A task as an agent answers with it. */
export function a2aTask(names: Required<Names>, state: string, text?: string): Readonly<Record<string, unknown>> {
  const message = { role: 'agent', kind: 'message', messageId: 'm-3', parts: [{ kind: 'text', text }] }
  const status = text === undefined ? { state } : { state, message }
  return { kind: 'task', id: names.taskId, contextId: names.contextId, status }
}

export function a2aResult(result: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 'u-1', result })
}

/** The events of a task that says `words`, one by one, and is done. */
export function a2aEvents(names: Required<Names>, words: readonly string[]): readonly string[] {
  const about = { contextId: names.contextId, taskId: names.taskId }
  const artifact = (text: string) => ({ artifactId: 'a-1', parts: [{ kind: 'text', text }] })
  return [
    a2aTask(names, 'submitted'),
    ...words.map((word, i) => ({ kind: 'artifact-update', ...about, append: i > 0, artifact: artifact(word) })),
    { kind: 'status-update', ...about, final: true, status: { state: 'completed' } },
  ].map((result) => `data: ${a2aResult(result)}\n\n`)
}
