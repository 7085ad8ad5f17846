import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { issuesOf, questionOf, reflect } from '../../../../test/support/gates/reflect.ts'
import { NO_WATCH } from '../../../core/telemetry.ts'
import { createEmbeddedReflector } from './index.ts'

// Hundreds of calls in one test, on whatever machine.
vi.setConfig({ testTimeout: 60_000 })

const LETTERS = fc.stringMatching(/^[A-Za-z]{2,6}$/)
const DIGITS = fc.stringMatching(/^[1-9][0-9]{3,9}$/)

/** Values that the identifier class has an eye on. */
const identifier = fc.oneof(
  fc.tuple(LETTERS, DIGITS).map(([letters, digits]) => `${letters}-${digits}`),
  fc.uuid(),
  fc.emailAddress(),
  fc.webUrl({ withQueryParameters: true }),
  fc.tuple(LETTERS, LETTERS).map(([folder, file]) => `/${folder}/${file}.pdf`),
  fc.ipV4(),
  DIGITS,
)
const name = fc.constantFrom(
  'id',
  'user_id',
  'email',
  'url',
  'file',
  'thing',
  'account',
  'trackingNumber',
  'to',
  'phone',
)

test('a call made only of what the user said is never called an invention', async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(name, identifier, { minKeys: 1 }), fc.boolean(), async (args, inTool) => {
      const said = `Take ${Object.values(args).join(' and ')} please`
      const messages = inTool
        ? [
            { role: 'user', content: 'go' },
            { role: 'tool', content: JSON.stringify(args) },
          ]
        : [{ role: 'user', content: said }]
      const properties = Object.fromEntries(Object.keys(args).map((key) => [key, {}]))
      expect(await issuesOf({ args, properties, messages })).toEqual([])
    }),
    { numRuns: 200 },
  )
})

test('an identifier of which the conversation has nothing is always called an invention', async () => {
  const apart = fc.tuple(LETTERS, DIGITS).map(([letters, digits]) => `${letters}-${digits}`)
  await fc.assert(
    fc.asyncProperty(apart, fc.lorem(), async (id, user) => {
      expect(await issuesOf({ args: { order_id: id }, properties: { order_id: {} }, user })).toHaveLength(1)
    }),
    { numRuns: 150 },
  )
})

describe('whatever comes, there is an answer', () => {
  const anything = fc.anything({ maxDepth: 4, withNullPrototype: true })
  const json = fc.jsonValue({ maxDepth: 4 })
  const keyword = fc.constantFrom(
    ...['type', 'properties', 'required', 'enum', 'items', 'anyOf', 'allOf', 'not', 'if', 'then', '$ref', 'pattern'],
    ...[
      'format',
      'dependencies',
      'patternProperties',
      'additionalProperties',
      'default',
      'description',
      'const',
      'minimum',
    ],
  )
  const schema = fc.letrec((tie) => ({
    schema: fc.oneof({ depthSize: 'small' }, json, fc.constant({ $ref: '#' }), fc.dictionary(keyword, tie('schema'))),
  })).schema

  test.each<[string, fc.Arbitrary<unknown>, fc.Arbitrary<string>]>([
    ['as tools and arguments', anything, fc.string({ unit: 'binary' })],
    [
      'as a schema and a value',
      schema.map((parameters) => ({ function: { name: 'act', parameters } })),
      json.map((value) => JSON.stringify({ value })),
    ],
  ])('%s', async (_, tool, argumentsText) => {
    await fc.assert(
      fc.asyncProperty(tool, argumentsText, fc.string(), async (each, text, content) => {
        const question = questionOf({ args: text, tools: [each], messages: [{ role: 'user', content }] })
        const reflection = await createEmbeddedReflector({ track: 'embedded' }).reflect(
          question,
          new AbortController().signal,
          NO_WATCH,
        )
        expect(reflection).not.toMatchObject({ failure: 'internal_error' })
      }),
      { numRuns: 200 },
    )
  })

  test.each<[string, string, string]>([
    ['one letter again and again', 'a', 'a'],
    ['digits', '1', '1'],
    ['signs', '-', '-'],
    ['marks', '\u0301', '\u0301'],
    ['hosts', 'a.', 'a.'],
    ['mails', '@', 'a@'],
    ['blanks', ' ', ' 1'],
    ['defaults', 'default ', 'default'],
    ['months', 'may 1 ', 'may 1'],
    ['numbers in words', 'one hundred and ', 'one'],
    ['numbers with commas', '1,', '1,'],
    ['lists', 'a, b and ', 'a, b'],
    ['times', 'at 5:', '5:00'],
    ['spans', 'next week ', 'next week'],
  ])('a megabyte of %s', async (_, unit, value) => {
    const text = unit.repeat(1_000_000 / unit.length)
    const asked = {
      args: { id: value.repeat(500 / value.length), file: value, date: '2026-03-01', count: 4711 },
      properties: { id: { description: text }, file: {}, date: { description: text }, count: {} },
      user: text,
    }
    expect(await reflect(asked)).toMatchObject({ kind: 'verdict' })
  })

  test('thousands of inventions', async () => {
    const names = Array.from({ length: 4000 }, (_, at) => `n${at}_id`)
    const args = Object.fromEntries(names.map((each) => [each, `TX-${each}`]))
    const issues = await issuesOf({ args, schema: { type: 'object' }, user: 'TX-1 '.repeat(4000) })
    expect(issues).toHaveLength(50)
  })
})
