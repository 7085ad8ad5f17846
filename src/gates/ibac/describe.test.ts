import { describe, expect, test } from 'vitest'
import { gateExchange, plain, toolCall, type GateGiven } from '../../../test/support/gates/kit.ts'
import type { Action } from '../../core/action.ts'
import { describe as describeAction } from './describe.ts'

const options = { maxActionBytes: 16_384, secrets: ['canary-judge-bearer-1234'] }

function shown(action: Action, given: GateGiven = {}, more: Partial<typeof options> = {}) {
  const description = describeAction(action, gateExchange(given), { ...options, ...more })
  return { ...description, value: JSON.parse(description.json) as Record<string, Record<string, unknown>> }
}

// req: ibac:step:describe_request
describe('a plain request', () => {
  test('is shown with its line, type, length and digest, and its body', () => {
    const { value, whole } = shown(plain, {
      host: 'evil.test:8080',
      path: '/collect?code=X7B-92K&budget=2.4M',
      headers: { 'content-type': 'text/plain' },
      body: 'hello',
    })
    expect(value).toEqual({
      kind: 'plain HTTP request',
      http: {
        method: 'POST',
        url: 'http://evil.test:8080/collect?code=X7B-92K&budget=2.4M',
        media_type: 'text/plain',
        body_bytes: 5,
        body_sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
      },
      action: { body: 'hello' },
    })
    expect(whole).toBe(true)
  })

  test('without a body has none', () => {
    expect(shown(plain, { path: '/a' }).value).toEqual({
      kind: 'plain HTTP request',
      http: { method: 'GET', url: 'http://peer.test/a' },
      action: {},
    })
  })

  const bodies: readonly [string, Record<string, string>, string, unknown][] = [
    ['JSON by its keys', { 'content-type': 'application/json' }, '{"a":{"b":[1]}}', { a: { b: [1] } }],
    ['JSON that says it is something else', { 'content-type': 'text/plain' }, '{"a":1}', { a: 1 }],
    ['JSON that says nothing', {}, '{"a":1}', { a: 1 }],
    ['JSON with a key twice as it is', {}, '{"a":1,"a":2}', '{"a":1,"a":2}'],
    [
      'a form by its fields, each with all its values',
      { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
      'to=a%40b.test&x=1&x=2+3',
      { to: 'a@b.test', x: ['1', '2 3'] },
    ],
    ['a form that does not say so as text', {}, 'to=a%40b.test', 'to=a%40b.test'],
  ]
  test.each(bodies)('shows %s', (_name, headers, body, value) => {
    expect(shown(plain, { headers, body }).value['action']).toEqual({ body: value })
  })

  test('has the headers that replace its method or path, and no others', () => {
    const headers = { 'x-http-method-override': 'DELETE', 'x-rewrite-url': '/b?to=m', authorization: 'Bearer x' }
    expect(shown(plain, { path: '/a', headers }).value['http']).toEqual({
      method: 'GET',
      url: 'http://peer.test/a',
      replaced_by_header: ['x-http-method-override: DELETE', 'x-rewrite-url: /b?to=m'],
    })
  })

  test('is text where its character set changes nothing about it', () => {
    const headers = { 'content-type': 'text/plain; charset=iso-8859-1' }
    expect(shown(plain, { headers, body: 'hello' }).value['action']).toEqual({ body: 'hello' })
  })

  // Each field costs the same, however many there are: nothing else runs meanwhile.
  test('may be a form of very many fields', () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const form = (fields: number) => Array.from({ length: fields }, (_, index) => `f${index}=1`).join('&')
    expect(shown(plain, { headers, body: form(16_384) }).json).toContain('16284 members left out')
    expect(shown(plain, { headers, body: form(50_000) })).toMatchObject({ whole: false })
    expect(shown(plain, { headers, body: form(50_000) }).json).toContain('not shown')
  })

  test('keeps every name of a long body in sight', () => {
    const prose = 'and so on and so forth, '.repeat(500)
    const body = { note: `${prose} to https://evil.test/c?d=1 or a@evil.test, evil.test:81, TX-991 ${prose}` }
    const { json, whole } = shown(plain, { body })
    for (const name of ['https://evil.test/c?d=1', 'a@evil.test', 'evil.test:81', 'TX-991']) {
      expect(json).toContain(name)
    }
    expect(json.length).toBeLessThan(2000)
    expect(whole).toBe(true)
  })

  test('has its URL in full', () => {
    const path = `/a?${'x'.repeat(5000)}&u=https://evil.test/TX-991`
    expect(shown(plain, { path }).json).toContain(`http://peer.test${path}`)
  })
})

describe('what is no text', () => {
  const opaque: readonly [string, GateGiven][] = [
    ['binary', { body: Uint8Array.of(0x50, 0x4b, 3, 4, 0xff) }],
    ['text with a zero', { body: 'a\u0000b' }],
    ...[
      ['UTF-7, where ASCII spells something else', 'application/json; charset=utf-7', '{"a":"+AGE-"}'],
      ['a character set that we do not know', 'application/x-www-form-urlencoded; charset=ibm037', 'to=a'],
      ['a character set for each reader', 'text/plain; charset=utf-8; charset=utf-7', 'a'],
    ].map(([name = '', type = '', body = '']): [string, GateGiven] => [
      name,
      { headers: { 'content-type': type }, body },
    ]),
    ['a body that was not read', { method: 'POST', read: { kind: 'unread' } }],
    ['a body over the limit', { method: 'POST', read: { kind: 'over-limit', raw: Uint8Array.of(1), limitBytes: 1 } }],
    [
      'a body that cannot be decoded',
      { method: 'POST', read: { kind: 'undecodable', raw: Uint8Array.of(1), why: '' } },
    ],
  ]
  test.each(opaque)('is said to be so: %s', (_name, given) => {
    const { value, whole } = shown(plain, given)
    expect(value['action']).toEqual({ body: 'not shown: no text that can be read here' })
    expect(whole).toBe(false)
  })
})

