import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cut } from '../../../../test/support/parsers/exchange.ts'
import { dataOf, withData } from './event-lines.ts'
import { createEventSplitter } from './splitter.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const text = (raw: Uint8Array): string => Buffer.from(raw).toString()

function split(pieces: readonly Uint8Array[], limit = 1000) {
  const events: string[] = []
  const splitter = createEventSplitter((raw) => {
    events.push(text(raw))
    return undefined
  }, limit)
  let why: string | undefined
  const rest: Uint8Array[] = []
  for (const piece of pieces) {
    if (why === undefined) why = splitter.feed(piece)
    else rest.push(piece)
  }
  why ??= splitter.end()
  return { events, why, unread: text(Buffer.concat([...splitter.unread, ...rest])) }
}

describe('createEventSplitter', () => {
  test.each<[string, readonly string[], string | undefined, string]>([
    ['data: a\n\ndata: b\n\n', ['data: a\n\n', 'data: b\n\n'], undefined, ''],
    ['data: a\r\n\r\ndata: b\n\r\n', ['data: a\r\n\r\n', 'data: b\n\r\n'], undefined, ''],
    ['\n\ndata: a\nid: 1\n\n\n', ['\n', '\n', 'data: a\nid: 1\n\n', '\n'], undefined, ''],
    ['data: a\n\ndata: b', ['data: a\n\n', 'data: b'], undefined, ''],
    ['data: a\n\ndata: b\n', ['data: a\n\n', 'data: b\n'], undefined, ''],
    ['data: a\n\ndata: b\rx\n\ndata: c', ['data: a\n\n'], 'a carriage return alone', 'data: b\rx\n\ndata: c'],
    ['data: a\r\r', [], 'a carriage return alone', 'data: a\r\r'],
    ['data: a\n\r', [], 'a carriage return alone', 'data: a\n\r'],
    ['data: a\r\r\n\n', [], 'a carriage return alone', 'data: a\r\r\n\n'],
  ])('%j', (stream, events, why, unread) => {
    expect(split([bytes(stream)])).toEqual({ events, why, unread })
  })

  test('an event at the limit is one, a longer one is none', () => {
    const event = `data: ${'x'.repeat(12)}\n\n`
    expect(event.length).toBe(20)
    expect(split([bytes(event)], 20)).toEqual({ events: [event], why: undefined, unread: '' })
    for (const pieces of [[event], [event.slice(0, 10), event.slice(10)]]) {
      expect(split(pieces.map(bytes), 19)).toEqual({ events: [], why: 'an event is too long', unread: event })
    }
  })

  test('however the bytes are cut, the events are the same', () => {
    const token = fc.constantFrom('data: ', 'x', ':', '\n', '\n\n', '\r\n', '\r\n\r\n', '\r', 'ü')
    const stream = fc.array(token, { maxLength: 30 }).map((tokens) => bytes(tokens.join('')))
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 8 }), fc.constantFrom(10, 1000), (whole, places, limit) => {
        const { events, unread, why } = split([whole], limit)
        const pieces = split(cut(whole, places), limit)
        // A long line with a carriage return in it may be told to be either.
        expect({ ...pieces, why: pieces.why === undefined }).toEqual({ events, unread, why: why === undefined })
        expect(events.join('') + unread).toBe(text(whole))
      }),
      { numRuns: 500 },
    )
  })

  test('a stream of one byte at a time is copied once', () => {
    let copied = 0
    const splitter = createEventSplitter((raw) => {
      copied += raw.length
      return undefined
    }, 100_000)
    const stream = bytes(`data: ${'x'.repeat(10_000)}\n\n`)
    for (let at = 0; at < stream.length; at++) splitter.feed(stream.subarray(at, at + 1))
    expect(copied).toBe(stream.length)
  })
})

describe('dataOf', () => {
  test.each([
    ['data: a\n\n', ''],
    ['event: x\ndata: a\n\n', 'x'],
    ['data: a\r\nevent:x\r\nevent: x\r\n\r\n', 'x'],
  ])('%j is named %j', (event, name) => {
    expect(dataOf(bytes(event), 0)).toMatchObject({ ok: true, name })
  })

  test.each<[string, string | undefined]>([
    ['data: a\n\n', 'a'],
    ['data:a\r\n\r\n', 'a'],
    ['data:  a \n\n', ' a '],
    ['data: a\ndata:b\ndata\n\n', 'a\nb\n'],
    ['data\n\n', ''],
    ['data:\n\n', ''],
    ['data: \n\n', ''],
    ['event: data\nid: {\nretry: 1\n: data x\nfoo: data\ndata: a\n\n', 'a'],
    ['event: x\n\n', undefined],
    ['\n', undefined],
    ['data: a', 'a'],
  ])('%j', (event, expected) => {
    const read = dataOf(bytes(event), 0)
    expect(read.ok && read.data !== undefined ? text(read.data) : read.ok ? undefined : read).toEqual(expected)
  })

  test.each([
    ' data: a\n\n',
    'Data: a\n\n',
    '\ufeffdata: a\n\n',
    '{"choices":[]}\n\n',
    'x: 1\n\tdata: a\n\n',
    '\x1fdata: a\n\n',
    '"data"\n\n',
    ': data: a\n\n',
    'id: data:a\n\n',
    ': a\u2028b\n\n',
    'event: a\x85b\n\n',
    'x\vy\n\n',
    'event: a\nevent: b\ndata: c\n\n',
    'data: {"a":\ndata: {"b":1}\ndata: }\n\n',
    'database: 1\n\n',
    '\u00a0data: a\n\n',
  ])('%j is read by some', (event) => {
    expect(dataOf(bytes(event), 0)).toEqual({ ok: false })
  })
})

describe('withData', () => {
  test.each<[string, string, string | undefined, string]>([
    ['data: a\n\n', 'b', undefined, 'data: b\n\n'],
    [
      'id: 1\r\nevent: x\r\ndata:a\r\ndata:b\r\nretry: 1\r\n\r\n',
      'c\nd',
      undefined,
      'id: 1\r\nevent: x\r\ndata: c\r\ndata: d\r\nretry: 1\r\n\r\n',
    ],
    ['event: x\nid: 1\ndata: a\n\n', 'b', 'y', 'id: 1\nevent: y\ndata: b\n\n'],
    ['data: a', 'b', 'y', 'event: y\ndata: b\n\n'],
    ['data: a\n', 'b', undefined, 'data: b\n\n'],
    ['data: a\nid: 1', 'b', undefined, 'data: b\nid: 1\n\n'],
  ])('%j', (event, data, name, expected) => {
    expect(text(withData(bytes(event), data, name))).toBe(expected)
  })
})
