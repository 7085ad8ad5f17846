import { describe, expect, test } from 'vitest'
import { EVENTS, JSON_TYPE, openGuard, play, refusing } from '../../../../test/support/parsers/guarding.ts'
import { CLARIFICATION_BYTES } from '../../kit/refusal.ts'

const event = (json: string): string => `data: ${json}\n\n`
const chunk = (delta: string, more = ''): string => event(`{"id":"c1","choices":[{"index":0,"delta":${delta}${more}}]}`)
const text = (words: string): string => chunk(`{"role":"assistant","content":"${words}"}`)
const call = (id: string, more = ''): string =>
  chunk(`{"tool_calls":[{"index":0,"id":"${id}","function":{"name":"pay","arguments":"{}"}}]}`, more)
const FINISH = chunk('{}', ',"finish_reason":"tool_calls"')
const DONE = event('[DONE]')

describe('text that was cut between the halves of a surrogate pair', () => {
  const half = (fragment: string): string =>
    chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"${fragment}"}}]}`)

  test('passes, and so does a call whose fragments make it whole', () => {
    const player = play('chat', EVENTS)
    const words = text('Hi \\ud83d') + text('\\ude00')
    expect(player.feed(words)).toBe(words)
    const calls = call('k1').replace('{}', '') + half('{\\"a\\":\\"\\ud83d') + half('\\ude00\\"}') + FINISH
    expect(player.feed(calls)).toBe('')
    expect(player.unreadable).toEqual([])
    expect(player.rule(0)).toBe(calls)
  })

  test('is no call that is read alike by all', () => {
    const player = play('chat', EVENTS)
    player.feed(call('k1').replace('{}', '') + half('{\\"a\\":\\"\\ud83d\\"}') + FINISH)
    expect(player.unreadable).toEqual(['half of a surrogate pair in a call'])
  })
})

describe('an answer that cannot be read', () => {
  test.each<[string, string, string]>([
    ['no JSON', event('{"choices":'), 'not JSON'],
    ['a key twice', event('{"choices":[],"choices":[]}'), 'a key occurs twice in one object'],
    ['text', event('hello'), 'not JSON'],
    ['more behind the mark', event('[DONE] {}'), 'not JSON'],
    ['a carriage return alone', 'data: {}\rdata: {}\n\n', 'a carriage return alone'],
    ['a byte order mark later', `\ufeff${event('{}')}`, 'a line that only some clients read'],
    ['JSON between events', '{"choices":[]}\n\n', 'a line that only some clients read'],
    ['a list', event('[]'), 'a list where an object should be'],
    ['a long event', event(JSON.stringify('x'.repeat(1024 * 1024))), 'an event is too long'],
    ['not UTF-8', 'latin1', 'not UTF-8'],
    [
      'two kinds in one call',
      call('k1') + chunk('{"tool_calls":[{"index":0,"custom":{"name":"sh"}}]}') + FINISH,
      'fragments that clients join in different ways',
    ],
  ])('with %s: what came before goes on, all else waits', (_, bad, why) => {
    const bytes = bad === 'latin1' ? Buffer.from(event('{"a":"\xff"}'), 'latin1') : Buffer.from(bad)
    for (const no of [undefined, refusing('Ask.')]) {
      const player = play('chat', EVENTS)
      expect(player.feed(text('Hi'))).toBe(text('Hi'))
      player.feed(bytes)
      expect(player.unreadable).toEqual([why])
      expect(player.feed(text('there'))).toBe('')
      expect(player.unreadable).toEqual([why])
      expect(player.guard.heldBytes).toBe(bytes.length + text('there').length)
      expect(player.guard.details).toMatchObject({ unread: why })
      const rest = player.abandon(no)
      if (no === undefined) expect(rest).toBe(bytes.toString() + text('there'))
      else expect(rest).not.toContain('there')
      expect(player.feed(DONE)).toBe(no === undefined ? DONE : '')
      expect(player.end()).toBe('')
      expect(player.guard.done).toBe(true)
      expect(player.guard.heldBytes).toBe(0)
      expect(player.guard.changed).toBe(no !== undefined)
    }
  })

  test.each<[string, string, string]>([
    ['neither JSON nor events', JSON_TYPE, '<html>'],
    ['a byte order mark before JSON', JSON_TYPE, '\ufeff{"choices":[]}'],
  ])('%s', (_, type, bytes) => {
    const player = play('chat', type)
    player.feed(`  ${bytes}`)
    player.feed('more')
    expect(player.unreadable).toEqual(['neither JSON nor events'])
    expect(player.abandon()).toBe(`  ${bytes}more`)
    expect(player.feed('!')).toBe('!')
    player.end()
    expect(player.guard.done).toBe(true)
    expect(player.guard.details).toEqual({ answer: 'other', choices: 0, unread: 'neither JSON nor events' })
  })

  test.each([
    ['text/event-stream; charset=utf-7', text('Hi'), /^data: .*Ask\.[^]*\[DONE\]\n\n$/],
    ['application/json; charset=utf-16', '{"choices":[]}', /^\{.*"content":"Ask\.".*\}$/],
    [JSON_TYPE, '<html>', /^\{.*"content":"Ask\.".*\}$/],
  ])('%s with %j is replaced by an answer in the form that was announced', (type, bytes, expected) => {
    const player = play('chat', type)
    expect(player.feed(bytes)).toBe('')
    expect(player.unreadable).toHaveLength(1)
    expect(player.abandon(refusing('Ask.'))).toMatch(expected)
    expect(player.guard.details).toMatchObject({ answer: 'other' })
  })

  test.each(['text/event-stream; charset=UTF-8', 'text/event-stream; charset=iso-8859-1'])('%s is read', (type) => {
    expect(play('chat', type).feed(text('Hi'))).toBe(text('Hi'))
  })

  test('the calls before it are still ruled on', () => {
    const player = play('chat', EVENTS)
    player.feed(call('k1') + FINISH + event('{'))
    expect(player.unreadable).toHaveLength(1)
    expect(player.rule(0)).toBe(call('k1') + FINISH)
    expect(player.guard.done).toBe(false)
    expect(player.abandon(refusing())).toBe(DONE)
  })
})

describe('what passes', () => {
  test.each<[string, string, string]>([
    ['a byte order mark at the start', EVENTS, `\ufeff${text('Hi')}${DONE}`],
    ['empty data and no data', EVENTS, 'data:\n\ndata\n\n: c\n\nevent: x\n\n'],
    ['an error, and what follows it', EVENTS, event('{"error":{"message":"x"}}') + text('Hi')],
    ['choices that are not there', EVENTS, event('{"choices":null}') + event('{"choices":[]}') + event('7')],
    ['an empty list of calls', EVENTS, chunk('{"tool_calls":[]}') + chunk('{"tool_calls":null,"function_call":null}')],
    ['events where JSON was said', JSON_TYPE, text('Hi')],
    ['JSON where events were said', EVENTS, '{"choices":[]}'],
    ['nothing but white space', EVENTS, ' \n'],
    ['nothing', EVENTS, ''],
    ['a last event without its blank line', EVENTS, `${text('Hi')}${DONE.trimEnd()}`],
  ])('%s', (_, type, answer) => {
    const player = play('chat', type)
    for (const byte of Buffer.from(answer)) player.feed(Uint8Array.of(byte))
    player.end()
    expect(player.out).toBe(answer)
    expect(player.unreadable).toEqual([])
    expect(player.guard.done).toBe(true)
    expect(player.guard.changed).toBe(false)
  })
})

describe('a call', () => {
  test('is complete at the mark, or at the end, where no reason came', () => {
    for (const finish of [
      (player: ReturnType<typeof play>) => player.feed(DONE),
      (player: ReturnType<typeof play>) => player.end(),
    ]) {
      const player = play('chat', EVENTS)
      player.feed(call('k1'))
      expect(player.calls).toEqual([])
      finish(player)
      expect(player.calls).toHaveLength(1)
      expect(player.rule(0)).toContain(call('k1'))
    }
  })

  test('in a last event without its blank line is judged, and what takes its place is complete', () => {
    const player = play('chat', EVENTS)
    player.feed(call('k1').trimEnd())
    expect(player.out).toBe('')
    player.end()
    expect(player.rule(0, refusing('Ask.'))).toBe(chunk('{"role":"assistant","content":"Ask."}'))
  })

  test('that is cut off never comes, nor does half an event; what was ruled on does', () => {
    const player = play('chat', EVENTS)
    player.feed(text('Hi') + call('k1') + FINISH + call('k2') + text('there') + text('half').trimEnd())
    player.end('cut')
    expect(player.guard.done).toBe(false)
    expect(player.rule(0)).toBe(call('k1') + FINISH + text('there'))
    expect(player.guard.done).toBe(true)
    expect(player.guard.changed).toBe(true)
    expect(player.guard.heldBytes).toBe(0)
    expect(player.lessons).toMatchObject([{ text: 'Hi' }, { text: 'there', calls: [{ id: 'k1' }] }])
  })

  test('that goes on after it was complete is asked about again', () => {
    const more = chunk('{"tool_calls":[{"index":0,"function":{"arguments":" "}}]}')
    const answer = text('Hi') + call('k1') + FINISH + more + FINISH + DONE
    const outs = [
      [undefined, undefined, answer],
      [undefined, refusing('B.'), text('Hi') + call('k1') + FINISH + chunk('{"content":"\\n\\nB."}') + FINISH + DONE],
      [
        refusing('A.'),
        undefined,
        text('Hi') + chunk('{"content":"\\n\\nA."}') + FINISH.replace('tool_calls', 'stop').repeat(2) + DONE,
      ],
    ] as const
    for (const [first, second, expected] of outs) {
      for (const order of [
        [0, 1],
        [1, 0],
      ]) {
        const player = play('chat', EVENTS)
        player.feed(answer)
        expect(player.calls.map(({ action }) => action.proposed?.argumentsText)).toEqual(['{}', '{} '])
        for (const id of order) player.rule(id, id === 0 ? first : second)
        expect(player.out).toBe(expected)
      }
    }
  })

  test.each<[string, readonly string[], readonly string[]]>([
    [
      'the id with every fragment',
      [
        '{"index":0,"id":"k","function":{"name":"pay","arguments":"{"}}',
        '{"index":0,"id":"k","function":{"name":"pay","arguments":"}"}}',
      ],
      ['pay{}'],
    ],
    [
      'no index and no type',
      ['{"id":"k","function":{"name":"pay","arguments":"{"}}', '{"function":{"arguments":"}"}}'],
      ['pay{}'],
    ],
    [
      'whole calls without index',
      [
        '{"id":"k","function":{"name":"pay","arguments":"{}"}}',
        '{"id":"l","function":{"name":"log","arguments":"{}"}}',
      ],
      ['pay{}', 'log{}'],
    ],
    [
      'one index for all calls',
      [
        '{"index":0,"id":"k","function":{"name":"pay","arguments":"{}"}}',
        '{"index":0,"id":"l","function":{"name":"log","arguments":"{}"}}',
      ],
      ['pay{}', 'log{}'],
    ],
    [
      'an object instead of text',
      ['{"index":0,"id":"k","function":{"name":"pay","arguments":{"a":1}}}'],
      ['pay{"a":1}'],
    ],
  ])('from servers that send %s', (_, fragments, calls) => {
    const player = play('chat', EVENTS)
    for (const fragment of fragments) player.feed(chunk(`{"tool_calls":[${fragment}]}`))
    player.feed(FINISH)
    expect(player.unreadable).toEqual([])
    expect(player.calls.map(({ action }) => action.tool + String(action.proposed?.argumentsText))).toEqual(calls)
  })

  test.each<[string, readonly string[]]>([
    [
      'one index, and parts that only together are arguments',
      [
        '{"index":0,"id":"k","function":{"name":"log","arguments":"{"}}',
        '{"index":0,"id":"l","function":{"name":"pay","arguments":"}"}}',
      ],
    ],
    [
      'one index, and a call without arguments',
      [
        '{"index":0,"id":"k","function":{"name":"log"}}',
        '{"index":0,"id":"l","function":{"name":"pay","arguments":"{}"}}',
      ],
    ],
    [
      'no index, interleaved',
      [
        '{"id":"k","function":{"name":"a","arguments":"["}}',
        '{"id":"l","function":{"name":"b","arguments":"[]"}}',
        '{"id":"k","function":{"arguments":"]"}}',
      ],
    ],
    [
      'the name in pieces',
      ['{"index":0,"id":"k","function":{"name":"read_"}}', '{"index":0,"function":{"name":"mail","arguments":"{}"}}'],
    ],
    [
      'one index, and numbers that are a number together',
      [
        '{"index":0,"id":"k","function":{"name":"log","arguments":"1"}}',
        '{"index":0,"id":"l","function":{"name":"pay","arguments":"2"}}',
      ],
    ],
    [
      'one id under two indices',
      [
        '{"index":0,"id":"k","function":{"name":"a","arguments":"{"}}',
        '{"index":1,"id":"k","function":{"name":"b","arguments":"}"}}',
      ],
    ],
  ])('that clients put together in different ways is unreadable: %s', (_, fragments) => {
    const player = play('chat', EVENTS)
    for (const fragment of fragments) player.feed(chunk(`{"tool_calls":[${fragment}]}`))
    player.feed(FINISH)
    expect(player.unreadable).toEqual(['fragments that clients join in different ways'])
  })

  test('in a choice of its own: each choice has its reason, its role and its numbers', () => {
    const of = (index: number, rest: string): string => event(`{"choices":[{"index":${index},${rest}}]}`)
    const fragment = (index: number, name: string, choice: number): string =>
      of(choice, `"delta":{"tool_calls":[{"index":${index},"id":"${name}","function":{"name":"${name}"}}]}`)
    const end = (index: number, reason: string): string => of(index, `"delta":{},"finish_reason":"${reason}"`)
    const player = play('chat', EVENTS)
    player.feed(fragment(0, 'a', 0) + fragment(0, 'b', 1) + fragment(1, 'c', 0) + end(0, 'tool_calls'))
    expect(player.calls.map(({ action }) => action.tool)).toEqual(['a', 'c'])
    player.rule(0, refusing('A.'))
    expect(player.rule(1)).toBe('')
    player.feed(end(1, 'tool_calls'))
    expect(player.rule(2, refusing('B.'))).toBe(
      of(0, '"delta":{"role":"assistant","content":"A."}') +
        of(1, '"delta":{"role":"assistant","content":"B."}') +
        fragment(0, 'c', 0) +
        end(0, 'tool_calls') +
        end(1, 'stop'),
    )
  })
})

describe('giving up', () => {
  const held = text('Hi') + call('k1')

  test('lets all go as it came, now and later, and goes on learning', () => {
    const player = play('chat', EVENTS)
    expect(player.feed(held + FINISH.slice(0, 9))).toBe(text('Hi'))
    expect(player.abandon()).toBe(call('k1') + FINISH.slice(0, 9))
    expect(player.feed(FINISH.slice(9) + DONE)).toBe(FINISH.slice(9) + DONE)
    expect(player.feed('\r\rdata: {bad\n\n')).toBe('\r\rdata: {bad\n\n')
    expect(player.end()).toBe('')
    expect(player.calls).toEqual([])
    expect(player.unreadable).toEqual([])
    expect(player.lessons).toMatchObject([{ text: 'Hi', calls: [{ id: 'k1', tool: 'pay' }] }])
    expect(player.guard.done).toBe(true)
    expect(player.guard.changed).toBe(false)
  })

  test('with a refusal ends every choice that has not ended, and the stream', () => {
    const player = play('chat', EVENTS)
    player.feed(
      'data: {"id":"c1","created":5,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"}},{"index":1,"delta":{}},{"index":2,"delta":{},"finish_reason":"stop"}]}\n\n',
    )
    player.feed(call('k1'))
    const head = '{"id":"c1","object":"chat.completion.chunk","created":5,"model":"m","choices":'
    const words = 'The answer was withheld: Not now (test.no)'
    expect(player.abandon(refusing())).toBe(
      event(`${head}[{"index":0,"delta":{"content":"\\n\\n${words}"},"logprobs":null,"finish_reason":null}]}`) +
        event(`${head}[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}]}`) +
        event(
          `${head}[{"index":1,"delta":{"role":"assistant","content":"${words}"},"logprobs":null,"finish_reason":null}]}`,
        ) +
        event(`${head}[{"index":1,"delta":{},"logprobs":null,"finish_reason":"stop"}]}`) +
        DONE,
    )
    expect(player.guard.done).toBe(true)
    expect(player.guard.changed).toBe(true)
    expect(player.guard.heldBytes).toBe(0)
    expect(player.feed(DONE)).toBe('')
    expect(player.rule(0)).toBe('')
    expect(player.end()).toBe('')
    expect(player.lessons).toMatchObject([{ text: `Hi\n\n${words}`, calls: [] }, { text: words }, {}])
  })

  test('before anything came is a whole answer, in the form that was announced', () => {
    expect(play('chat', EVENTS).abandon(refusing('Ask.'))).toMatch(/^data: .*"model":"asked".*Ask\.[^]*\[DONE\]\n\n$/)
    expect(JSON.parse(play('chat', JSON_TYPE).abandon(refusing('Ask.')))).toMatchObject({ object: 'chat.completion' })
  })

  test('never cuts a call short: what is not whole does not come', () => {
    const of = (index: number, rest: string): string => event(`{"choices":[{"index":${index},${rest}}]}`)
    const fragment = (choice: number, args: string): string =>
      of(choice, `"delta":{"tool_calls":[{"index":0,"function":{"name":"pay","arguments":${JSON.stringify(args)}}}]}`)
    const player = play('chat', EVENTS)
    player.feed(
      fragment(0, '{"a":1') +
        fragment(1, '{') +
        fragment(0, ',"b":2}') +
        of(0, '"delta":{},"finish_reason":"tool_calls"'),
    )
    expect(player.rule(0)).toBe('')
    expect(player.abandon(refusing('Ask.'))).not.toContain('pay')
  })

  test('after the end, or when nothing waits any more, adds nothing', () => {
    const player = play('chat', EVENTS)
    player.feed(text('Hi') + DONE)
    expect(player.abandon(refusing())).toBe('')
    player.end()
    expect(player.abandon(refusing())).toBe('')
  })
})

describe('the words', () => {
  const wordsFor = (tool: string, no = refusing()): string => {
    const player = play('chat', JSON_TYPE)
    player.feed(JSON.stringify({ choices: [{ message: { tool_calls: [{ function: { name: tool } }] } }] }))
    player.end()
    const { choices } = JSON.parse(player.rule(0, no)) as { choices: { message: { content: string } }[] }
    return choices[0]?.message.content ?? ''
  }

  test('are one line, whatever the tool is called', () => {
    expect(wordsFor('pay\n\u0000`x\u2028')).toBe('The tool call `pay `x` was not run: Not now (test.no)')
    expect(wordsFor('')).toBe('The tool call was not run: Not now (test.no)')
    expect(wordsFor('p'.repeat(5000)).length).toBeLessThan(200)
  })

  test('are bounded, and end with a whole character', () => {
    const words = wordsFor('pay', refusing(`${'x'.repeat(CLARIFICATION_BYTES - 1)}ü`))
    expect(words).toBe('x'.repeat(CLARIFICATION_BYTES - 1))
    expect(wordsFor('pay', refusing('Line one\nline two'))).toBe('Line one\nline two')
  })
})

describe('bytes that wait', () => {
  test('are counted: the call, what stands behind it, and half an event', () => {
    const { guard } = play('chat', EVENTS)
    const feed = (bytes: string): number => {
      guard.feed(Buffer.from(bytes))
      return guard.heldBytes
    }
    // A text that is still on its way waits for nobody.
    expect(feed(text('Hi').slice(0, 9))).toBe(0)
    expect(guard.keptBytes).toBe(9)
    expect(feed(text('Hi').slice(9))).toBe(0)
    expect(feed(call('k1'))).toBe(call('k1').length)
    expect(feed('data: ')).toBe(call('k1').length + 6)
  })

  test('in many small pieces cost what they weigh, not more', () => {
    const guard = openGuard('chat', EVENTS)
    let out = 0
    const stream = Buffer.from(call('k1') + text('a').repeat(5000) + FINISH + DONE)
    for (let at = 0; at < stream.length; at += 3) {
      for (const { length } of guard.feed(stream.subarray(at, at + 3)).out) out += length
    }
    expect(out).toBe(0)
    for (const { length } of guard.rule(0, undefined).out) out += length
    expect(out).toBe(stream.length)
  })
})
