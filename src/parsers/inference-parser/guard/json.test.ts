import { describe, expect, test } from 'vitest'
import {
  JSON_TYPE,
  play,
  playAll,
  refusing,
  type GuardedDialect,
  type RuleOf,
} from '../../../../test/support/parsers/guarding.ts'

const rejecting =
  (...tools: readonly string[]): RuleOf =>
  ({ action: { tool } }) =>
    tools.includes(tool) ? refusing(`No ${tool}.`) : undefined

const call = (id: string, name: string): string =>
  `{"id":"${id}","type":"function","function":{"name":"${name}","arguments":"{\\"a\\":1}"}}`
const choice = (message: string, reason: string, index = 0): string =>
  `{"index":${index},"logprobs":null,"finish_reason":"${reason}","message":{"role":"assistant",${message}}}`
const chat = (...choices: readonly string[]): string =>
  `{ "id":"c1", "created":1.50, "big":12345678901234567890, "choices":[ ${choices.join(' , ')} ], "usage":{"total_tokens":2} }\n`

const block = (id: string, name: string): string =>
  `{"type":"tool_use","id":"${id}","name":"${name}","input":{"n":12345678901234567890}}`
const message = (content: string, reason: string): string =>
  `{"id":"m1","type":"message","role":"assistant","content":[${content}],"stop_reason":"${reason}","usage":{"output_tokens":1.0}}`
const words = (text: string): string => `{"type":"text","text":"${text}"}`

