import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rejection, UNGROUNDED } from '../../../test/support/gates/sparc.ts'
import { boundedVerdict } from './bounds.ts'
import { clarify, FIRST_SENTENCE, LAST_SENTENCE } from './clarify.ts'
import type { Issue } from './reflector.ts'

const said = (issues: readonly Issue[], tool = 'refund') => clarify(tool, boundedVerdict(rejection({ issues })))
/** Paragraphs, by their lines. */
const parts = (issues: readonly Issue[], tool?: string) =>
  said(issues, tool)
    .split('\n\n')
    .map((part) => part.split('\n'))

const TYPE: Issue = {
  issue_type: 'static',
  metric_name: 'incorrect_parameter_type',
  explanation: "Incorrect parameter type(s): amount: '5' is not of type 'integer'",
  correction: {
    corrected_arguments: { amount: 5 },
    tool_call: { id: 'x', type: 'function', function: { name: 'refund', arguments: { amount: 5 } } },
  },
}

const HEAD = `${FIRST_SENTENCE} It was for the tool "refund".`
const WRONG = 'What is wrong with it:'
const GENERAL = 'Can you say what is missing or not certain?'
const CORRECT_IT = 'The call has to be corrected to what the tool takes.'

// req: sparc:clarification:acts
describe('a clarification', () => {
  test('says what is not grounded, asks, and says not to repeat the call', () => {
    expect(parts([UNGROUNDED])).toEqual([
      [HEAD],
      [WRONG, '- The value of id was never mentioned.'],
      [GENERAL],
      [expect.stringMatching(/^The same call must not be made again unchanged, .* the user\.$/)],
    ])
  })

  test('of a call that only does not fit its tool says to correct it', () => {
    expect(parts([TYPE])).toEqual([
      [HEAD],
      [WRONG, `- ${TYPE.explanation}`],
      ['Suggested arguments: {"amount":5}'],
      [CORRECT_IT],
      [LAST_SENTENCE],
    ])
  })

  test('of both kinds asks', () => {
    expect(parts([TYPE, UNGROUNDED]).at(-2)).toEqual([GENERAL])
  })

  test('suggests whatever correction there is, each once', () => {
    const corrections = ['Which id?', 'Which id?', { id: 'T-1' }, null]
    const told = parts(corrections.map((correction) => ({ ...UNGROUNDED, correction })))
    expect(told[1]).toHaveLength(2)
    expect(told[2]).toEqual(['Suggested correction: "Which id?"', 'Suggested correction: {"id":"T-1"}'])
  })

  test('asks the question that the verdict has, as a sentence of its own, and suggests the arguments', () => {
    const question = 'Which id? Is it "T-1"?'
    const told = parts([
      { ...UNGROUNDED, correction: { question } },
      { ...UNGROUNDED, correction: { question, corrected_arguments: { id: 'T-1' } } },
      { ...UNGROUNDED, correction: { question: 'How\nmuch?' } },
    ])
    expect(told.slice(2, -1)).toEqual([['Suggested arguments: {"id":"T-1"}'], [question, 'How much?']])
  })

  test('has its question also where the issues alone are too long', () => {
    const issue = { ...UNGROUNDED, explanation: 'x'.repeat(900), correction: { question: `${'Which?'.repeat(50)}` } }
    const told = said(Array.from({ length: 16 }, (_, at) => ({ ...issue, explanation: `${at} ${issue.explanation}` })))
    expect(told).toContain(`\n\n${issue.correction.question}\n\n${LAST_SENTENCE}`)
    expect(told).toContain('- 1 xxx')
    expect(told).not.toContain('- 14 xxx')
  })

  test('names the check where nothing is explained', () => {
    expect(said([{ ...UNGROUNDED, explanation: '' }])).toContain('- id.parameter_hallucination_check')
  })

  test('of a verdict without issues claims none', () => {
    expect(parts([])).toEqual([[HEAD], [GENERAL], [LAST_SENTENCE]])
  })

  test('keeps each explanation on its line', () => {
    const told = parts([{ ...UNGROUNDED, explanation: 'a\n- b\r\n\u0000\u2028Suggested arguments: {}' }], 'a"\nb')
    expect(told[0]).toEqual([`${FIRST_SENTENCE} It was for the tool "a\\" b".`])
    expect(told[1]).toEqual([WRONG, '- a - b Suggested arguments: {}'])
  })

  test('ends only once, whatever it quotes', () => {
    const quoting = `x ${LAST_SENTENCE} TX-1`
    const correction = { question: quoting, corrected_arguments: { id: quoting } }
    const told = said([{ ...UNGROUNDED, explanation: quoting, correction }])
    expect(told.split(LAST_SENTENCE)).toEqual([expect.stringContaining('- x … TX-1'), ''])
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
  test('has at most 4 KiB, its first sentence, a question or what to do, and its last sentence', () => {
    fc.assert(
      fc.property(fc.array(issue, { maxLength: 20 }), text, (issues, tool) => {
        const told = said(issues, tool)
        expect(Buffer.byteLength(told)).toBeLessThanOrEqual(4096)
        expect(told.startsWith(`${FIRST_SENTENCE} It was for the tool `)).toBe(true)
        expect(told.endsWith(`\n\n${LAST_SENTENCE}`)).toBe(true)
        expect([GENERAL, CORRECT_IT].some((line) => told.includes(`\n\n${line}\n\n`))).toBe(true)
      }),
      { numRuns: 100 },
    )
  })
})
