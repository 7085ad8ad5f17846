import { describe, expect, test } from 'vitest'
import { functionTool, issuesOf, reflect, type Asked } from '../../../../test/support/gates/reflect.ts'

const REFUND = {
  type: 'object',
  properties: {
    transaction_id: { type: 'string' },
    amount: { type: 'number' },
    currency: { type: 'string', enum: ['EUR', 'USD'] },
    urgent: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    options: { type: 'object', properties: { notify: { type: 'boolean' } } },
  },
  required: ['transaction_id'],
}
const refund = (args: unknown): Asked => ({ args, schema: REFUND, tool: 'refund', track: 'syntax' })
const ID = { transaction_id: 'TX-1' }

test('a call that fits its tool is approved without a score: nothing was graded', async () => {
  expect(await reflect(refund({ ...ID, amount: 5, currency: 'EUR', urgent: true, tags: ['a'] }))).toMatchObject({
    kind: 'verdict',
    decision: 'approve',
    issues: [],
    score: undefined,
  })
})

test('a static fault scores nothing', async () => {
  expect(await reflect(refund({}))).toMatchObject({ decision: 'reject', score: 0 })
})

describe('faults', () => {
  test.each<[string, Asked, string, string]>([
    ['no tools', { ...refund(ID), tools: [] }, 'empty_api_spec', 'No API specifications provided.'],
    [
      'an unknown tool with its nearest name',
      { ...refund(ID), called: 'refnud' },
      'non_existent_function',
      "Function 'refnud' does not exist in the provided API specifications: refund. The nearest name is 'refund'.",
    ],
    [
      'an unknown tool like no other',
      { ...refund(ID), called: 'send' },
      'non_existent_function',
      "Function 'send' does not exist in the provided API specifications: refund.",
    ],
    [
      'the name in another case',
      { ...refund(ID), called: 'Refund' },
      'non_existent_function',
      "Function 'Refund' does not exist in the provided API specifications: refund. The nearest name is 'refund'.",
    ],
    ['no JSON', refund('{"transaction_id":'), 'invalid_json', 'The arguments cannot be read as JSON: not JSON.'],
    ['text', refund('refund it'), 'invalid_json', 'The arguments cannot be read as JSON: not JSON.'],
    [
      'a key twice',
      refund('{"transaction_id":"A","transaction_id":"B"}'),
      'invalid_json',
      'The arguments cannot be read as JSON: a key occurs twice in one object.',
    ],
    [
      'endless nesting',
      refund('['.repeat(5000)),
      'invalid_json',
      'The arguments cannot be read as JSON: nested too deeply.',
    ],
    ['a list', refund('[1]'), 'invalid_json', 'The arguments are no JSON object.'],
    ['null', refund('null'), 'invalid_json', 'The arguments are no JSON object.'],
    [
      'an unknown argument',
      refund({ ...ID, colour: 'red' }),
      'non_existent_parameter',
      "Parameters not defined in function 'refund': colour. Possible parameters are: amount, currency, options, tags, transaction_id, urgent.",
    ],
    [
      'an argument named like what all objects inherit',
      refund('{"transaction_id":"TX-1","__proto__":{"amount":1}}'),
      'non_existent_parameter',
      "Parameters not defined in function 'refund': __proto__. Possible parameters are: amount, currency, options, tags, transaction_id, urgent.",
    ],
    [
      'a missing one',
      refund({}),
      'missing_required_parameter',
      "Missing required parameter(s): 'transaction_id' is a required property.",
    ],
    [
      'nothing where something is required',
      refund(''),
      'missing_required_parameter',
      "Missing required parameter(s): 'transaction_id' is a required property.",
    ],
    [
      'wrong types',
      refund({ transaction_id: 7, amount: 'much' }),
      'incorrect_parameter_type',
      "Incorrect parameter type(s): transaction_id: 7 is not of type 'string'; amount: 'much' is not of type 'number'.",
    ],
    [
      'a wrong type deep inside',
      refund({ ...ID, options: { notify: 'maybe' } }),
      'incorrect_parameter_type',
      "Incorrect parameter type(s): options.notify: 'maybe' is not of type 'boolean'.",
    ],
    [
      'no option',
      refund({ ...ID, currency: 'GBP' }),
      'allowed_values_violation',
      "Invalid parameter value(s): currency: 'GBP' is not one of ['EUR', 'USD'].",
    ],
    [
      'what the schema says else',
      { args: { n: 0 }, properties: { n: { minimum: 1 } } },
      'json_schema_validation',
      'Other validation error(s): n: 0: 0 is less than 1.',
    ],
    [
      'a pattern',
      { args: { n: 'x' }, properties: { n: { pattern: '^A' } } },
      'json_schema_validation',
      "Other validation error(s): n: 'x': does not match the pattern ^A.",
    ],
    [
      'a format',
      { args: { n: 'x' }, properties: { n: { format: 'date' } } },
      'json_schema_validation',
      "Other validation error(s): n: 'x': is no date.",
    ],
  ])('%s', async (_, asked, name, explanation) => {
    expect(await issuesOf(asked)).toMatchObject([{ issue_type: 'static', metric_name: name, explanation }])
  })

  test('of several kinds are told apart, one issue for each', async () => {
    const issues = await issuesOf(refund({ amount: 'x', currency: 'GBP', colour: 1 }))
    expect(issues.map(({ metric_name }) => metric_name)).toEqual([
      'non_existent_parameter',
      'missing_required_parameter',
      'incorrect_parameter_type',
      'allowed_values_violation',
    ])
  })
})

