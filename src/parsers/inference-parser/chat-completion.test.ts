import { describe, expect, test } from 'vitest'
import { createChatCompletion } from './chat-completion.ts'

function taken(...values: readonly unknown[]) {
  const completion = createChatCompletion()
  for (const value of values) completion.hear(value)
  return { lessons: completion.rest(), details: completion.details }
}

const call = (id: string | undefined, tool: string, argumentsText: string) => ({ id, tool, argumentsText })
const completion = (text: string, calls: readonly unknown[] = [], usage?: unknown) => ({
  kind: 'completion',
  text,
  calls,
  usage,
})
const delta = (value: unknown, index?: number) => ({
  choices: [{ ...(index === undefined ? {} : { index }), delta: value }],
})
const fragments = (...tool_calls: readonly unknown[]) => delta({ tool_calls }, 0)

describe('a whole answer', () => {
  test.each<[string, unknown, readonly unknown[]]>([
    [
      'text',
      {
        choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' } }],
        usage: { total_tokens: 2, details: {} },
      },
      [completion('Hi', [], { total_tokens: 2 })],
    ],
    [
      'text in parts',
      { choices: [{ message: { content: [{ type: 'text', text: 'H' }, { text: 'i' }] } }] },
      [completion('Hi')],
    ],
    ['a refusal', { choices: [{ message: { content: null, refusal: 'No.' } }] }, [completion('No.')]],
    [
      'calls of every kind',
      {
        choices: [
          {
            finish_reason: 'stop',
            message: {
              content: null,
              tool_calls: [
                { id: 'k1', type: 'function', function: { name: 'pay', arguments: '{"amt":9}' } },
                { id: 'k2', type: 'custom', custom: { name: 'sh', input: 'ls' } },
              ],
              function_call: { name: 'log', arguments: '{}' },
            },
          },
        ],
      },
      [completion('', [call('k1', 'pay', '{"amt":9}'), call('k2', 'sh', 'ls'), call(undefined, 'log', '{}')])],
    ],
    [
      'every choice, in the order of its index',
      {
        choices: [
          { index: 1, message: { content: 'b' } },
          { index: 0, message: { tool_calls: [{ function: { name: 'pay', arguments: '' } }] } },
        ],
      },
      [completion('', [call(undefined, 'pay', '')]), completion('b')],
    ],
    [
      'choices without an index',
      { choices: [{ message: { content: 'a' } }, { message: { content: 'b' } }] },
      [completion('a'), completion('b')],
    ],
    ['an error', { error: { message: 'no' } }, []],
    ['anything', [1], []],
    [
      'what does not fit',
      { choices: [5, { message: 5 }, { message: { tool_calls: [5, {}] } }], usage: 5 },
      [completion(''), completion('', [call(undefined, '', '')])],
    ],
  ])('%s', (_, value, lessons) => {
    expect(taken(value).lessons).toEqual(lessons)
  })

  test('the record names tools and counts choices', () => {
    const value = {
      choices: [{ message: { tool_calls: [{ function: { name: 'pay', arguments: 'secret' } }] } }],
      error: {},
    }
    expect(taken(value).details).toEqual({ choices: 1, tools: ['pay'], error: true })
  })
})

describe('a hostile answer', () => {
  test('nested deeper than can be written again', () => {
    const depth = 200_000
    const args: unknown = JSON.parse('['.repeat(depth) + ']'.repeat(depth))
    const value = { choices: [{ message: { tool_calls: [{ function: { name: 'pay', arguments: args } }] } }] }
    expect(taken(value).lessons).toEqual([completion('', [call(undefined, 'pay', '')])])
  })

  test('more tools than a record has room for', () => {
    const tool_calls = Array.from({ length: 100 }, (_, n) => ({ function: { name: `${n}-${'x'.repeat(500)}` } }))
    const { details } = taken({ choices: [{ message: { tool_calls } }] })
    expect(JSON.stringify(details).length).toBeLessThan(5000)
  })
})

