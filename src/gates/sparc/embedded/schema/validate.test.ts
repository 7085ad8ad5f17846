import { describe, expect, test } from 'vitest'
import { compileSchema, UnusableSchema } from './compile.ts'
import { Unbounded, violationsOf } from './validate.ts'

/** What is wrong, and where. */
function faults(schema: unknown, value: unknown): readonly string[] {
  return violationsOf(value, compileSchema(schema)).map(({ kind, path }) => [kind, ...path].join(' '))
}

describe('a value that fits its schema has no fault', () => {
  test.each<[string, unknown, unknown]>([
    ['nothing declared', {}, { a: 1 }],
    ['no schema at all', undefined, { a: 1 }],
    [
      'foreign names of types',
      { type: 'dict', properties: { a: { type: 'float' }, b: { type: 'List' } } },
      { a: 1, b: [] },
    ],
    ['a type that nobody knows', { properties: { a: { type: 'money' } } }, { a: 1 }],
    ['an integer written as 3.0', { properties: { a: { type: 'integer' } } }, JSON.parse('{"a":3.0}')],
    ['null where null is named', { properties: { a: { type: ['string', 'null'] } } }, { a: null }],
    ['null by another word for it', { properties: { a: { type: 'string', nullable: true } } }, { a: null }],
    ['one of several', { properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } } }, { a: null }],
    ['a reference', { properties: { a: { $ref: '#/$defs/x' } }, $defs: { x: { type: 'string' } } }, { a: 'x' }],
    [
      'a schema that names itself',
      { properties: { a: { $ref: '#' }, b: { type: 'integer' } } },
      { a: { a: { b: 1 } } },
    ],
    [
      'patterned members',
      { patternProperties: { '^x-': { type: 'integer' } }, additionalProperties: false },
      { 'x-a': 1 },
    ],
    ['a pattern that needs to look around', { properties: { a: { pattern: '^(?=.*z)' } } }, { a: 'b' }],
    ['malformed keywords', { type: 7, required: 'a', enum: 'x', minimum: '3', properties: [], items: 4 }, { a: 1 }],
    ['a date without offset', { properties: { a: { format: 'date-time' } } }, { a: '2026-02-28 10:00:00' }],
    ['a format of another world', { properties: { a: { format: 'colour' } } }, { a: 'x' }],
    ['unequal items', { properties: { a: { uniqueItems: true } } }, { a: [1, '1', { b: 1 }, { b: 2 }] }],
    ['a member called constructor', { properties: { a: { type: 'string' } }, required: ['a'] }, { a: 'constructor' }],
  ])('%s', (_, schema, value) => {
    expect(faults(schema, value)).toEqual([])
  })
})

describe('a value that breaks its schema has the fault', () => {
  test.each<[string, unknown, unknown, string]>([
    ['missing', { required: ['a'] }, {}, 'missing'],
    ['missing, though every object inherits it', { required: ['constructor'] }, {}, 'missing'],
    ['missing deeper', { properties: { o: { required: ['k'] } } }, { o: {} }, 'missing o'],
    ['type', { properties: { a: { type: 'integer' } } }, { a: '5' }, 'type a'],
    ['type of an item', { properties: { a: { items: { type: 'integer' } } } }, { a: [1, 'x'] }, 'type a 1'],
    [
      'type behind a reference',
      { properties: { a: { $ref: '#/$defs/x' } }, $defs: { x: { type: 'string' } } },
      { a: 1 },
      'type a',
    ],
    ['type of all', { allOf: [{ properties: { a: { type: 'string' } } }] }, { a: 1 }, 'type a'],
    ['option', { properties: { a: { enum: ['x', 'y'] } } }, { a: 'z' }, 'enum a'],
    ['constant', { properties: { a: { const: 1 } } }, { a: 2 }, 'other a'],
    [
      'no alternative, told once',
      { properties: { a: { anyOf: [{ type: 'string' }, { enum: [1] }] } } },
      { a: 2 },
      'other a',
    ],
    [
      'too many alternatives',
      { properties: { a: { oneOf: [{ type: 'integer' }, { minimum: 1 }] } } },
      { a: 2 },
      'other a',
    ],
    ['then', { if: { required: ['a'] }, then: { required: ['b'] } }, { a: 1 }, 'missing'],
    ['what is needed beside it', { dependencies: { a: ['b'] } }, { a: 1 }, 'other'],
    ['what has to hold beside it', { dependencies: { a: { required: ['b'] } } }, { a: 1 }, 'missing'],
    ['pattern', { properties: { a: { pattern: '^[A-Z]+$' } } }, { a: 'b' }, 'other a'],
    ['a pattern in an item', { properties: { a: { items: { pattern: '^b' } } } }, { a: ['b', 'c'] }, 'other a 1'],
    ['patterned member', { patternProperties: { '^x-': { type: 'integer' } } }, { 'x-a': 'b' }, 'type x-a'],
    [
      'member beside patterned ones',
      { patternProperties: { '^x-': {} }, additionalProperties: false },
      { y: 1 },
      'other y',
    ],
    ['name of a member', { propertyNames: { pattern: '^[a-z]$' } }, { A: 1 }, 'other A'],
    [
      'an additional member deeper',
      { properties: { o: { additionalProperties: false } } },
      { o: { k: 1 } },
      'other o k',
    ],
    [
      'equal items',
      { properties: { a: { uniqueItems: true } } },
      {
        a: [
          { x: 1, y: 2 },
          { y: 2, x: 1 },
        ],
      },
      'other a',
    ],
    ['not', { properties: { a: { not: { type: 'string' } } } }, { a: 'x' }, 'other a'],
    ['never', { properties: { a: false } }, { a: 1 }, 'other a'],
    ['a declared member called anyOf', { properties: { anyOf: { type: 'integer' } } }, { anyOf: 'x' }, 'type anyOf'],
  ])('%s', (_, schema, value, fault) => {
    expect(faults(schema, value)).toEqual([fault])
  })
})

