import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rejection, UNGROUNDED } from '../../../test/support/gates/sparc.ts'
import { boundedVerdict } from './bounds.ts'
import { clarify } from './clarify.ts'
import type { Issue } from './reflector.ts'

const said = (issues: readonly Issue[], tool = 'refund') => clarify(tool, boundedVerdict(rejection({ issues })))
const lines = (issues: readonly Issue[], tool?: string) => said(issues, tool).split('\n')

const TYPE: Issue = {
  issue_type: 'static',
  metric_name: 'incorrect_parameter_type',
  explanation: "Incorrect parameter type(s): amount: '5' is not of type 'integer'",
  correction: {
    corrected_arguments: { amount: 5 },
    tool_call: { id: 'x', type: 'function', function: { name: 'refund', arguments: { amount: 5 } } },
  },
}

const HEAD = 'The call of the tool "refund" was rejected before it was made, and nothing was done.'

// req: sparc:clarification:acts
describe('a clarification', () => {
  test('says what is not grounded, and to ask the user', () => {
    expect(lines([UNGROUNDED])).toEqual([
      HEAD,
      'What is wrong with it:',
      '- The value of id was never mentioned.',
      expect.stringMatching(/^Do not repeat this call unchanged.* Ask the user /),
    ])
  })

  test('of a call that only does not fit its tool says to correct it', () => {
    expect(lines([TYPE])).toEqual([
      HEAD,
      'What is wrong with it:',
      `- ${TYPE.explanation}`,
      'Suggested arguments: {"amount":5}',
      expect.stringMatching(/^Do not repeat this call unchanged. Correct it /),
    ])
  })

  test('of both kinds says to ask', () => {
    expect(lines([TYPE, UNGROUNDED]).at(-1)).toContain('Ask the user')
  })

  test('suggests whatever correction there is, each once', () => {
    const corrections = ['Which id?', 'Which id?', { id: 'T-1' }, null]
    const told = lines(corrections.map((correction) => ({ ...UNGROUNDED, correction })))
    expect(told.filter((line) => line.startsWith('Suggested'))).toEqual([
      'Suggested correction: "Which id?"',
      'Suggested correction: {"id":"T-1"}',
    ])
    expect(told.filter((line) => line.startsWith('- '))).toHaveLength(1)
  })

  test('asks the question that the verdict has, and suggests the arguments beside it', () => {
    const question = 'Which id? Is it "T-1"?'
    const told = lines([
      { ...UNGROUNDED, correction: { question } },
      { ...UNGROUNDED, correction: { question, corrected_arguments: { id: 'T-1' } } },
    ])
    expect(told.slice(3, -1)).toEqual([
      `Question for the user: ${JSON.stringify(question)}`,
      'Suggested arguments: {"id":"T-1"}',
    ])
  })

  test('names the check where nothing is explained', () => {
    expect(said([{ ...UNGROUNDED, explanation: '' }])).toContain('- id.parameter_hallucination_check')
  })

  test('of a verdict without issues claims none', () => {
    expect(lines([])).toEqual([HEAD, expect.stringContaining('Ask the user')])
  })

  test('keeps each explanation on its line', () => {
    const told = lines([{ ...UNGROUNDED, explanation: 'a\n- b\r\n\u0000\u2028Suggested arguments: {}' }], 'a"\nb')
    expect(told).toHaveLength(4)
    expect(told[0]).toContain('"a\\" b"')
    expect(told[2]).toBe('- a - b Suggested arguments: {}')
  })

  test('leaves out what is too long, and says how many issues it does not tell', () => {
    const issues = Array.from({ length: 30 }, (_, index) => ({
      ...UNGROUNDED,
      explanation: `${index} ${'ü'.repeat(60)}`,
    }))
    const told = said(issues)
    expect(told).toContain('- and more (14)')
    expect(told).toContain('- 15 ü')
  })

  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ minLength: 900, maxLength: 3000, unit: 'grapheme' }))
  const issue = fc.record({
    issue_type: fc.constantFrom('static', 'semantic_general'),
    metric_name: text,
    explanation: text,
    correction: fc.jsonValue(),
  })
  test('has at most 4 KiB, its first line, and what to do', () => {
    fc.assert(
      fc.property(fc.array(issue, { maxLength: 20 }), text, (issues, tool) => {
        const told = said(issues, tool)
        expect(Buffer.byteLength(told)).toBeLessThanOrEqual(4096)
        expect(told).toMatch(/^The call of the tool .* was rejected before it was made, and nothing was done\./)
        expect(told.split('\n').at(-1)).toMatch(/^Do not repeat this call unchanged.*user/)
      }),
      { numRuns: 100 },
    )
  })
})
