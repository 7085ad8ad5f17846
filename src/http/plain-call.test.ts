import { describe, expect, test } from 'vitest'
import type { Body } from '../core/exchange.ts'
import { requestHead } from './headers.ts'
import { plainCall } from './plain-call.ts'
import { mayBeText, textOfBody } from './text.ts'

function headOf(method: string, path = '/a/b?c=d', more: readonly (readonly [string, string])[] = []) {
  return requestHead(
    [[':method', method], [':scheme', 'https'], [':authority', 'api.test:8443'], [':path', path], ...more],
    false,
  )
}

function whole(text: string | Uint8Array): Body {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  return { kind: 'whole', raw: bytes, bytes }
}

const NONE: Body = { kind: 'none' }

describe('a request as a tool call', () => {
  test.each([
    ['GET', 'get_url'],
    ['HEAD', 'get_url'],
    ['POST', 'send_http'],
    ['PROPFIND', 'send_http'],
    ['PUT', 'update_http'],
    ['PATCH', 'update_http'],
    ['DELETE', 'delete_http'],
    ['constructor', 'send_http'],
  ])('%s is %s', (method, tool) => {
    expect(plainCall(headOf(method), NONE)).toEqual({ tool, args: { url: 'https://api.test:8443/a/b?c=d' } })
  })

  test.each<[string, Body, unknown]>([
    ['JSON', whole('{"a":[1,"x"]}'), { a: [1, 'x'] }],
    ['JSON that readers take differently', whole('{"a":1,"a":2}'), '{"a":1,"a":2}'],
    ['a form', whole('a=1&b=2'), 'a=1&b=2'],
    ['long text', whole('é'.repeat(100_000)), 'é'.repeat(32_768)],
    ['no text', whole(Uint8Array.of(0, 1, 2)), undefined],
    ['nothing that was read', { kind: 'unread' }, undefined],
  ])('the body: %s', (_, body, expected) => {
    expect(plainCall(headOf('POST'), body).args.body).toEqual(expected)
  })

  test('a long address is cut', () => {
    expect(plainCall(headOf('GET', `/${'x'.repeat(20_000)}`), NONE).args.url).toHaveLength(8_192)
  })
})

const typed = (type: string) => headOf('POST', '/', [['content-type', type]]).headers

test.each([
  ['text/plain', true],
  ['TEXT/HTML; charset=utf-8', true],
  ['application/json', true],
  ['application/problem+json', true],
  ['image/svg+xml', true],
  ['application/xhtml+xml', true],
  ['application/x-ndjson', true],
  ['application/x-www-form-urlencoded', true],
  ['application/octet-stream', false],
  ['application/pdf', false],
  ['application/grpc', false],
  ['image/png', false],
  ['multipart/form-data; boundary=x', false],
])('%s may be text: %s', (type, expected) => {
  expect(mayBeText(typed(type))).toBe(expected)
})

test.each<[string, string, Uint8Array, unknown]>([
  ['UTF-8', 'text/plain', Uint8Array.of(0xc3, 0xa9), { text: 'é', damaged: false }],
  ['a character that is cut', 'text/plain', Uint8Array.of(0x61, 0xc3), { text: 'a', damaged: false }],
  ['a byte of no character', 'text/plain', Uint8Array.of(0x61, 0xff), { text: 'a\ufffd', damaged: true }],
  ['latin1', 'text/plain; charset=iso-8859-1', Uint8Array.of(0xe9), { text: 'é', damaged: false }],
  ['an unknown character set', 'text/plain; charset=x-own', Uint8Array.of(0x61), undefined],
  ['controls', 'text/plain', Uint8Array.of(0x61, 0), undefined],
])('the text of bytes: %s', (_, type, bytes, expected) => {
  expect(textOfBody(typed(type), bytes)).toEqual(expected)
})