describe('not faults', () => {
  test.each<[string, Asked]>([
    ['no arguments where none are declared', { args: '', properties: {} }],
    ['any argument of a tool that declares none', { args: { a: 1 }, tools: [functionTool('act', { type: 'object' })] }],
    ['any argument of a tool without parameters', { args: { a: 1 }, tools: [{ function: { name: 'act' } }] }],
    [
      'more arguments where more are allowed',
      { args: { b: 1 }, schema: { properties: { a: {} }, additionalProperties: true } },
    ],
    [
      'an argument that a pattern allows',
      { args: { 'x-b': 1 }, schema: { properties: { a: {} }, patternProperties: { '^x-': {} } } },
    ],
    [
      'an argument that a part declares',
      { args: { b: 1 }, schema: { properties: { a: {} }, allOf: [{ properties: { b: {} } }] } },
    ],
    [
      'a closed schema that is kept',
      { args: { a: 1 }, schema: { properties: { a: {} }, additionalProperties: false } },
    ],
    [
      'the function form without its envelope',
      { args: { a: 1 }, tools: [{ name: 'act', parameters: { properties: { a: {} } } }] },
    ],
    ['malformed tools beside it', { args: {}, tools: [null, 7, 'x', { function: { name: 'act' } }] }],
  ])('%s', async (_, asked) => {
    expect(await issuesOf({ ...asked, track: 'syntax' })).toEqual([])
  })
})

describe('corrections', () => {
  const correctedOf = async (args: unknown): Promise<unknown> => {
    const [issue] = await issuesOf(refund(args))
    const correction = issue?.correction as { corrected_arguments?: unknown } | null
    return correction?.corrected_arguments
  }

  test.each<[string, unknown, unknown]>([
    ['a slip in a name', { transacton_id: 'TX-1' }, ID],
    ['an invented argument', { ...ID, colour: 'red' }, ID],
    ['a number in quotes', { ...ID, amount: '5.5' }, { ...ID, amount: 5.5 }],
    ['a word for true', { ...ID, urgent: 'Yes' }, { ...ID, urgent: true }],
    ['a number for a text', { transaction_id: 17 }, { transaction_id: '17' }],
    ['one for a list of one', { ...ID, tags: 'a' }, { ...ID, tags: ['a'] }],
    ['a list written as a text', { ...ID, tags: '["a","b"]' }, { ...ID, tags: ['a', 'b'] }],
    ['an object written as a text', { ...ID, options: '{"notify":true}' }, { ...ID, options: { notify: true } }],
    ['deep inside', { ...ID, options: { notify: 'no' } }, { ...ID, options: { notify: false } }],
    ['an option in another case', { ...ID, currency: 'eur' }, { ...ID, currency: 'EUR' }],
    ['null for what may be left out', { ...ID, amount: null }, ID],
    ['several at once', { transacton_id: 'TX-1', amount: '5', currency: 'usd' }, { ...ID, amount: 5, currency: 'USD' }],
  ])('%s', async (_, args, corrected) => {
    expect(await correctedOf(args)).toEqual(corrected)
  })

  test.each<[string, unknown]>([
    ['a value that is lost', { ...ID, amount: 'NaN' }],
    ['a number with more digits than it can have', { ...ID, amount: '12345678901234567890' }],
    ['null for what is required', { transaction_id: null }],
    ['one of two that has no cure', { ...ID, amount: '5', urgent: 'maybe' }],
    ['an invented argument where another is missing', { colour: 'red' }],
    ['one for a list of something else', { ...ID, tags: 5 }],
  ])('but not %s', async (_, args) => {
    expect(await correctedOf(args)).toBeUndefined()
  })

  test('are whole calls, in SPARC’s form', async () => {
    const [issue] = await issuesOf(refund({ ...ID, amount: '5' }))
    const corrected = { ...ID, amount: 5 }
    expect(issue?.correction).toEqual({
      corrected_arguments: corrected,
      tool_call: { id: 'call_1', type: 'function', function: { name: 'refund', arguments: corrected } },
    })
  })
})

describe('what cannot be looked at has no verdict', () => {
  test.each<[string, Asked, string]>([
    ['a schema elsewhere', { args: {}, schema: { $ref: 'https://x.com/s' } }, 'unusable_schema'],
    ['a schema that goes in circles', { args: {}, schema: { $ref: '#' } }, 'too_complex'],
    ['thousands of values', { args: { a: Array.from({ length: 6000 }, () => 1) } }, 'too_large'],
    ['megabytes of arguments', { args: { a: 'x'.repeat(1_100_000) } }, 'too_large'],
  ])('%s', async (_, asked, failure) => {
    expect(await reflect(asked)).toEqual({ kind: 'unavailable', failure })
  })
})
