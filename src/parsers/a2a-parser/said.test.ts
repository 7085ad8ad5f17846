import { describe, expect, test } from 'vitest'
import type { Lesson } from '../../core/session.ts'
import { createListener } from './said.ts'

function heard(...values: readonly unknown[]): readonly Lesson[] {
  const listener = createListener()
  return [...values.flatMap((value) => listener.hear(value)), ...listener.rest()]
}

const rpc = (result: unknown): unknown => ({ jsonrpc: '2.0', id: 1, result })
const names = { contextId: 'c7', taskId: 't3' }
const alias = { kind: 'alias', ...names }
const said = (text: string, asks: boolean) => ({ kind: 'agent-message', text, asks, ...names })
const words = (text: string) => ({ role: 'agent', parts: [{ kind: 'text', text }] })

describe('what an answer teaches', () => {
  test.each<[string, unknown, readonly unknown[]]>([
    [
      'a task of 0.3 that waits for the user',
      rpc({
        kind: 'task',
        id: 't3',
        contextId: 'c7',
        status: { state: 'input-required', message: words('Which date') },
      }),
      [alias, said('Which date', true)],
    ],
    [
      'a task of 1.0, wrapped',
      rpc({
        task: {
          ...{ id: 't3', contextId: 'c7' },
          status: {
            state: 'TASK_STATE_INPUT_REQUIRED',
            message: { role: 'ROLE_AGENT', parts: [{ text: 'Which date' }] },
          },
        },
      }),
      [alias, said('Which date', true)],
    ],
    [
      'a task of 0.1',
      rpc({
        id: 't3',
        sessionId: 'c7',
        status: { state: 'completed' },
        artifacts: [{ parts: [{ type: 'text', text: 'Done.' }] }],
      }),
      [alias, said('Done.', false)],
    ],
    [
      'a message of 0.3 that ends in a question',
      rpc({ kind: 'message', messageId: 'm', ...names, ...words('Shall I?  ') }),
      [alias, said('Shall I?  ', true)],
    ],
    [
      'a message over HTTP, in 1.0 and bare',
      { message: { messageId: 'm', role: 'ROLE_AGENT', ...names, parts: [{ text: 'Done.' }] } },
      [alias, said('Done.', false)],
    ],
    [
      'over HTTP in 0.3, with content',
      { msg: { messageId: 'm', role: 'ROLE_AGENT', ...names, content: [{ text: 'Done.' }] } },
      [alias, said('Done.', false)],
    ],
    ['names without words', rpc({ kind: 'task', id: 't3', contextId: 'c7', status: { state: 'working' } }), [alias]],
    [
      'words of the user that an answer repeats are not the agent\u2019s',
      rpc({ kind: 'message', role: 'user', ...names, parts: [{ kind: 'text', text: 'book it' }] }),
      [alias],
    ],
    ['an error', { jsonrpc: '2.0', id: 1, error: { code: -32001, message: 'gone?' } }, []],
    ['a list of tasks', rpc({ tasks: [{ id: 't3', contextId: 'c7', status: { state: 'completed' } }] }), []],
    ['anything else', 'x', []],
  ])('%s', (_, value, lessons) => {
    expect(heard(value)).toEqual(lessons)
  })

  test.each<[string, boolean]>([
    ['Really?', true],
    ['**Really?**', true],
    ['(\u201cReally?\u201d)\n', true],
    ['\u672c\u5f53\uff1f', true],
    ['Really? Yes.', false],
    ['', false],
  ])('%j asks: %s', (text, asks) => {
    expect(heard({ role: 'agent', ...names, parts: [{ text }] })).toEqual(
      text === '' ? [alias] : [alias, said(text, asks)],
    )
  })
})

describe('a stream', () => {
  const update = (state: string, text?: string) =>
    rpc({ kind: 'status-update', ...names, status: { state, ...(text === undefined ? {} : { message: words(text) }) } })
  const chunk = (text: string, append: boolean) =>
    rpc({ artifactUpdate: { ...names, append, artifact: { artifactId: 'a', parts: [{ text }] } } })

  test('names are told with the first event, words when the agent stops speaking', () => {
    const listener = createListener()
    expect(listener.hear(update('submitted'))).toEqual([alias])
    expect(listener.hear(update('working', 'Looking.'))).toEqual([])
    expect(listener.hear(chunk('Your ma', false))).toEqual([])
    expect(listener.hear(chunk('il.', true))).toEqual([])
    expect(listener.hear(update('completed', 'Done.'))).toEqual([said('Looking.\nDone.\nYour mail.', false)])
    expect(listener.rest()).toEqual([])
  })

  test('a question is told at once: the user may answer before the stream ends', () => {
    const listener = createListener()
    listener.hear(update('submitted'))
    expect(listener.hear(update('input-required', 'Which date'))).toEqual([said('Which date', true)])
  })

  test('a stream that is cut has told its names, and tells the words that it has', () => {
    const listener = createListener()
    expect(listener.hear(update('working', 'Looking.'))).toEqual([alias])
    expect(listener.rest()).toEqual([said('Looking.', false)])
  })

  test('a second name is one more alias', () => {
    const other = { ...names, contextId: 'c8' }
    expect(heard(update('working'), rpc({ kind: 'status-update', ...other, status: {} }))).toEqual([
      alias,
      { kind: 'alias', ...other },
    ])
  })
})
