import { describe, expect, test } from 'vitest'
import { EVENTS, play, playAll, refusing, type RuleOf } from '../../../../test/support/parsers/guarding.ts'

const event = (type: string, rest = ''): string => `event: ${type}\ndata: {"type":"${type}"${rest}}\n\n`
const begin = event(
  'message_start',
  ',"message":{"id":"m1","type":"message","role":"assistant","model":"x","content":[],"stop_reason":null,"usage":{"input_tokens":3,"output_tokens":1}}',
)
const start = (index: number, block: string): string =>
  event('content_block_start', `,"index":${index},"content_block":${block}`)
const delta = (index: number, rest: string): string => event('content_block_delta', `,"index":${index},"delta":${rest}`)
const stop = (index: number): string => event('content_block_stop', `,"index":${index}`)
const reason = (text: string): string =>
  event('message_delta', `,"delta":{"stop_reason":"${text}","stop_sequence":null},"usage":{"output_tokens":9}`)
const END = event('message_stop')

const textOf = (index: number, text: string): string =>
  start(index, '{"type":"text","text":""}') + delta(index, `{"type":"text_delta","text":"${text}"}`) + stop(index)
const callStart = (index: number, id: string, name: string, input = '{}'): string =>
  start(index, `{"type":"tool_use","id":"${id}","name":"${name}","input":${input}}`)
const piece = (index: number, json: string): string =>
  delta(index, `{"type":"input_json_delta","partial_json":${JSON.stringify(json)}}`)
const callOf = (index: number, id: string, name: string): string =>
  callStart(index, id, name) + piece(index, '') + piece(index, '{"a":') + piece(index, '1}') + stop(index)

const rejecting =
  (...tools: readonly string[]): RuleOf =>
  ({ action: { tool } }) =>
    tools.includes(tool) ? refusing(`No ${tool}.`) : undefined

const thinking =
  start(0, '{"type":"thinking","thinking":"","signature":""}') +
  delta(0, '{"type":"thinking_delta","thinking":"Hm"}') +
  delta(0, '{"type":"signature_delta","signature":"s"}') +
  stop(0)
const server =
  start(0, '{"type":"server_tool_use","id":"s1","name":"web_search","input":{}}') +
  piece(0, '{"query":"x"}') +
  stop(0) +
  start(1, '{"type":"web_search_tool_result","tool_use_id":"s1","content":[]}') +
  stop(1)