describe('a stream', () => {
  test.each<[string, readonly unknown[], readonly unknown[]]>([
    [
      'a call in fragments, then another, then the usage',
      [
        fragments({ index: 0, id: 'k1', type: 'function', function: { name: 'pay', arguments: '' } }),
        fragments({ index: 0, function: { arguments: '{"am' } }),
        fragments(
          { index: 0, function: { arguments: 't":9}' } },
          { index: 1, id: 'k2', function: { name: 'log', arguments: '{}' } },
        ),
        { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
        { choices: [], usage: { total_tokens: 10 } },
      ],
      [completion('', [call('k1', 'pay', '{"amt":9}'), call('k2', 'log', '{}')], { total_tokens: 10 })],
    ],
    [
      'two choices, interleaved',
      [delta({ content: 'a' }, 0), delta({ content: 'x' }, 1), delta({ content: 'b' }, 0), delta({ refusal: 'y' }, 1)],
      [completion('ab'), completion('xy')],
    ],
    ['no index of the choice', [delta({ content: 'a' }), delta({ content: 'b' })], [completion('ab')]],
    [
      'no index of the call',
      [
        fragments({ id: 'k1', function: { name: 'pay', arguments: '{' } }),
        fragments({ function: { arguments: '}' } }),
        fragments({ id: 'k2', function: { name: 'log', arguments: '{}' } }),
      ],
      [completion('', [call('k1', 'pay', '{}'), call('k2', 'log', '{}')])],
    ],
    [
      'no index, and fragments that say their id',
      [
        fragments({ id: 'k1', function: { name: 'pay' } }, { id: 'k2', function: { name: 'log' } }),
        fragments({ id: 'k1', function: { arguments: '1' } }, { id: 'k2', function: { arguments: '2' } }),
      ],
      [completion('', [call('k1', 'pay', '1'), call('k2', 'log', '2')])],
    ],
    [
      'one index for two calls',
      [
        fragments({ index: 0, id: 'k1', function: { name: 'pay', arguments: '{}' } }),
        fragments({ index: 0, id: 'k2', function: { name: 'pay', arguments: '[]' } }),
      ],
      [completion('', [call('k1', 'pay', '{}'), call('k2', 'pay', '[]')])],
    ],
    [
      'the name again with every fragment, or in pieces',
      [
        fragments(
          { index: 0, id: 'k1', function: { name: 'pay', arguments: '{' } },
          { index: 1, function: { name: 'read_' } },
        ),
        fragments(
          { index: 0, id: 'k1', function: { name: 'pay', arguments: '}' } },
          { index: 1, function: { name: 'mail' } },
        ),
      ],
      [completion('', [call('k1', 'pay', '{}'), call(undefined, 'read_mail', '')])],
    ],
    [
      'the legacy form',
      [delta({ function_call: { name: 'pay', arguments: '{' } }, 0), delta({ function_call: { arguments: '}' } }, 0)],
      [completion('', [call(undefined, 'pay', '{}')])],
    ],
    [
      'a fragment of nothing',
      [fragments({ function: { arguments: 'x' } })],
      [completion('', [call(undefined, '', 'x')])],
    ],
    ['usage alone', [{ choices: [], usage: { total_tokens: 1 } }], [completion('', [], { total_tokens: 1 })]],
    ['an error after some text', [delta({ content: 'a' }, 0), { error: { message: 'no' } }], [completion('a')]],
  ])('%s', (_, events, lessons) => {
    expect(taken(...events).lessons).toEqual(lessons)
  })

  test('what was told is not told again', () => {
    const stream = createChatCompletion()
    stream.hear(delta({ content: 'a' }, 0))
    expect(stream.rest()).toEqual([completion('a')])
    expect(stream.rest()).toEqual([])
    stream.hear({ usage: { total_tokens: 1 } })
    expect(stream.rest()).toEqual([completion('', [], { total_tokens: 1 })])
  })
})
