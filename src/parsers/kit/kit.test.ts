import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { answered, cut, exchangeOf, type Given } from '../../../test/support/parsers/exchange.ts'
import type { Body } from '../../core/exchange.ts'
import { compileGlobs } from '../../http/globs.ts'
import { headerView } from '../../http/headers.ts'
import { collectAnswer, EVENT_BYTES } from './answer.ts'
import { glimpses, mayStandOn, standsOn, unreadableBytes } from './claim.ts'
import { compileHome } from './home.ts'
import { clarificationOf, oneLine, plainRefusal, rpcRefusal, takesOnlyEvents } from './refusal.ts'

const xOf = (given: Given) => exchangeOf(given).x
const bytes = (text: string) => new TextEncoder().encode(text)
const textOf = (body: Uint8Array) => new TextDecoder().decode(body)

describe('where a message goes', () => {
  test.each<[string, Given, readonly string[], readonly string[], string]>([
    ['own', { host: 'A.test.:80' }, ['a.test'], [], 'own'],
    ['another host', { host: 'b.test' }, ['a.test'], [], 'foreign'],
    ['no hosts', { host: 'a.test' }, [], [], 'unstated'],
    ['lent', { host: 'b.test' }, ['a.test'], ['b.test:80'], 'own'],
    ['lent, with no hosts', { host: 'b.test' }, [], ['b.test'], 'own'],
    ['another host than the lent one', { host: 'a.test' }, [], ['b.test'], 'unstated'],
    ['the Host header proves nothing', { host: 'a.test', routesByHost: false }, ['a.test'], ['a.test'], 'unstated'],
  ])('%s', (_, given, hosts, lent, expected) => {
    expect(compileHome(hosts, lent)(xOf(given))).toBe(expected)
  })
})

describe('paths', () => {
  const paths = compileGlobs(['/mcp'], 'path')
  test.each<[string, boolean, boolean]>([
    ['/mcp', true, true],
    ['/mcp/', true, true],
    ['/x/../mcp', true, false],
    ['//mcp', true, true],
    ['/%6dcp', true, false],
    ['/mcp;a=b', true, false],
    ['/MCP', true, false],
    ['/x%2f..%2fmcp', true, false],
    ['/%256dcp', true, false],
    ['/mcp/x', false, false],
    ['/', false, false],
  ])('%s may stand there: %s, does: %s', (path, may, does) => {
    expect(mayStandOn(xOf({ path }), paths)).toBe(may)
    expect(standsOn(xOf({ path }), paths)).toBe(does)
  })
})

describe('glimpses', () => {
  const keys = (body: Body, given: Given = {}) => glimpses(xOf(given), body).map((seen) => [...seen.keys])

  test('decoded bytes, and the bytes as they were sent where they differ', () => {
    const raw = bytes('{"a":1}')
    expect(keys({ kind: 'whole', raw, bytes: raw })).toEqual([['a']])
    expect(keys({ kind: 'whole', raw, bytes: bytes('{"b":1}') })).toEqual([['b'], ['a']])
    expect(keys({ kind: 'undecodable', raw, why: '' })).toEqual([['a']])
    expect(keys({ kind: 'over-limit', raw, limitBytes: 1 })).toEqual([['a']])
    expect(keys({ kind: 'none' })).toEqual([])
    expect(keys({ kind: 'unread' })).toEqual([])
  })

  test('as the content type names the characters', () => {
    const raw = bytes('+AHsAIg-a+ACIAOg-1+AH0-')
    const headers = { 'content-type': 'application/json; charset=utf-7' }
    expect(keys({ kind: 'whole', raw, bytes: raw }, { headers })).toEqual([['a']])
  })

  test.each([
    ['application/json; charset=utf-8; charset=utf-7', 2],
    ['text/plain; charset=us-ascii, application/json; charset="UTF-7"', 2],
    [
      `a/b; charset=utf-7${';charset=x'.repeat(9)}${Array.from({ length: 9 }, (_, at) => `;charset=y${at}`).join('')}`,
      4,
    ],
  ])('in each of several ways, up to four: %s', (type, looks) => {
    const raw = bytes('+AHsAIg-a+ACIAOg-1+AH0-')
    const seen = keys({ kind: 'whole', raw, bytes: raw }, { headers: { 'content-type': type } })
    expect(seen).toHaveLength(looks)
    expect(seen).toContainEqual(['a'])
  })
})