describe('a stream of an Anthropic message', () => {
  test.each<[string, readonly string[], readonly string[], string]>([
    [
      'without calls',
      [begin, event('ping'), textOf(0, 'Hi'), reason('end_turn'), END],
      [],
      begin + event('ping') + textOf(0, 'Hi') + reason('end_turn') + END,
    ],
    [
      'whose only call is rejected, after thinking',
      [begin, thinking, callOf(1, 'u1', 'pay'), reason('tool_use'), END],
      ['pay'],
      begin + thinking + textOf(1, 'No pay.') + reason('end_turn') + END,
    ],
    [
      'one of two calls rejected: the other keeps its place and the reason stays',
      [begin, textOf(0, 'Hi'), callOf(1, 'u1', 'pay'), event('ping'), callOf(2, 'u2', 'log'), reason('tool_use'), END],
      ['pay'],
      begin +
        textOf(0, 'Hi') +
        textOf(1, 'No pay.') +
        event('ping') +
        callOf(2, 'u2', 'log') +
        reason('tool_use') +
        END,
    ],
    [
      'what the provider ran itself passes',
      [begin, server, callOf(2, 'u1', 'pay'), reason('tool_use'), END],
      ['pay'],
      begin + server + textOf(2, 'No pay.') + reason('end_turn') + END,
    ],
    [
      'an input that is there from the start',
      [begin, callStart(0, 'u1', 'pay', '{"a":1}'), stop(0), reason('tool_use'), END],
      ['pay'],
      begin + textOf(0, 'No pay.') + reason('end_turn') + END,
    ],
    [
      'a call without an end, until the message has one',
      [begin, callStart(0, 'u1', 'pay'), piece(0, '{}'), reason('tool_use'), END],
      ['pay'],
      begin + textOf(0, 'No pay.') + reason('end_turn') + END,
    ],
    [
      'the reason max_tokens stays',
      [begin, callOf(0, 'u1', 'pay'), reason('max_tokens'), END],
      ['pay'],
      begin + textOf(0, 'No pay.') + reason('max_tokens') + END,
    ],
    [
      'interleaved blocks',
      [
        begin,
        callStart(0, 'u1', 'pay'),
        start(1, '{"type":"text","text":""}'),
        piece(0, '{}'),
        delta(1, '{"type":"text_delta","text":"a"}'),
        stop(1),
        callStart(2, 'u2', 'log'),
        stop(0),
        stop(2),
        reason('tool_use'),
        END,
      ],
      ['pay'],
      begin + textOf(0, 'No pay.') + textOf(1, 'a') + callStart(2, 'u2', 'log') + stop(2) + reason('tool_use') + END,
    ],
    [
      'events without names: the type counts, and what we write is named by it',
      [
        begin,
        callOf(0, 'u1', 'pay').replaceAll(/event: \w+\n/g, ''),
        'data: {"type":"message_delta","delta":{"stop_reason":"tool_use","x":1.0}}\n\n',
        END,
      ],
      ['pay'],
      begin +
        textOf(0, 'No pay.') +
        'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn","x":1.0}}\n\n' +
        END,
    ],
  ])('%s', (_, pieces, rejected, expected) => {
    const player = playAll('anthropic', EVENTS, pieces, rejecting(...rejected))
    expect(player.out).toBe(expected)
    expect(player.unreadable).toEqual([])
    expect(player.guard.done).toBe(true)
    expect(player.guard.changed).toBe(rejected.length > 0)
    expect(playAll('anthropic', EVENTS, pieces, () => undefined).out).toBe(pieces.join(''))
  })

  test('text goes on at once, a call waits for its end and its ruling', () => {
    const player = play('anthropic', EVENTS)
    expect(player.feed(begin + textOf(0, 'Hi') + callStart(1, 'u1', 'pay'))).toBe(begin + textOf(0, 'Hi'))
    expect(player.feed(piece(1, '{"a":1}') + stop(1) + reason('tool_use'))).toBe('')
    const proposed = { id: 'u1', tool: 'pay', argumentsText: '{"a":1}' }
    expect(player.calls).toMatchObject([{ id: 0, action: { tool: 'pay', args: { a: 1 }, proposed } }])
    expect(player.rule(0)).toBe(callStart(1, 'u1', 'pay') + piece(1, '{"a":1}') + stop(1) + reason('tool_use'))
    expect(player.lessons).toEqual([])
    expect(player.feed(END)).toBe(END)
    expect(player.lessons).toMatchObject([{ kind: 'completion', text: 'Hi', calls: [proposed] }])
  })

  test.each<[string, string, string]>([
    [
      'a number that is another block’s',
      textOf(0, 'a') + callStart(0, 'u1', 'pay'),
      'a block has the number of another one',
    ],
    ['a text with a call’s number', callOf(0, 'u1', 'pay') + textOf(0, 'a'), 'a block has the number of another one'],
    ['a call that goes on after its end', callOf(0, 'u1', 'pay') + piece(0, '1'), 'a call goes on after its end'],
    ['two inputs', callStart(0, 'u1', 'pay', '{"a":1}') + piece(0, '{}'), 'a call has two inputs'],
    ['no number', event('content_block_stop'), 'index is no whole number'],
    ['a second beginning', begin, 'a message begins twice'],
    [
      'a name that is not the type',
      textOf(0, 'a').replace('event: content_block_stop', 'event: ping'),
      'an event whose name is not its type',
    ],
    [
      'a name and no type',
      textOf(0, 'a').replace('"type":"content_block_start",', ''),
      'an event whose name is not its type',
    ],
    [
      'names for some blocks',
      textOf(0, 'a') + textOf(1, 'b').replaceAll(/event: \w+\n/g, ''),
      'blocks in events with and without names',
    ],
    ['an input that is a list', callStart(0, 'u1', 'pay', '[]'), 'input is no object'],
    ['content that is no list', 'data: {"type":"message","content":{}}\n\n', 'content is no list'],
    [
      'another spelling',
      'data: {"type":"content_block_start","Content_Block":{}}\n\n',
      'two keys are the same but for case',
    ],
  ])('is unreadable with %s', (_, text, why) => {
    const player = play('anthropic', EVENTS)
    player.feed(begin + text)
    expect(player.unreadable).toEqual([why])
  })

  test('given up, it gets an end in words', () => {
    const player = play('anthropic', EVENTS)
    player.feed(
      begin +
        start(0, '{"type":"text","text":""}') +
        delta(0, '{"type":"text_delta","text":"Hi"}') +
        callStart(1, 'u1', 'pay'),
    )
    expect(player.abandon(refusing())).toBe(
      stop(0) +
        textOf(1, 'The answer was withheld: Not now (test.no)') +
        event('message_delta', ',"delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":0}') +
        END,
    )
    expect(player.guard.done).toBe(true)
    expect(player.feed(END)).toBe('')
    expect(player.end()).toBe('')
    expect(player.lessons).toMatchObject([{ text: 'HiThe answer was withheld: Not now (test.no)', calls: [] }])
  })

  test('given up before its first event, it is a message all the same', () => {
    const player = play('anthropic', EVENTS)
    expect(player.abandon(refusing('Ask.'))).toContain('"model":"asked"')
    expect(player.out.match(/event: \w+/g)).toEqual([
      'event: message_start',
      'event: content_block_start',
      'event: content_block_delta',
      'event: content_block_stop',
      'event: message_delta',
      'event: message_stop',
    ])
  })
})
