// The embedded reflector's static half beside the toolkit that it speaks like: the same questions, the same names.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NO_WATCH } from '../../src/core/telemetry.ts'
import { createEmbeddedReflector } from '../../src/gates/sparc/embedded/index.ts'
import { functionTool } from '../support/gates/reflect.ts'
import { askAltk, type AltkQuestion } from './altk.ts'

interface Case {
  readonly about: string
  readonly schema: unknown
  /** A text stands as it is. */
  readonly args: unknown
  readonly called?: string
  readonly tools?: readonly unknown[]
}

interface Difference extends Case {
  /** What the toolkit says; `error` where it fails itself. */
  readonly altk: readonly string[]
  readonly ours: readonly string[]
  readonly why: string
}

const props = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more })

const ALIKE: readonly Case[] = [
  { about: 'a good call', schema: props({ a: { type: 'string' } }), args: { a: 'x' } },
  { about: 'an unknown tool', schema: props({}), args: {}, called: 'other' },
  { about: 'the name in another case', schema: props({}), args: {}, called: 'ACT' },
  { about: 'no tools', schema: {}, args: {}, tools: [] },
  { about: 'an unknown argument', schema: props({ a: {} }), args: { b: 1 } },
  { about: 'an argument of a tool that takes none', schema: props({}), args: { b: 1 } },
  { about: 'a missing argument', schema: props({ a: {} }, { required: ['a'] }), args: {} },
  { about: 'a missing member deeper', schema: props({ o: { type: 'object', required: ['k'] } }), args: { o: {} } },
  { about: 'a wrong type', schema: props({ a: { type: 'integer' } }), args: { a: 'x' } },
  { about: 'a wrong type that could be converted', schema: props({ a: { type: 'integer' } }), args: { a: '5' } },
  { about: 'null for an optional argument', schema: props({ a: { type: 'string' } }), args: { a: null } },
  { about: 'true for a number', schema: props({ a: { type: 'number' } }), args: { a: true } },
  { about: 'a whole number written as a fraction', schema: props({ a: { type: 'integer' } }), args: '{"a":3.0}' },
  { about: 'a fraction for an integer', schema: props({ a: { type: 'integer' } }), args: { a: 3.5 } },
  { about: 'several types', schema: props({ a: { type: ['string', 'null'] } }), args: { a: 3 } },
  { about: 'a wrong item', schema: props({ a: { type: 'array', items: { type: 'string' } } }), args: { a: [1] } },
  { about: 'no option', schema: props({ a: { enum: ['x'] } }), args: { a: 'y' } },
  { about: 'an option in another case', schema: props({ a: { enum: ['x'] } }), args: { a: 'X' } },
  { about: 'an option of another type', schema: props({ a: { enum: [1, 2] } }), args: { a: '1' } },
  { about: 'no option and a wrong type', schema: props({ a: { type: 'string', enum: ['x'] } }), args: { a: 1 } },
  { about: 'too little', schema: props({ a: { minimum: 1 } }), args: { a: 0 } },
  { about: 'not more than', schema: props({ a: { exclusiveMinimum: 1 } }), args: { a: 1 } },
  { about: 'no multiple', schema: props({ a: { multipleOf: 5 } }), args: { a: 7 } },
  { about: 'too short', schema: props({ a: { minLength: 3 } }), args: { a: 'ab' } },
  { about: 'too few', schema: props({ a: { minItems: 1 } }), args: { a: [] } },
  { about: 'equal items', schema: props({ a: { uniqueItems: true } }), args: { a: [1, 1] } },
  { about: 'a pattern', schema: props({ a: { pattern: '^A\\d+$' } }), args: { a: 'B1' } },
  { about: 'a pattern that is met', schema: props({ a: { pattern: '\\d' } }), args: { a: 'A1' } },
  { about: 'a constant', schema: props({ a: { const: 1 } }), args: { a: 2 } },
  {
    about: 'no alternative',
    schema: props({ a: { anyOf: [{ type: 'integer' }, { type: 'null' }] } }),
    args: { a: 'x' },
  },
  { about: 'two alternatives', schema: props({ a: { oneOf: [{ minimum: 1 }, { maximum: 9 }] } }), args: { a: 5 } },
  { about: 'all of them', schema: props({ a: { allOf: [{ type: 'string' }, { minLength: 2 }] } }), args: { a: 1 } },
  { about: 'what must not be', schema: props({ a: { not: { type: 'string' } } }), args: { a: 'x' } },
  { about: 'never', schema: props({ a: false }), args: { a: 'x' } },
  {
    about: 'nothing in a list that it must contain',
    schema: props({ a: { contains: { const: 1 } } }),
    args: { a: [2] },
  },
  {
    about: 'a reference',
    schema: props({ a: { $ref: '#/$defs/n' } }, { $defs: { n: { type: 'integer' } } }),
    args: { a: 'x' },
  },
  {
    about: 'a schema that names itself',
    schema: props({ a: { $ref: '#' }, n: { type: 'integer' } }),
    args: { a: { n: 'x' } },
  },
  {
    about: 'then',
    schema: props({ a: {}, b: {} }, { if: { required: ['a'] }, then: { required: ['b'] } }),
    args: { a: 1 },
  },
  {
    about: 'what is needed beside it',
    schema: props({ a: {}, b: {} }, { dependencies: { a: ['b'] } }),
    args: { a: 1 },
  },
  {
    about: 'what must hold beside it',
    schema: props({ a: {}, b: {} }, { dependencies: { a: { required: ['b'] } } }),
    args: { a: 1 },
  },
  {
    about: 'one member too many, deeper',
    schema: props({ o: { properties: {}, additionalProperties: false } }),
    args: { o: { k: 1 } },
  },
  {
    about: 'everything at once',
    schema: props({ a: { type: 'integer' }, b: { enum: ['x'] }, c: { minimum: 1 }, d: {} }, { required: ['d'] }),
    args: { a: 'x', b: 'y', c: 0, e: 1 },
  },
]