describe('what a parser understood', () => {
  // req: ibac:step:describe_tool
  test('a tool call has its name and arguments, and not the raw body', () => {
    const { value } = shown(toolCall('send_email', { to: 'a@b.test' }), { body: { jsonrpc: '2.0', other: 'raw' } })
    expect(value['kind']).toBe('tool call')
    expect(value['action']).toEqual({ tool: 'send_email', arguments: { to: 'a@b.test' } })
    expect(value['http']).toMatchObject({ method: 'POST', url: 'http://peer.test/' })
  })

  // req: ibac:step:describe_inference
  test('an inference has the model and the first user message', () => {
    const action: Action = { kind: 'inference', model: 'm', firstUserText: 'hi', effect: 'read', home: 'foreign' }
    const { value } = shown(action, { body: { messages: ['raw'] } })
    expect(value['action']).toEqual({ model: 'm', first_user_message: 'hi' })
    const beside = { to: 'mallory', amount: 900 }
    expect(shown({ ...action, beside }).value['action']).toMatchObject({ beside })
  })

  test('another request has what it is and its arguments', () => {
    const action: Action = { kind: 'request', what: 'resources/read', args: { uri: 'x' }, effect: 'read', home: 'own' }
    expect(shown(action).value['action']).toEqual({ what: 'resources/read', arguments: { uri: 'x' } })
  })

  test('housekeeping that is judged has its body, so that it can hide nothing', () => {
    const action: Action = { kind: 'mechanics', what: 'initialize', effect: 'read', home: 'foreign' }
    const { value } = shown(action, { body: { clientInfo: { name: 'X7B-92K' } } })
    expect(value['kind']).toBe('protocol housekeeping')
    expect(value['action']).toEqual({
      what: 'initialize',
      effect: 'read',
      body: { clientInfo: { name: 'X7B-92K' } },
    })
  })
})

// req: ibac:step:no_secrets
describe('secrets', () => {
  const headers = {
    authorization: 'Bearer canary-authorization',
    'proxy-authorization': 'Basic canary-proxy',
    cookie: 'sid=canary-cookie',
    'x-api-key': 'canary-api-key',
    'content-type': 'application/json; note=canary-parameter',
  }
  test.each([plain, toolCall('t', { a: 1 })])(
    'of the headers nothing is shown but the media type ($kind)',
    (action) => {
      const { json } = shown(action, { headers, body: { a: 1 } })
      expect(json).not.toContain('canary')
      expect(json).toContain('application/json')
    },
  )

  test('a password in the authority is not shown, and the host is', () => {
    const { json } = shown(plain, { head: { authority: 'good.test:canary@evil.test' } })
    expect(json).not.toContain('canary')
    expect(json).toContain('http://evil.test/')
  })

  test('the configured bearer is not shown, wherever it stands', () => {
    const secret = 'canary-judge-bearer-1234'
    const long = 'a '.repeat(340) + secret + ' b'.repeat(2000)
    for (const given of [
      { path: `/x?t=${secret}` },
      { body: { a: secret, [secret]: long } },
      { body: `text ${secret}` },
      { body: long },
    ]) {
      const { json } = shown(plain, given)
      expect(json).not.toContain('canary')
      expect(json).toContain('[secret]')
    }
    expect(shown(toolCall('t', { a: [secret] })).json).not.toContain('canary')
  })

  test('a placeholder for one blanks no words', () => {
    expect(shown(plain, { host: 'ollama.test' }, { secrets: ['ollama', ''] }).json).toContain('ollama.test')
  })
})

describe('the limit', () => {
  const args = (bytes: number) => ({ list: Array.from({ length: 40 }, (_, i) => `TX-${i}${'x'.repeat(bytes / 40)}`) })

  test('counts the tool and its arguments, not the request around them', () => {
    const { actionBytes } = shown(toolCall('t', { a: 1 }), { path: `/${'p'.repeat(3000)}`, body: 'y'.repeat(9000) })
    expect(actionBytes).toBe('{"tool":"t","arguments":{"a":1}}'.length)
  })

  test('is kept at the byte', () => {
    const action = toolCall('t', args(4000))
    const { actionBytes } = shown(action)
    expect(shown(action, {}, { maxActionBytes: actionBytes }).whole).toBe(true)
    const cut = shown(action, {}, { maxActionBytes: actionBytes - 1 })
    expect(cut.whole).toBe(false)
    expect(cut.value['action']).toMatchObject({ of_bytes: actionBytes })
  })

  test('cuts what is longer, and says so', () => {
    const { value, json } = shown(toolCall('send', args(20_000)), {}, { maxActionBytes: 2000 })
    expect(String(value['action']?.['cut'])).toMatch(/^\{"tool":"send","arguments":\{"list":\["TX-0/)
    expect(Buffer.byteLength(String(value['action']?.['cut']))).toBe(2000)
    expect(json.length).toBeLessThan(3000)
  })

  test('a text that is too long to be searched is not shown whole', () => {
    expect(shown(plain, { body: 'w '.repeat(65_536) }).whole).toBe(true)
    expect(shown(plain, { body: 'w '.repeat(65_537) }).whole).toBe(false)
  })

  test('cuts no character in half', () => {
    const { value } = shown(toolCall('t', { a: Array<string>(40).fill('é'.repeat(200)) }), {}, { maxActionBytes: 1025 })
    expect(String(value['action']?.['cut'])).not.toContain('\uFFFD')
  })
})
