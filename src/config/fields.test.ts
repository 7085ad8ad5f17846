import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import {
  choice,
  duration,
  type Field,
  flag,
  globs,
  integer,
  list,
  number,
  secret,
  strictObject,
  text,
  UNKNOWN_KEY,
} from './fields.ts'
import { Substituted } from './substituted.ts'

const from = (value: string, source = '${X}') => new Substituted(value, source)

function read(field: z.ZodType, input: unknown): unknown {
  const result = field.safeParse(input)
  if (result.success) return result.data
  return result.error.issues.map((issue) => `${[...issue.path, ''].join('.')}${issue.message}`)
}

describe('a field takes its own type, written or substituted', () => {
  const cases: readonly (readonly [string, Field<unknown>, unknown, unknown])[] = [
    ['text', text(), 'a', 'a'],
    ['empty text', text(), '', ''],
    ['text from a variable that looks like a number', text(), from('4'), '4'],
    ['secret', secret(), from('s3cret'), 's3cret'],
    ['integer', integer(1, 9), 9, 9],
    ['integer from a variable', integer(1, 9), from('9'), 9],
    ['number', number(0, 5), 2.5, 2.5],
    ['number from a variable', number(0, 5), from('2.5'), 2.5],
    ['flag', flag(), false, false],
    ['flag from a variable', flag(), from('TRUE'), true],
    ['choice', choice(['a', 'b']), 'b', 'b'],
    ['choice from a variable', choice(['a', 'b']), from('a'), 'a'],
    ['minutes', duration(0, 1e9), '30m', 1_800_000],
    ['milliseconds', duration(0, 1e9), '500ms', 500],
    ['seconds without a unit', duration(0, 1e9), 90, 90_000],
    ['seconds without a unit, from a variable', duration(0, 1e9), from('90'), 90_000],
    ['list', list(integer(1, 9)), [1, from('2')], [1, 2]],
    ['globs', globs('host'), ['*.example.com', from('b.example.com')], ['*.example.com', 'b.example.com']],
    ['mapping', strictObject({ a: integer(1, 9), b: text().default('x') }), { a: 1 }, { a: 1, b: 'x' }],
    ['mapping with nothing in it', strictObject({ b: text().default('x') }), null, { b: 'x' }],
  ]
  test.each(cases)('%s', (_name, field, input, expected) => {
    expect(read(field, input)).toEqual(expected)
  })
})

describe('a field says what is wrong and what would be right', () => {
  const cases: readonly (readonly [Field<unknown>, unknown, readonly string[]])[] = [
    [text(), 4, ['must be text, is the number; put it in quotes']],
    [text(), null, ['must be text, is empty']],
    [text({ nonEmpty: true }), '', ['must not be empty']],
    [text({ nonEmpty: true }), from(''), ['must not be empty, comes from ${X}, which is empty']],
    [integer(1, 9), 10, ['must be a whole number from 1 to 9, is the number 10']],
    [integer(1, 9), 1.5, ['must be a whole number from 1 to 9, is the number 1.5']],
    [integer(1, 9), '5', ['must be a whole number from 1 to 9, is the text "5"']],
    [integer(1, 9), from(''), ['must be a whole number from 1 to 9, comes from ${X}, which is empty']],
    [number(0, 1), [], ['must be a number from 0 to 1, is a list']],
    [number(0, 1), NaN, ['must be a number from 0 to 1, is the number NaN']],
    [flag(), 'yes', ['must be true or false, is the text "yes"']],
    [flag(), from(''), ['must be true or false, comes from ${X}, which is empty']],
    [choice(['a', 'b']), 'c', ['must be one of a, b; is the text "c"']],
    [choice(['a', 'b']), true, ['must be one of a, b; is the flag true']],
    [
      duration(1000, 86_400_000),
      '1w',
      ['must be a time from 1s to 1d, is the text "1w"; write it as 30m, 60s, 500ms, 24h or a number of seconds'],
    ],
    [list(text()), 'a', ['must be a list, is the text "a"']],
    [list(text()), ['a', 1], ['1.must be text, is the number; put it in quotes']],
    [strictObject({}), from('x'), ['must be a mapping, comes from ${X}, whose value is something else']],
    [strictObject({ a: text(), b: list(text()) }), {}, ['a.is required', 'b.is required']],
    [
      strictObject({ a: text(), b: text() }),
      { a: 1, b: 2, c: 3 },
      [
        'a.must be text, is the number; put it in quotes',
        'b.must be text, is the number; put it in quotes',
        `c.${UNKNOWN_KEY}`,
      ],
    ],
  ]
  test.each(cases)('%# %j', (field, input, expected) => {
    expect(read(field, input)).toEqual(expected)
  })

  test('a glob that matches everything', () => {
    expect(read(globs('host'), ['ok.example.com', '*'])).toEqual([expect.stringMatching(/^1\../)])
  })
})

test('no message shows a value that came from the environment', () => {
  const canary = from('canary-7f3a', 'x${KEY}')
  const fields = [integer(1, 2), number(1, 2), flag(), choice(['a']), duration(1, 2), list(text()), strictObject({})]
  const said = fields.flatMap((field) => read(field, canary))
  said.push(...(read(globs('host'), [from('canary/', '${GLOB}')]) as string[]))
  expect(said).toHaveLength(fields.length + 1)
  expect(said.join('\n')).not.toContain('canary')
})

test('no message shows a secret', () => {
  expect(JSON.stringify(read(secret(), 987654321))).not.toContain('987654321')
  expect(JSON.stringify(read(secret(), ['canary']))).not.toContain('canary')
})
