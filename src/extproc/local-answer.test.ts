import { expect, test } from 'vitest'
import type { Answer } from '../core/ruling.ts'
import { bareRefusal, localAnswer } from './local-answer.ts'

const GOOD: Answer = {
  status: 403,
  headers: [['content-type', 'application/json']],
  body: Buffer.from('{}'),
  details: 'ibac.blocked',
}

test('a good answer stays as it is', () => {
  expect(localAnswer(GOOD)).toEqual(GOOD)
})

test.each([
  [200, 200],
  [599, 599],
  [0, 500],
  [100, 500],
  [199, 500],
  [600, 500],
  [403.5, 500],
  [Number.NaN, 500],
  [undefined as unknown as number, 500],
])('status %s goes out as %d', (status, expected) => {
  expect(localAnswer({ ...GOOD, status }).status).toBe(expected)
})

test.each([
  [204, 0],
  [304, 0],
  [205, 2],
  [403, 2],
])('a body with %d is of %d bytes', (status, bytes) => {
  expect(localAnswer({ ...GOOD, status }).body.length).toBe(bytes)
})

test.each(['content-length', ':status', 'transfer-encoding', 'host', 'Bad', 'x-envoy-a'])(
  'header %s is left out',
  (name) => {
    expect(localAnswer({ ...GOOD, headers: [[name, '1'], ...GOOD.headers] }).headers).toEqual(GOOD.headers)
  },
)

test('a header value that would end the header is left out', () => {
  expect(localAnswer({ ...GOOD, headers: [['x-a', 'a\r\nb'], ...GOOD.headers] }).headers).toEqual(GOOD.headers)
})

test('details are a code, whatever was given', () => {
  expect(localAnswer({ ...GOOD, details: 'a b\n"c"' }).details).toBe('a_b__c_')
})

test('the refusal of last resort says its code', () => {
  const answer = bareRefusal('plumbline.plugin_failed')
  expect(answer).toMatchObject({ status: 503, details: 'plumbline.plugin_failed' })
  expect(JSON.parse(Buffer.from(answer.body).toString())).toMatchObject({ error: 'plumbline.plugin_failed' })
})
