import { describe, expect, test } from 'vitest'
import { EVENTS, play, playAll, refusing, type RuleOf } from '../../../../test/support/parsers/guarding.ts'

const event = (json: string): string => `data: ${json}\n\n`
const chunk = (delta: string, more = ''): string => event(`{"id":"c1","choices":[{"index":0,"delta":${delta}${more}}]}`)
const DONE = 'data: [DONE]\n\n'
const finish = (reason: string): string => chunk('{}', `,"finish_reason":"${reason}"`)

const role = chunk('{"role":"assistant","content":"Hi."}')
const first = (index: number, id: string, name: string, args = ''): string =>
  chunk(
    `{"tool_calls":[{"index":${index},"id":"${id}","type":"function","function":{"name":"${name}","arguments":${JSON.stringify(args)}}}]}`,
  )
const next = (index: number, args: string): string =>
  chunk(`{"tool_calls":[{"index":${index},"function":{"arguments":${JSON.stringify(args)}}}]}`)

const rejecting =
  (...tools: readonly string[]): RuleOf =>
  ({ action: { tool } }) =>
    tools.includes(tool) ? refusing(`No ${tool}.`) : undefined

describe('a stream of a chat completion', () => {
  test.each<[string, readonly string[], readonly string[], string]>([
    ['without calls', [role, finish('stop'), DONE], [], role + finish('stop') + DONE],
    [
      'whose only call is rejected',
      [role, first(0, 'k1', 'pay'), next(0, '{"a":'), next(0, '1}'), finish('tool_calls'), DONE],
      ['pay'],
      role + chunk('{"content":"\\n\\nNo pay."}') + finish('stop') + DONE,
    ],
    [
      'whose call is its first event',
      [first(0, 'k1', 'pay', '{}'), finish('tool_calls'), DONE],
      ['pay'],
      chunk('{"role":"assistant","content":"No pay."}') + finish('stop') + DONE,
    ],
    [
      'whose call comes with its role, and empty content',
      [
        chunk('{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"k1","function":{"name":"pay"}}]}'),
        finish('tool_calls'),
      ],
      ['pay'],
      chunk('{"role":"assistant","content":"No pay."}') + finish('stop'),
    ],
    [
      'the first of two calls rejected: the other one moves up',
      [role, first(0, 'k1', 'pay', '{}'), first(1, 'k2', 'log', '{'), next(1, '}'), finish('tool_calls'), DONE],
      ['pay'],
      role +
        chunk('{"content":"\\n\\nNo pay."}') +
        first(0, 'k2', 'log', '{') +
        next(0, '}') +
        finish('tool_calls') +
        DONE,
    ],
    [
      'the second of two calls rejected, both in one event',
      [
        chunk(
          '{"role":"assistant","tool_calls":[ {"index":0,"id":"k1","function":{"name":"log"}} , {"index":1,"id":"k2","function":{"name":"pay"}} ]}',
        ),
        finish('tool_calls'),
      ],
      ['pay'],
      chunk(
        '{"content":"No pay.","role":"assistant","tool_calls":[ {"index":0,"id":"k1","function":{"name":"log"}} ]}',
      ) + finish('tool_calls'),
    ],
    [
      'both rejected',
      [role, first(0, 'k1', 'pay', '{}'), first(1, 'k2', 'log', '{}'), finish('tool_calls')],
      ['pay', 'log'],
      role + chunk('{"content":"\\n\\nNo pay."}') + chunk('{"content":"\\n\\nNo log."}') + finish('stop'),
    ],
    [
      'text after a rejected call is apart from our words',
      [
        role,
        first(0, 'k1', 'pay', '{}'),
        chunk('{"content":"And"}'),
        chunk('{"content":" so."}'),
        finish('tool_calls'),
      ],
      ['pay'],
      role +
        chunk('{"content":"\\n\\nNo pay."}') +
        chunk('{"content":"\\n\\nAnd"}') +
        chunk('{"content":" so."}') +
        finish('stop'),
    ],
    [
      'a legacy call rejected',
      [
        chunk('{"role":"assistant","function_call":{"name":"pay","arguments":"{"}}'),
        chunk('{"function_call":{"arguments":"}"}}'),
        finish('function_call'),
      ],
      ['pay'],
      chunk('{"content":"No pay.","role":"assistant"}') + finish('stop'),
    ],
    [
      'a custom call rejected',
      [
        role,
        chunk('{"tool_calls":[{"index":0,"id":"k1","type":"custom","custom":{"name":"sh","input":"ls"}}]}'),
        finish('tool_calls'),
      ],
      ['sh'],
      role + chunk('{"content":"\\n\\nNo sh."}') + finish('stop'),
    ],
    ...['length', 'content_filter', 'stop'].map((reason): [string, readonly string[], readonly string[], string] => [
      `the reason ${reason} stays`,
      [role, first(0, 'k1', 'pay', '{}'), finish(reason)],
      ['pay'],
      role + chunk('{"content":"\\n\\nNo pay."}') + finish(reason),
    ]),
    [
      'an event that carries usage stays when its call goes',
      [
        role,
        first(0, 'k1', 'pay'),
        event(
          '{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}}],"usage":{"total_tokens":12345678901234567890}}',
        ),
        finish('tool_calls'),
      ],
      ['pay'],
      role +
        chunk('{"content":"\\n\\nNo pay."}') +
        event('{"choices":[{"index":0,"delta":{}}],"usage":{"total_tokens":12345678901234567890}}') +
        finish('stop'),
    ],
    [
      'comments, ids, names and line ends of events that are not changed stay; changed ones keep the rest',
      [
        ': hello\n\nretry: 10\n\nid: 1\r\nevent: x\r\ndata:{"choices":[{"index":0,"delta":{"role":"assistant"}}]}\r\n\r\n',
        'id: 2\r\ndata: {"choices":[{"index":0,\r\ndata: "delta":{"tool_calls":[{"index":0,"id":"k1","function":{"name":"pay"}}]}}]}\r\n: c\r\n\r\n',
        finish('tool_calls'),
        'data: {"choices":[],"usage":{}}\n\n',
        DONE,
      ],
      ['pay'],
      ': hello\n\nretry: 10\n\nid: 1\r\nevent: x\r\ndata:{"choices":[{"index":0,"delta":{"role":"assistant"}}]}\r\n\r\n' +
        'id: 2\r\ndata: {"choices":[{"index":0,\r\ndata: "delta":{"content":"No pay."}}]}\r\n: c\r\n\r\n' +
        finish('stop') +
        'data: {"choices":[],"usage":{}}\n\n' +
        DONE,
    ],
  ])('%s', (_, pieces, rejected, expected) => {
    const player = playAll('chat', EVENTS, pieces, rejecting(...rejected))
    expect(player.out).toBe(expected)
    expect(player.unreadable).toEqual([])
    expect(player.guard.done).toBe(true)
    expect(player.guard.changed).toBe(rejected.length > 0)
    expect(player.guard.heldBytes).toBe(0)
    // Without a rejection it is the same to the byte.
    expect(playAll('chat', EVENTS, pieces, () => undefined).out).toBe(pieces.join(''))
  })

  test('text goes on at once, a call waits, and what follows waits behind it', () => {
    const player = play('chat', EVENTS)
    expect(player.feed(role + first(0, 'k1', 'pay', '{"a":1}'))).toBe(role)
    expect(player.feed(chunk('{"content":"later"}'))).toBe('')
    expect(player.calls).toEqual([])
    expect(player.guard.heldBytes).toBe(first(0, 'k1', 'pay', '{"a":1}').length + chunk('{"content":"later"}').length)
    expect(player.feed(finish('tool_calls'))).toBe('')
    const proposed = { id: 'k1', tool: 'pay', argumentsText: '{"a":1}' }
    expect(player.calls).toEqual([
      {
        id: 0,
        action: { kind: 'tool-call', tool: 'pay', args: { a: 1 }, proposed, effect: 'unknown', home: 'unstated' },
      },
    ])
    expect(player.rule(0)).toBe(first(0, 'k1', 'pay', '{"a":1}') + chunk('{"content":"later"}') + finish('tool_calls'))
    expect(player.lessons).toEqual([])
    expect(player.feed(DONE)).toBe(DONE)
    expect(player.lessons).toEqual([{ kind: 'completion', text: 'Hi.later', calls: [proposed], usage: undefined }])
    expect(player.guard.done).toBe(false)
    player.end()
    expect(player.guard.done).toBe(true)
    expect(player.guard.details).toEqual({ answer: 'events', choices: 1, tools: ['pay'], proposed: 1 })
  })
})
