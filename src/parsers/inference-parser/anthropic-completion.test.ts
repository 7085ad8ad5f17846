import { describe, expect, test } from 'vitest'
import { createAnthropicCompletion } from './anthropic-completion.ts'

function taken(...values: readonly unknown[]) {
  const completion = createAnthropicCompletion()
  const told = values.flatMap((value) => completion.hear(value))
  return { told, rest: completion.rest(), details: completion.details }
}

const call = (id: string | undefined, tool: string, argumentsText: string) => ({ id, tool, argumentsText })
const lesson = (text: string, calls: readonly unknown[] = [], usage?: unknown) => ({
  kind: 'completion',
  text,
  calls,
  usage,
})
const message = (...content: readonly unknown[]) => ({ type: 'message', role: 'assistant', content })
const text = (words: string) => ({ type: 'text', text: words })
const pay = (input: unknown) => ({ type: 'tool_use', id: 'u1', name: 'pay', input })
const start = { type: 'message_start', message: { content: [], usage: { input_tokens: 3, output_tokens: 1 } } }
const stop = { type: 'message_stop' }
const begins = (index: number, content_block: unknown) => ({ type: 'content_block_start', index, content_block })
const delta = (index: number, value: unknown) => ({ type: 'content_block_delta', index, delta: value })
const words = (index: number, piece: string) => delta(index, { type: 'text_delta', text: piece })
const json = (index: number, partial_json: string) => delta(index, { type: 'input_json_delta', partial_json })

describe('a whole answer', () => {
  test.each<[string, unknown, readonly unknown[]]>([
    ['text', message(text('Hi')), [lesson('Hi')]],
    ['text in blocks', message(text('H'), { type: 'thinking', thinking: 'x' }, text('i')), [lesson('Hi')]],
    [
      'calls',
      message(pay({ amt: 9 }), pay({})),
      [lesson('', [call('u1', 'pay', '{"amt":9}'), call('u1', 'pay', '{}')])],
    ],
    ['what the provider ran itself is no proposal', message({ ...pay({}), type: 'server_tool_use' }), [lesson('')]],
    ['usage', { ...message(), usage: { output_tokens: 2, cache: {} } }, [lesson('', [], { output_tokens: 2 })]],
    ['an error', { type: 'error', error: { type: 'overloaded_error' } }, []],
    ['anything', [1], []],
    [
      'what does not fit',
      { type: 'message', content: [5, {}, { type: 'tool_use' }], usage: 5 },
      [lesson('', [call(undefined, '', '')])],
    ],
  ])('%s', (_, value, lessons) => {
    expect(taken(value)).toMatchObject({ told: [], rest: lessons })
  })

  test('the record names tools and errors', () => {
    expect(taken(message(pay({})), { type: 'error', error: {} }).details).toEqual({
      messages: 1,
      tools: ['pay'],
      error: true,
    })
  })
})

describe('a stream', () => {
  // req: sparc:parsers:proposed_in_completion
  test('is told when the message stops, with the usage of both its ends', () => {
    const { told, rest } = taken(
      start,
      { type: 'ping' },
      begins(0, text('')),
      words(0, 'Pay'),
      words(0, 'ing.'),
      { type: 'content_block_stop', index: 0 },
      begins(1, pay({})),
      json(1, ''),
      json(1, '{"amt"'),
      json(1, ':9}'),
      { type: 'content_block_stop', index: 1 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
      stop,
    )
    expect(told).toEqual([lesson('Paying.', [call('u1', 'pay', '{"amt":9}')], { input_tokens: 3, output_tokens: 9 })])
    expect(rest).toEqual([])
  })

  test.each<[string, readonly unknown[], readonly unknown[]]>([
    ['the input with its start', [start, begins(0, pay({ amt: 9 })), stop], [call('u1', 'pay', '{"amt":9}')]],
    ['no input at all', [start, begins(0, pay({})), stop], [call('u1', 'pay', '{}')]],
    ['no start of the message', [begins(0, pay({})), stop], [call('u1', 'pay', '{}')]],
    [
      'blocks in turns',
      [start, begins(0, pay({})), begins(1, { ...pay({}), id: 'u2' }), json(1, '[1]'), json(0, '[0]'), stop],
      [call('u1', 'pay', '[0]'), call('u2', 'pay', '[1]')],
    ],
    ['a fragment of nothing', [start, json(7, '{}'), stop], []],
    ['what does not fit', [start, begins(0, 5), delta(0, 5), { type: 'content_block_delta' }, { type: 5 }, stop], []],
  ])('%s', (_, events, calls) => {
    expect(taken(...events).told).toMatchObject([{ kind: 'completion', calls }])
  })

  test('that breaks off teaches what was heard', () => {
    expect(taken(start, begins(0, text('')), words(0, 'Pay')).rest).toMatchObject([{ text: 'Pay' }])
    expect(taken(start, begins(0, pay({})), json(0, '{"am')).rest).toMatchObject([
      { calls: [{ argumentsText: '{"am' }] },
    ])
  })

  test('nested deeper than can be written again', () => {
    const depth = 200_000
    const input: unknown = JSON.parse('['.repeat(depth) + ']'.repeat(depth))
    expect(taken(message(pay(input))).rest).toEqual([lesson('', [call('u1', 'pay', '')])])
  })
})
