import { expect, test } from 'vitest'
import { printable } from './printable.ts'

test.each([
  ['\u001b[2J', '\\u001b[2J'],
  ['\u009b31m', '\\u009b31m'],
  ['a\rb\tc\u0000d\u007f', 'a\\u000db\\u0009c\\u0000d\\u007f'],
  ['abc\u202ecba\u2066\u2028', 'abc\\u202ecba\\u2066\\u2028'],
  ['two\nlines, “words”, ä, 日本, 🙂', 'two\nlines, “words”, ä, 日本, 🙂'],
])('%j', (text, plain) => {
  expect(printable(text)).toBe(plain)
})

test('JSON says the same', () => {
  const value = { a: '\u001b[31m\u009b2J\u202e\u2028"\\\n', 'k\u0085': 1 }
  const text = printable(JSON.stringify(value, undefined, 2))
  expect(JSON.parse(text)).toEqual(value)
  expect(text).toMatch(/^[\n -~]+$/)
})