describe('an answer in one piece', () => {
  test.each<[GuardedDialect, string, string, readonly string[], string]>([
    ['chat', 'without calls', chat(choice('"content":"Hi"', 'stop')), [], chat(choice('"content":"Hi"', 'stop'))],
    [
      'chat',
      'the only call rejected: the list goes, and refusal stays as it is',
      chat(choice(`"content":null,"refusal":null,"tool_calls":[${call('k1', 'pay')}]`, 'tool_calls')),
      ['pay'],
      chat(choice('"content":"No pay.","refusal":null', 'stop')),
    ],
    [
      'chat',
      'one of several rejected, after text',
      chat(choice(`"tool_calls":[${call('k1', 'pay')}, ${call('k2', 'log')}],"content":"Well."`, 'tool_calls')),
      ['pay'],
      chat(choice(`"tool_calls":[${call('k2', 'log')}],"content":"Well.\\n\\nNo pay."`, 'tool_calls')),
    ],
    [
      'chat',
      'several rejected, beside text in parts',
      chat(
        choice(
          `"content":[{"type":"text","text":"a","n":1.0}],"tool_calls":[${call('k1', 'pay')},${call('k2', 'log')},${call('k3', 'pay')}]`,
          'tool_calls',
        ),
      ),
      ['pay'],
      chat(
        choice(
          `"content":[{"type":"text","text":"a","n":1.0},{"type":"text","text":"\\n\\nNo pay.\\n\\nNo pay."}],"tool_calls":[${call('k2', 'log')}]`,
          'tool_calls',
        ),
      ),
    ],
    [
      'chat',
      'without content of its own',
      chat(choice(`"tool_calls":[${call('k1', 'pay')}]`, 'length')),
      ['pay'],
      chat(
        choice('"content":"No pay."', 'length').replace(
          '"role":"assistant","content":"No pay."',
          '"content":"No pay.","role":"assistant"',
        ),
      ),
    ],
    [
      'chat',
      'in several choices',
      chat(
        choice(`"content":null,"tool_calls":[${call('k1', 'pay')}]`, 'tool_calls'),
        choice(`"content":null,"tool_calls":[${call('k2', 'log')}]`, 'tool_calls', 1),
      ),
      ['pay'],
      chat(
        choice('"content":"No pay."', 'stop'),
        choice(`"content":null,"tool_calls":[${call('k2', 'log')}]`, 'tool_calls', 1),
      ),
    ],
    [
      'chat',
      'a legacy call',
      chat(choice('"content":null,"function_call":{"name":"pay","arguments":"{}"}', 'function_call')),
      ['pay'],
      chat(choice('"content":"No pay."', 'stop')),
    ],
    ['chat', 'an error', '{"error":{"message":"tool_calls"}}', [], '{"error":{"message":"tool_calls"}}'],
    [
      'anthropic',
      'the only call rejected',
      message(`${words('Hi')}, ${block('u1', 'pay')}`, 'tool_use'),
      ['pay'],
      message(`${words('Hi')}, ${words('No pay.')}`, 'end_turn'),
    ],
    [
      'anthropic',
      'one of several rejected',
      message(`${block('u1', 'pay')},${block('u2', 'log')}`, 'tool_use'),
      ['pay'],
      message(`${words('No pay.')},${block('u2', 'log')}`, 'tool_use'),
    ],
    [
      'anthropic',
      'another reason stays',
      message(block('u1', 'pay'), 'max_tokens'),
      ['pay'],
      message(words('No pay.'), 'max_tokens'),
    ],
    ['anthropic', 'an error', '{"type":"error","error":{}}', [], '{"type":"error","error":{}}'],
  ])('%s: %s', (dialect, _, text, rejected, expected) => {
    const player = playAll(dialect, JSON_TYPE, [text.slice(0, 9), text.slice(9)], rejecting(...rejected))
    expect(player.out).toBe(expected)
    expect(player.unreadable).toEqual([])
    expect(player.guard.changed).toBe(rejected.length > 0)
    expect(player.guard.done).toBe(true)
    expect(playAll(dialect, JSON_TYPE, [text], () => undefined).out).toBe(text)
  })

  test('waits for all rulings, and teaches what the agent gets', () => {
    const text = chat(choice(`"content":null,"tool_calls":[${call('k1', 'pay')},${call('k2', 'log')}]`, 'tool_calls'))
    const player = play('chat', JSON_TYPE)
    expect(player.feed(text)).toBe('')
    expect(player.guard.heldBytes).toBe(text.length)
    expect(player.end()).toBe('')
    expect(player.calls.map(({ id, action }) => [id, action.tool])).toEqual([
      [0, 'pay'],
      [1, 'log'],
    ])
    expect(player.rule(1)).toBe('')
    expect(player.guard.done).toBe(false)
    expect(player.rule(0, refusing())).toContain('"content":"The tool call `pay` was not run: Not now (test.no)"')
    expect(player.lessons).toEqual([
      {
        kind: 'completion',
        text: 'The tool call `pay` was not run: Not now (test.no)',
        calls: [{ id: 'k2', tool: 'log', argumentsText: '{"a":1}' }],
        usage: { total_tokens: 2 },
      },
    ])
    expect(player.guard.details).toEqual({ answer: 'json', choices: 1, tools: ['pay', 'log'], proposed: 2, taken: 1 })
  })

  test.each<[string, unknown]>([
    ['{"a":1}', { a: 1 }],
    ['', {}],
    [' ', {}],
    ['{"a":1,"a":2}', '{"a":1,"a":2}'],
    ['{"a":', '{"a":'],
    ['"x"', 'x'],
  ])('arguments %j are given to the gate as they can be read', (text, args) => {
    const player = play('chat', JSON_TYPE)
    const message = { tool_calls: [{ id: 'k', function: { name: 'pay', arguments: text } }] }
    player.feed(JSON.stringify({ choices: [{ message }] }))
    player.end()
    expect(player.calls.map(({ action }) => [action.args, action.proposed?.argumentsText])).toEqual([[args, text]])
  })

  test('arguments as an object, and of a custom tool', () => {
    const player = play('chat', JSON_TYPE)
    const tool_calls = [
      { function: { name: 'pay', arguments: { a: 1 } } },
      { custom: { name: 'sh', input: '{"a":1}' } },
    ]
    player.feed(JSON.stringify({ choices: [{ message: { tool_calls } }] }))
    player.end()
    expect(player.calls.map(({ action }) => [action.tool, action.args, action.proposed])).toEqual([
      ['pay', { a: 1 }, { id: undefined, tool: 'pay', argumentsText: '{"a":1}' }],
      ['sh', '{"a":1}', { id: undefined, tool: 'sh', argumentsText: '{"a":1}' }],
    ])
  })

  test.each<[string, string]>([
    ['{"choices":[', 'not JSON'],
    ['{"choices":[],"choices":[]}', 'a key occurs twice in one object'],
    ['{"choices":[]}{}', 'not JSON'],
    ['[{"choices":[]}]', 'a list where an object should be'],
    ['{"choices":{}}', 'choices is no list'],
    ['{"Choices":[]}', 'two keys are the same but for case'],
    ['{"choices":[1]}', 'choices holds something else than objects'],
    ['{"choices":[{"index":"0"}]}', 'index is no whole number'],
    ['{"choices":[{"index":-1}]}', 'index is no whole number'],
    ['{"choices":[{"message":[]}]}', 'message is no object'],
    ['{"choices":[{"message":{"tool_calls":{}}}]}', 'tool_calls is no list'],
    ['{"choices":[{"message":{"TOOL_CALLS":[]}}]}', 'two keys are the same but for case'],
    ['{"choices":[{"message":{"tool_calls":[null]}}]}', 'tool_calls holds something else than objects'],
    ['{"choices":[{"message":{"tool_calls":[{"function":"pay"}]}}]}', 'function is no object'],
    ['{"choices":[{"message":{"tool_calls":[{"function":{"name":1}}]}}]}', 'name is no text'],
    ['{"choices":[{"message":{"tool_calls":[{"function":{"arguments":[]}}]}}]}', 'arguments is no text'],
    ['{"choices":[{"message":{"tool_calls":[{"function":{},"custom":{}}]}}]}', 'two calls in one'],
    ['{"choices":[{"message":{"tool_calls":[{"custom":{"input":{}}}]}}]}', 'input is no text'],
    ['{"choices":[{"message":{"tool_calls":[{"id":7}]}}]}', 'id is no text'],
    ['{"choices":[{"message":{"function_call":"pay"}}]}', 'function_call is no object'],
  ])('%s is unreadable', (text, why) => {
    const player = play('chat', JSON_TYPE)
    player.feed(text)
    player.end()
    expect(player.unreadable).toEqual([why])
    expect(player.out).toBe('')
    expect(player.guard.done).toBe(false)
    expect(player.abandon()).toBe(text)
    expect(player.guard.done).toBe(true)
    expect(player.guard.changed).toBe(false)
  })

  test.each<[GuardedDialect, string, object]>([
    [
      'chat',
      '{"id":"c9","created":7,"model":"x","choices":[{"message":{"tool_calls":[{"function":{"name":"pay"}}]}}]}',
      {
        id: 'c9',
        created: 7,
        model: 'x',
        choices: [{ index: 0, message: { role: 'assistant', content: 'Ask.', refusal: null }, finish_reason: 'stop' }],
      },
    ],
    [
      'anthropic',
      '{"id":"m9","type":"message","model":"x","content":[{"type":"tool_use","name":"pay"}]}',
      {
        id: 'm9',
        model: 'x',
        type: 'message',
        role: 'assistant',
        content: [{ text: 'Ask.' }],
        stop_reason: 'end_turn',
      },
    ],
    ['chat', '{"choices', { model: 'asked', object: 'chat.completion', choices: [{ message: { content: 'Ask.' } }] }],
    ['anthropic', '{"content', { model: 'asked', content: [{ text: 'Ask.' }] }],
  ])('%s: given up, it is another answer', (dialect, text, expected) => {
    const player = play(dialect, JSON_TYPE)
    player.feed(text)
    player.end()
    expect(JSON.parse(player.abandon(refusing('Ask.')))).toMatchObject(expected)
    expect(player.guard.done).toBe(true)
    expect(player.guard.changed).toBe(true)
    expect(player.rule(0)).toBe('')
    expect(player.lessons).toMatchObject([{ kind: 'completion', text: 'Ask.', calls: [] }])
  })

  test('that breaks off never comes', () => {
    const player = play('chat', JSON_TYPE)
    player.feed('{"choices":[]')
    expect(player.end('cut')).toBe('')
    expect(player.guard.done).toBe(true)
    expect(player.guard.changed).toBe(true)
    expect(player.guard.heldBytes).toBe(0)
  })
})
