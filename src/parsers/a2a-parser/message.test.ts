import { describe, expect, test } from 'vitest'
import { readMessage, type Message } from './message.ts'

const nobody = { contextId: undefined, taskId: undefined }

describe('messages of every version', () => {
  test.each<[string, unknown, Message]>([
    [
      '0.1',
      { role: 'user', parts: [{ type: 'text', text: 'book it' }] },
      { role: 'user', text: 'book it', parts: ['text'], ...nobody },
    ],
    [
      '0.2 and 0.3, with every kind of part',
      {
        kind: 'message',
        role: 'user',
        messageId: 'm1',
        contextId: 'c7',
        taskId: 't3',
        parts: [
          { kind: 'text', text: 'book it' },
          { kind: 'file', file: { uri: 'https://x.test/y.pdf' } },
          { kind: 'data', data: { text: 'no words of the user' } },
          { kind: 'text', text: 'today' },
        ],
      },
      { role: 'user', text: 'book it\ntoday', parts: ['text', 'file', 'data'], contextId: 'c7', taskId: 't3' },
    ],
    [
      '0.3 over HTTP: content instead of parts',
      { messageId: 'm1', role: 'ROLE_USER', content: [{ text: 'book it' }] },
      { role: 'user', text: 'book it', parts: ['text'], ...nobody },
    ],
    [
      '1.0, with every kind of part',
      {
        messageId: 'm1',
        role: 'ROLE_USER',
        contextId: 'c7',
        parts: [{ text: 'book it' }, { url: 'https://x.test/y.pdf' }, { raw: 'aGk=' }, { data: { n: 1 } }],
      },
      { role: 'user', text: 'book it', parts: ['text', 'file', 'data'], contextId: 'c7', taskId: undefined },
    ],
    [
      'snake case, the number of the role, and a null beside data',
      { message_id: 'm', role: 1, context_id: 'c', task_id: 't', parts: [{ text: null, data: {} }, { text: 'go' }] },
      { role: 'user', text: 'go', parts: ['data', 'text'], contextId: 'c', taskId: 't' },
    ],
    ['an agent', { role: 'agent', parts: [{ text: 'x' }] }, { role: 'agent', text: 'x', parts: ['text'], ...nobody }],
    ['an agent of 1.0', { role: 'ROLE_AGENT', parts: [] }, { role: 'agent', text: '', parts: [], ...nobody }],
    ['no role', { parts: [{ text: 'x' }] }, { role: 'other', text: 'x', parts: ['text'], ...nobody }],
    ['a made-up role', { role: 'User', parts: [] }, { role: 'other', text: '', parts: [], ...nobody }],
    [
      'empty names are none',
      { role: 'user', contextId: '', taskId: '' },
      { role: 'user', text: '', parts: [], ...nobody },
    ],
  ])('%s', (_, value, message) => {
    expect(readMessage(value)).toEqual({ ok: true, value: message })
  })

  test.each<[string, unknown]>([
    ['no object', 'hello'],
    ['parts and content', { role: 'user', parts: [], content: [] }],
    ['two spellings of the context', { role: 'user', contextId: 'a', context_id: 'b' }],
    ['a context that is a number', { role: 'user', contextId: 5 }],
    ['a task that is an object', { role: 'user', taskId: {} }],
    ['parts that are no list', { role: 'user', parts: { text: 'x' } }],
    ['a part that is no object', { role: 'user', parts: ['x'] }],
    ['a text that is a number', { role: 'user', parts: [{ text: 5 }] }],
    ['a part that is text by its member and data by its tag', { role: 'user', parts: [{ kind: 'data', text: 'x' }] }],
    ['a part that has text and data', { role: 'user', parts: [{ text: 'x', data: {} }] }],
    ['a part with two tags', { role: 'user', parts: [{ kind: 'text', type: 'file', text: 'x' }] }],
    ['a part that spells text in capitals', { role: 'user', parts: [{ Text: 'x' }] }],
  ])('unreadable: %s', (_, value) => {
    expect(readMessage(value).ok).toBe(false)
  })
})