const DIFFERENT: readonly Difference[] = [
  {
    about: 'a format',
    schema: props({ a: { format: 'date' } }),
    args: { a: 'soon' },
    altk: [],
    ours: ['json_schema_validation'],
    why: 'It checks no formats. A tool that declares one refuses other texts.',
  },
  {
    about: 'malformed arguments',
    schema: props({}),
    args: '{"a":',
    altk: ['error_handling'],
    ours: ['invalid_json'],
    why: 'It fails on them (decision `error`), so that they pass where errors pass. The model has to write them anew.',
  },
  {
    about: 'arguments that are a list',
    schema: props({}),
    args: '[1]',
    altk: ['json_schema_validation'],
    ours: ['invalid_json'],
    why: 'It takes its own failure for one of the schema, and says so to the model.',
  },
  {
    about: 'a key twice',
    schema: props({ a: {} }),
    args: '{"a":1,"a":2}',
    altk: [],
    ours: ['invalid_json'],
    why: 'It takes the last. Another reader takes the first: nobody knows which call was meant.',
  },
  {
    about: 'nothing, where nothing is needed',
    schema: props({ a: {} }),
    args: '',
    altk: ['error_handling'],
    ours: [],
    why: 'It fails on an empty text, which models give for no arguments and agents take for it.',
  },
  {
    about: 'types of another world',
    schema: { type: 'dict', properties: { a: { type: 'float' } } },
    args: { a: 1.5 },
    altk: ['json_schema_validation'],
    ours: [],
    why: 'It refuses every call of such a tool. What `dict` and `float` mean is plain.',
  },
  {
    about: 'other arguments, where they are allowed',
    schema: props({ a: {} }, { additionalProperties: true }),
    args: { b: 1 },
    altk: ['non_existent_parameter'],
    ours: [],
    why: 'It does not look at `additionalProperties` of the arguments themselves.',
  },
  {
    about: 'other arguments, where they are forbidden',
    schema: props({ a: {} }, { additionalProperties: false }),
    args: { b: 1 },
    altk: ['json_schema_validation', 'non_existent_parameter'],
    ours: ['non_existent_parameter'],
    why: 'It tells one fault twice.',
  },
  {
    about: 'an argument that a pattern declares',
    schema: props({ a: {} }, { patternProperties: { '^x-': {} } }),
    args: { 'x-b': 1 },
    altk: ['non_existent_parameter'],
    ours: [],
    why: 'It does not look at `patternProperties` of the arguments themselves.',
  },
  {
    about: 'an argument that a part declares',
    schema: props({ a: {} }, { allOf: [{ properties: { b: {} } }] }),
    args: { b: 1 },
    altk: ['non_existent_parameter'],
    ours: [],
    why: 'It does not look into the parts of a schema for names.',
  },
  {
    about: 'any argument of a tool that declares none',
    schema: { type: 'object' },
    args: { b: 1 },
    altk: ['non_existent_parameter'],
    ours: [],
    why: 'Without `properties` it takes the keywords of the schema for names of arguments.',
  },
  {
    about: 'a tool without parameters',
    schema: undefined,
    args: {},
    altk: ['error_handling'],
    ours: [],
    why: 'It fails on it, though the field is optional.',
  },
  {
    about: 'null by another word for it',
    schema: props({ a: { type: 'string', nullable: true } }),
    args: { a: null },
    altk: ['incorrect_parameter_type'],
    ours: [],
    why: 'It does not know `nullable`, which specifications made from OpenAPI have.',
  },
]

const toolsOf = ({ schema, tools }: Case): readonly unknown[] => tools ?? [functionTool('act', schema)]
const textOf = ({ args }: Case): string => (typeof args === 'string' ? args : JSON.stringify(args))

