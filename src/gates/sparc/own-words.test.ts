import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rejection, UNGROUNDED } from '../../../test/support/gates/sparc.ts'
import { boundedVerdict } from './bounds.ts'
import { clarify, FIRST_SENTENCE, LAST_SENTENCE } from './clarify.ts'
import { NOT_CONFIRMED, withoutOwnWords } from './own-words.ts'

const ISSUE = { ...UNGROUNDED, explanation: '\'TX-1\' stands "nowhere"', correction: { question: "Is it 'TX-2'?" } }
const OURS = clarify('refund', boundedVerdict(rejection({ issues: [ISSUE] })))

describe('our own words', () => {
  test.each<[string, string, string]>([
    ['alone', OURS, NOT_CONFIRMED],
    ['between others', `I do it. ${OURS} Then TX-7.`, `I do it. ${NOT_CONFIRMED} Then TX-7.`],
    ['twice', `a\n\n${OURS}\n\nb\n\n${OURS}c`, `a\n\n${NOT_CONFIRMED}\n\nb\n\n${NOT_CONFIRMED}c`],
    ['in JSON', JSON.stringify({ error: OURS, next: 'TX-7' }), JSON.stringify({ error: NOT_CONFIRMED, next: 'TX-7' })],
    [
      'in JSON in JSON',
      JSON.stringify([JSON.stringify({ text: OURS })]),
      JSON.stringify([JSON.stringify({ text: NOT_CONFIRMED })]),
    ],
    ['cut off', `a ${OURS.slice(0, -1)}`, `a ${NOT_CONFIRMED}`],
    ['after their first sentence', `a ${FIRST_SENTENCE}`, `a ${NOT_CONFIRMED}`],
    ['cut off before a whole one', `${FIRST_SENTENCE} TX-1 ${OURS} b`, `${NOT_CONFIRMED} b`],
    ['with the middle left out', `a ${FIRST_SENTENCE} TX-1 [...] ${LAST_SENTENCE} b`, `a ${NOT_CONFIRMED} b`],
    ['that are none', `No transaction TX-1. ${LAST_SENTENCE}`, `No transaction TX-1. ${LAST_SENTENCE}`],
    ['nothing', '', ''],
  ])('%s', (_, text, shown) => {
    expect(withoutOwnWords(text)).toBe(shown)
  })

  test('leave nothing of a value, whatever they are about and wherever they stand', () => {
    const around = fc.string().filter((text) => !text.includes(FIRST_SENTENCE))
    const quoted = fc.array(fc.oneof(fc.string(), fc.constantFrom('TX-1', FIRST_SENTENCE, LAST_SENTENCE)))
    const written = fc.constantFrom<(text: string) => string>((text) => text, JSON.stringify)
    fc.assert(
      fc.property(around, around, quoted, quoted, written, (before, behind, words, tool, write) => {
        const text = words.join(' ')
        const issue = {
          ...UNGROUNDED,
          explanation: text,
          correction: { question: text, corrected_arguments: { text } },
        }
        const ours = clarify(tool.join(' '), boundedVerdict(rejection({ issues: [issue] })))
        const all = write(`${before}${ours}${behind}`)
        expect(withoutOwnWords(all)).toBe(write(`${before}${NOT_CONFIRMED}${behind}`))
        expect(withoutOwnWords(withoutOwnWords(all))).toBe(withoutOwnWords(all))
      }),
      { numRuns: 300 },
    )
  })

  test('are found in a text of nothing else', () => {
    expect(withoutOwnWords(FIRST_SENTENCE.repeat(100_000))).toBe(NOT_CONFIRMED)
    expect(withoutOwnWords(OURS.repeat(5_000))).toBe(NOT_CONFIRMED.repeat(5_000))
  })
})