test.each(['a b', 'a/b', 'a~b', 'a~1b', 'a%20b', 'a#b', 'größe', '数', 'a"b', '0'])(
  'a member called %j is found, with its declaration',
  (name) => {
    const schema = { properties: { [name]: { properties: { [name]: { enum: ['x'] } } } } }
    expect(violationsOf({ [name]: { [name]: 'y' } }, compileSchema(schema))).toMatchObject([
      { kind: 'enum', path: [name, name], value: 'y', expected: ['x'] },
    ])
  },
)

describe.each<[string, readonly string[], readonly string[]]>([
  ['date', ['2024-02-29'], ['2023-02-29', '2024-13-01', '1/2/2024']],
  ['time', ['10:00', '10:00:00Z', '23:59:60+01:00'], ['24:00', '10']],
  ['date-time', ['2024-02-29T10:00:00Z'], ['2024-02-29', '2024-02-30T10:00:00Z']],
  ['email', ['a.b+c@x-y.com', '"a b"@x.com'], ['a@', '@b', 'a b@x.com', 'a@x..com']],
  ['hostname', ['a-b.example'], ['a b', '-a.com', 'x'.repeat(64)]],
  ['ipv4', ['10.0.0.1'], ['10.0.0.256']],
  ['ipv6', ['::1'], ['10.0.0.1']],
  ['uri', ['https://x.com/a?b', 'urn:isbn:1'], ['x.com', 'https:// x']],
  ['uuid', ['123e4567-e89b-12d3-a456-426614174000'], ['123e4567']],
])('format %s', (format, good, bad) => {
  const schema = { properties: { a: { format } } }
  test.each(good.map((a) => [a]))('takes %s', (a) => {
    expect(faults(schema, { a })).toEqual([])
  })
  test.each(bad.map((a) => [a]))('refuses %s', (a) => {
    expect(faults(schema, { a })).toEqual(['other a'])
  })
})

describe('a hostile schema', () => {
  const doubling = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => {
      const next = { $ref: `#/$defs/d${at + 1}` }
      return [`d${at}`, { allOf: [next, next] }]
    }),
  )

  test('that doubles its work with each step is given up', () => {
    const schema = compileSchema({ $ref: '#/$defs/d0', $defs: { ...doubling, d20: {} } })
    expect(() => violationsOf({}, schema)).toThrow(Unbounded)
  })

  test('with a pattern that searches back and forth costs no time', () => {
    const schema = { properties: { a: { pattern: '^(a+)+$' } }, patternProperties: { '^(b+)+$': {} } }
    expect(faults(schema, { a: `${'a'.repeat(5000)}!`, [`${'b'.repeat(5000)}!`]: 1 })).toEqual(['other a'])
  })

  test.each<[string, unknown]>([
    ['a reference to another document', { $ref: 'https://x.com/schema' }],
    ['a reference to nothing', { $ref: '#/$defs/none' }],
    ['a reference to what all objects inherit', { $ref: '#/constructor' }],
    ['a reference by a name', { $ref: '#name' }],
    ['a reference that is no text', { $ref: 7 }],
    ['a broken reference', { $ref: '#/%' }],
    ['more schemas than a tool has', { allOf: Array.from({ length: 3000 }, () => ({})) }],
    ['more options than a tool has', { enum: Array.from({ length: 6000 }, (_, at) => at) }],
    ['a depth that no tool has', Array.from({ length: 100 }).reduce((inner) => ({ not: inner }), {})],
  ])('that has %s is unusable', (_, schema) => {
    expect(() => compileSchema(schema)).toThrow(UnusableSchema)
  })

  test('that is a circle of references ends', () => {
    const schema = compileSchema({ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } })
    expect(() => violationsOf({}, schema)).toThrow(Error)
  })
})