describe('unreadableBytes', () => {
  const whole = (raw: Uint8Array): Body => ({ kind: 'whole', raw, bytes: raw })
  test.each<[string, Body, Given, string | undefined]>([
    ['text', whole(bytes('{}')), {}, undefined],
    ['none', { kind: 'none' }, {}, undefined],
    ['over the limit', { kind: 'over-limit', raw: bytes(''), limitBytes: 1 }, {}, 'plumbline.too_large'],
    ['undecodable', { kind: 'undecodable', raw: bytes(''), why: 'w' }, {}, 'plumbline.unsupported_encoding'],
    ['unlabelled gzip', whole(gzipSync('{}')), {}, 'plumbline.unsupported_encoding'],
    [
      'a character set',
      whole(bytes('{}')),
      { headers: { 'content-type': 'a/b; charset=latin1' } },
      'plumbline.unsupported_encoding',
    ],
    ['ASCII', whole(bytes('{}')), { headers: { 'content-type': 'a/b; charset=US-ASCII' } }, undefined],
    ['two types', whole(bytes('{}')), { headers: { 'content-type': 'a/b, c/d' } }, 'plumbline.unreadable'],
  ])('%s', (_, body, given, code) => {
    expect(unreadableBytes(xOf(given), body)?.code).toBe(code)
  })
})

describe('refusals', () => {
  const no = { code: 'ibac.blocked', status: 403, message: ' a\r\nb\u2028c\u0000 ', plugin: 'ibac', requestId: 'r' }

  test('plain', () => {
    const answer = plainRefusal(no)
    expect(answer).toMatchObject({
      status: 403,
      details: 'ibac.blocked',
      headers: [['content-type', 'application/json']],
    })
    expect(textOf(answer.body)).toBe('{"error":"ibac.blocked","message":"a b c","plugin":"ibac","request_id":"r"}')
  })

  test('a clarification that nobody there reads leaves a plain no', () => {
    const reflected = { ...no, status: 200, clarification: 'Ask your user.' }
    expect(plainRefusal(reflected)).toEqual(plainRefusal({ ...no, status: 403 }))
    const answer = rpcRefusal(reflected, '1', { status: 200 })
    expect(JSON.parse(textOf(answer.body))).toMatchObject({ error: { code: -31403, message: 'a b c' } })
  })

  test.each<[string, string, string]>([
    ['as it is', 'a\nb\ud83d\ude00\ufeff', 'a\nb\ud83d\ude00\ufeff'],
    ['with a mark before it', '\ufeffa', '\ufeffa'],
    ['half a character', 'a\ud83d', 'a\ufffd'],
    ['at the limit', 'a'.repeat(4096), 'a'.repeat(4096)],
    ['over it', 'a'.repeat(4097), 'a'.repeat(4096)],
    ['over it, within a character', `${'a'.repeat(4094)}\u20ac\u20ac`, 'a'.repeat(4094)],
  ])('a clarification: %s', (_, clarification, expected) => {
    expect(clarificationOf({ ...no, clarification })).toBe(expected)
  })

  test.each([
    [403, false, -31403],
    [503, false, -31503],
    [413, false, -31413],
    [415, false, -31415],
    [500, false, -31500],
    [408, false, -31408],
    [400, false, -32700],
    [400, true, -32600],
  ])('status %d, envelope %s is code %d', (status, envelope, code) => {
    const answer = rpcRefusal({ ...no, status }, undefined, { status, envelope })
    expect(answer.status).toBe(status)
    expect(JSON.parse(textOf(answer.body))).toEqual({
      jsonrpc: '2.0',
      error: { code, message: 'a b c', data: { reason: 'ibac.blocked', request_id: 'r' } },
    })
  })

  test('as an event, with the blank line that ends it', () => {
    const answer = rpcRefusal(no, '1', { status: 200, asEvent: true })
    expect(textOf(answer.body)).toMatch(/^event: message\ndata: \{"jsonrpc":"2\.0","id":1,[^\n]*\}\n\n$/)
    expect(answer.headers).toContainEqual(['content-type', 'text/event-stream'])
  })

  test('a message is one line of at most 512 characters, whatever it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (message) => {
        const line = oneLine(message)
        expect(line.length).toBeLessThanOrEqual(512)
        expect(line).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
      }),
    )
  })

  test.each<[string[], boolean]>([
    [['text/event-stream'], true],
    [['Text/Event-Stream; q=1'], true],
    [['application/json, text/event-stream'], false],
    [['application/json', 'text/event-stream'], false],
    [['*/*'], false],
    [[''], false],
    [[], false],
  ])('accept %j takes only events: %s', (values, expected) => {
    expect(takesOnlyEvents(headerView(values.map((value) => ['accept', value] as const)))).toBe(expected)
  })
})

