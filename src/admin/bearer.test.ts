import { expect, test } from 'vitest'
import { bearerCheck } from './bearer.ts'

test.each([
  [undefined, 'Bearer t', 'unset'],
  ['t', 'Bearer t', 'yes'],
  ['t', 'bearer  t', 'yes'],
  ['t', undefined, 'no'],
  ['t', '', 'no'],
  ['t', 't', 'no'],
  ['t', 'Bearer', 'no'],
  ['t', 'Bearer x', 'no'],
  ['t', 'Bearer tt', 'no'],
  ['t', 'Bearer t t', 'no'],
  ['t', 'Basic t', 'no'],
] as const)('%s, asked with %s: %s', (token, authorization, expected) => {
  expect(bearerCheck(() => token)(authorization)).toBe(expected)
})

test('a token that was changed holds from the next question on', () => {
  let token = 'old'
  const authorize = bearerCheck(() => token)
  expect(authorize('Bearer old')).toBe('yes')
  token = 'new'
  expect([authorize('Bearer old'), authorize('Bearer new')]).toEqual(['no', 'yes'])
})
