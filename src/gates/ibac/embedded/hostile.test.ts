import { describe, expect, test } from 'vitest'
import { Evidence } from './evidence.ts'
import { userFacts } from './user.ts'
import { valuesOf } from './values.ts'

const CHARACTERS = 20_000
/** Texts on which an expression that searches back and forth would not end. */
const HOSTILE = [
  'a',
  ' ',
  '\n',
  '<',
  '<p ',
  '<p>',
  'a.',
  'a@',
  'a@a.',
  '1,',
  '-',
  '{',
  '["',
  "('",
  'f(',
  '- a:\n ',
  'let a ',
  'do ',
  'you ',
  'the user ',
  '://',
  'ignore ',
  'id="',
  'ignore all ',
  'system ',
  'assistant a ',
  'before you ',
  'then you may ',
  'role: ',
  'please hi ',
  'a.i.',
  'der ',
]

describe('long texts of the same, again and again', () => {
  test.each(HOSTILE)('%j', (piece) => {
    const text = piece.repeat(CHARACTERS / piece.length)
    const evidence = new Evidence()
    evidence.take({ tool: 'read', args: { text }, result: text })
    expect(evidence.results).toHaveLength(1)
    expect(userFacts(text).text).toHaveLength(text.length)
    expect(valuesOf({ text, body: text }).length).toBeLessThanOrEqual(2)
  })
})