describe('collectAnswer', () => {
  function collect(type: string, answer: string, places: readonly number[] = [], how: 'complete' | 'cut' = 'complete') {
    const seen: unknown[] = []
    const collector = collectAnswer(answered(xOf({}), type), {
      json: (value) => void seen.push({ value }),
      event: (data, event) => void seen.push({ data, event }),
    })
    for (const piece of cut(bytes(answer), places)) collector.feed(piece)
    return { seen, ...collector.end(how) }
  }
  const JSON_TYPE = 'application/json'
  const EVENTS = 'text/event-stream'

  test.each<[string, string, string, unknown]>([
    ['JSON', JSON_TYPE, ' {"a":1}', { form: 'json', seen: [{ value: { a: 1 } }] }],
    ['JSON that says it is a stream', EVENTS, '{"a":1}', { form: 'json', seen: [{ value: { a: 1 } }] }],
    [
      'events',
      `${EVENTS}; charset=utf-8`,
      'event: x\ndata: 1\n\n',
      { form: 'events', seen: [{ data: '1', event: 'x' }] },
    ],
    [
      'events that say they are JSON',
      JSON_TYPE,
      'data: 1\n\n',
      { form: 'events', seen: [{ data: '1', event: 'message' }] },
    ],
    ['a comment first', JSON_TYPE, ': hi\n\ndata: 1\n\n', { form: 'events', seen: [{ data: '1', event: 'message' }] }],
    ['an event without its blank line', EVENTS, 'data: 1', { form: 'events', seen: [{ data: '1', event: 'message' }] }],
    ['no JSON', JSON_TYPE, '{"a"', { form: 'json', unread: 'not JSON', seen: [] }],
    ['something else', 'text/html', '<p>', { form: 'other', unread: 'neither JSON nor events', seen: [] }],
    ['nothing', JSON_TYPE, ' \n', { form: 'other', seen: [] }],
    [
      'an event beyond the limit',
      EVENTS,
      `data: ${'x'.repeat(EVENT_BYTES)}\n\n`,
      { form: 'events', unread: 'an event was too long', seen: [] },
    ],
  ])('%s', (_, type, answer, expected) => {
    expect(collect(type, answer)).toEqual(expected)
  })

  test('what is cut is not taken for whole', () => {
    expect(collect(JSON_TYPE, '{"a":1}', [], 'cut')).toEqual({ form: 'json', unread: 'cut', seen: [] })
    expect(collect(EVENTS, 'data: 1\n\ndata: 2', [], 'cut')).toMatchObject({ unread: 'cut', seen: [{ data: '1' }] })
  })

  test('however it is cut into pieces, it says the same', () => {
    const answer = fc.constantFrom(
      ' {"a":"ü"}',
      '\n\ndata: ü\n\nevent: x\ndata: 2\r\n\r\n',
      '<p>',
      ': c\n\ndata: 1\n\n',
    )
    fc.assert(
      fc.property(
        answer,
        fc.constantFrom(JSON_TYPE, EVENTS),
        fc.array(fc.nat(40), { maxLength: 6 }),
        (text, type, places) => {
          expect(collect(type, text, places)).toEqual(collect(type, text))
        },
      ),
    )
  })
})
