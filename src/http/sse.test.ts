import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSseReader, type SseEvent } from './sse.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

function read(pieces: readonly Uint8Array[], limit = 1000): { events: SseEvent[]; truncated: boolean } {
  const events: SseEvent[] = []
  const reader = createSseReader((event) => void events.push(event), limit)
  for (const piece of pieces) reader.feed(piece)
  reader.end()
  return { events, truncated: reader.truncated }
}
const datas = (text: string, limit?: number) => read([bytes(text)], limit).events.map((event) => event.data)

describe('createSseReader', () => {
  test.each<[string, string, string[]]>([
    ['one event', 'data: a\n\n', ['a']],
    ['CR LF', 'data: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b']],
    ['lone CR', 'data: a\r\rdata: b\r\r', ['a', 'b']],
    ['no space', 'data:a\n\n', ['a']],
    ['one space only is taken off', 'data:  a \n\n', [' a ']],
    ['several data lines', 'data: a\ndata: b\n\n', ['a\nb']],
    ['data without colon', 'data\n\n', ['']],
    ['comments and unknown fields', ': ping\n\nfoo: bar\ndata: a\nretry: 5\n\n', ['a']],
    ['nothing but a name', 'event: x\n\ndata: a\n\n', ['a']],
    ['a byte order mark', '\ufeffdata: a\n\n', ['a']],
    ['a byte order mark alone', '\ufeff\ndata: a\n\n', ['a']],
    ['the last event without blank line', 'data: a\n\ndata: b', ['a', 'b']],
    ['the last event without blank line, ended line', 'data: a\n\ndata: b\n', ['a', 'b']],
    ['empty', '', []],
    ['blank lines', '\n\n\r\n\r', []],
  ])('%s', (_, text, expected) => {
    expect(datas(text)).toEqual(expected)
  })

  test('names and ids', () => {
    expect(read([bytes('event: tick\nid: 7\ndata: a\n\nevent:\ndata: b\n\n')]).events).toEqual([
      { event: 'tick', id: '7', data: 'a' },
      { event: 'message', id: undefined, data: 'b' },
    ])
  })

  test('an event at the limit is read, one beyond is left out, and the next is read', () => {
    const long = `data: ${'x'.repeat(94)}`
    expect(long.length).toBe(100)
    expect(datas(`${long}\n\ndata: b\n\n`, 100)).toEqual([long.slice(6), 'b'])
    const { events, truncated } = read([bytes(`${long}x\nevent: e\n\ndata: b\n\n`)], 100)
    expect(events).toEqual([{ event: 'message', id: undefined, data: 'b' }])
    expect(truncated).toBe(true)
  })

  test('a line that never ends holds no more than the limit', () => {
    const pieces = Array.from({ length: 50 }, () => bytes('data: '.repeat(20)))
    expect(read([...pieces, bytes('\n\ndata: b\n\n')], 100).events.map((event) => event.data)).toEqual(['b'])
  })

  test('however the bytes are cut, the events are the same', () => {
    const token = fc.constantFrom(
      'data: ',
      'data',
      'event: x',
      'id: 1',
      ':',
      '\n',
      '\r\n',
      '\r',
      '\n\n',
      'ü',
      '你',
      'a',
    )
    const stream = fc.array(token, { maxLength: 30 }).map((tokens) => bytes(tokens.join('')))
    const cuts = fc.array(fc.nat(120), { maxLength: 10 })
    const limit = fc.constantFrom(12, 1000)
    fc.assert(
      fc.property(stream, cuts, limit, (whole, positions, max) => {
        const sorted = [0, ...positions.filter((at) => at < whole.length).sort((a, b) => a - b), whole.length]
        const pieces = sorted.slice(1).map((end, index) => whole.subarray(sorted[index], end))
        expect(read(pieces, max)).toEqual(read([whole], max))
      }),
      { numRuns: 500 },
    )
  })
})