async function ours(each: Case): Promise<readonly string[]> {
  const reflector = createEmbeddedReflector({ track: 'syntax' })
  const call = { id: 'c', tool: each.called ?? 'act', argumentsText: textOf(each) }
  const question = { messages: [{ role: 'user', content: 'x' }], tools: toolsOf(each), call, sessionId: undefined }
  const reflection = await reflector.reflect(question, new AbortController().signal, NO_WATCH)
  if (reflection.kind !== 'verdict') return [reflection.failure]
  return reflection.issues.map(({ metric_name }) => metric_name).sort()
}

type Call = AltkQuestion['calls'][number]

function callOf(name: string, text: string): Call {
  return { id: 'c', type: 'function', function: { name, arguments: text } }
}

function questionOf(each: Case): AltkQuestion {
  return { tools: toolsOf(each), calls: [callOf(each.called ?? 'act', textOf(each))] }
}

/** Tools as models are given them, and calls that are often a little wrong. */
const parameter = fc.oneof(
  fc.record({ type: fc.constantFrom('string', 'integer', 'number', 'boolean', 'null') }),
  fc.record({ type: fc.constant('string'), enum: fc.subarray(['a', 'b', 'C'], { minLength: 1 }) }),
  fc.record({ type: fc.constant('integer'), minimum: fc.nat(3), maximum: fc.nat(9) }),
  fc.record({ type: fc.constant('string'), minLength: fc.nat(2), pattern: fc.constantFrom('^a', '[0-9]+', 'b$') }),
  fc.record({
    type: fc.constant('array'),
    items: fc.record({ type: fc.constantFrom('string', 'integer') }),
    maxItems: fc.nat(3),
  }),
  fc.record({
    type: fc.constant('object'),
    properties: fc.dictionary(fc.constantFrom('x', 'y'), fc.record({ type: fc.constantFrom('string', 'number') })),
    required: fc.subarray(['x', 'y']),
    additionalProperties: fc.boolean(),
  }),
  fc.record({ anyOf: fc.constant([{ type: 'integer' }, { enum: ['a', null] }]) }),
)
const value = fc.oneof(
  fc.constantFrom<unknown>('a', 'b', 'C', '', '1', 'ab', 0, 1, 2.5, 7, true, null),
  fc.array(fc.constantFrom<unknown>('a', 1, null), { maxLength: 4 }),
  fc.dictionary(fc.constantFrom('x', 'y', 'z'), fc.constantFrom<unknown>('a', 1, true), { maxKeys: 3 }),
)
const names = fc.constantFrom('p', 'q', 'r', 's')
const drawn: fc.Arbitrary<Case> = fc.record({
  about: fc.constant('drawn'),
  schema: fc.record({
    type: fc.constant('object'),
    properties: fc.dictionary(names, parameter, { minKeys: 1 }),
    required: fc.subarray(['p', 'q', 'r'], { maxLength: 2 }),
  }),
  args: fc.dictionary(names, value),
})

const DRAWN: readonly Case[] = fc.sample(drawn, { numRuns: 1500, seed: 20_261_130 })

const COUNTING: Case = { about: 'one number', schema: props({ a: { type: 'integer' } }), args: { a: 1 } }
const WRONG: Case = { ...COUNTING, args: { a: 'x' } }

describe('the embedded reflector and ALTK', () => {
  const two = { tools: toolsOf(COUNTING), calls: [COUNTING, WRONG].map((each) => callOf('act', textOf(each))) }
  const [first, ...theirs] = askAltk([two, ...[...ALIKE, ...DIFFERENT, ...DRAWN].map(questionOf)])
  const told = (at: number): readonly string[] => theirs[at]?.issues.map(([, name]) => name).sort() ?? ['no answer']

  test.each(ALIKE.map((each, at) => [each.about, each, at] as const))('agree on %s', async (_, each, at) => {
    expect(await ours(each)).toEqual(told(at))
  })

  test.each(DIFFERENT.map((each, at) => [each.about, each, at] as const))('differ on %s', async (_, each, at) => {
    expect({ altk: told(ALIKE.length + at), ours: await ours(each) }, each.why).toEqual({
      altk: each.altk,
      ours: each.ours,
    })
  })

  test('agree on what was drawn, of which each name is a part', async () => {
    const seen = new Set<string>()
    for (const [at, each] of DRAWN.entries()) {
      const own = await ours(each)
      for (const name of own) seen.add(name)
      if (own.length === 0) seen.add('none')
      expect(own, JSON.stringify(each)).toEqual(told(ALIKE.length + DIFFERENT.length + at))
    }
    expect([...seen].sort()).toEqual([
      'allowed_values_violation',
      'incorrect_parameter_type',
      'json_schema_validation',
      'missing_required_parameter',
      'non_existent_parameter',
      'none',
    ])
  })

  test('look at different calls of an answer: ALTK at the first, we at the one we are asked about', async () => {
    expect(first).toEqual({ decision: 'approve', issues: [] })
    expect(await ours(WRONG)).toEqual(['incorrect_parameter_type'])
  })
})
