import { describe, expect, test } from 'vitest'
import { answered, exchangeOf, type Given } from '../../../test/support/parsers/exchange.ts'
import { createInferenceParser } from './index.ts'

const parser = createInferenceParser(['model.test'])

function read(body: unknown, given: Given = { path: '/v1/completions' }) {
  const { x, body: bytes } = exchangeOf({ ...given, body })
  return { x, result: parser.read(x, bytes) }
}

describe('a legacy completion', () => {
  test.each<[string, unknown, readonly string[]]>([
    ['a text', 'Pay', ['Pay']],
    ['texts', ['Pay', '', 'Log'], ['Pay', 'Log']],
  ])('its prompt is what the user says: %s', (_, prompt, texts) => {
    const { result } = read({ model: 'm', prompt })
    expect(result).toMatchObject({
      kind: 'read',
      actions: [{ kind: 'inference', model: 'm', firstUserText: texts[0] }],
      lessons: [{ kind: 'inference', messages: texts.map((text) => ({ role: 'user', text })), tools: [] }],
      details: { dialect: 'completions' },
    })
    expect(result).not.toHaveProperty('proposes')
  })

  test('of tokens nothing is known, and nothing is taught', () => {
    expect(read({ model: 'm', prompt: [1, 2] }).result).toMatchObject({ actions: [{ firstUserText: '' }], lessons: [] })
  })

  test.each<[string, string, object, string]>([
    ['by path', '/completions', { prompt: 'p' }, 'completions'],
    ['by members', '/x', { model: 'm', prompt: 'p' }, 'completions'],
    ['a conversation on its path', '/v1/completions', { model: 'm', messages: [], prompt: 'p' }, 'chat'],
    ['the path of chat', '/v1/chat/completions', { model: 'm', prompt: 'p' }, 'chat'],
    ['a prompt that the provider keeps', '/x', { model: 'm', prompt: { id: 'p' } }, 'prompted'],
    ['an input as well', '/x', { model: 'm', prompt: 'p', input: 'i' }, 'prompted'],
  ])('which dialect it is: %s', (_, path, body, dialect) => {
    expect(read(body, { path }).result).toMatchObject({ details: { dialect } })
  })

  test.each([
    ['application/json', '{"choices":[{"index":1,"text":"b"},{"index":0,"text":"a"}],"usage":{"total_tokens":2}}'],
    [
      'text/event-stream',
      'data: {"choices":[{"index":0,"text":"a"}]}\n\ndata: {"choices":[{"index":1,"text":"b"}]}\n\n' +
        'data: {"choices":[],"usage":{"total_tokens":2}}\n\ndata: [DONE]\n\n',
    ],
  ])('its answer as %s', (type, answer) => {
    const { x, result } = read({ model: 'm', prompt: 'p' })
    const reader = parser.readAnswer(answered(x, type), result.kind === 'read' ? result : undefined)
    const passing = reader?.feed(new TextEncoder().encode(answer)) ?? []
    expect([...passing, ...(reader?.end('complete').lessons ?? [])]).toEqual([
      { kind: 'completion', text: 'a', calls: [], usage: { total_tokens: 2 } },
      { kind: 'completion', text: 'b', calls: [], usage: undefined },
    ])
  })
})
