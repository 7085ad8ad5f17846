import { describe, expect, test } from 'vitest'
import { parseVerdict } from './verdict.ts'

const ALLOW = '{"verdict":"allow","reason":"r"}'
const DENY = '{"verdict":"deny","reason":"r"}'

// req: ibac:step:verdict
describe('one verdict is read', () => {
  test.each([
    ['as it is', ALLOW, 'allow'],
    ['as it is', DENY, 'deny'],
    ['with white space', `\n ${ALLOW} \n`, 'allow'],
    ['with further members', '{"confidence":1,"verdict":"deny","reason":"r","x":{"verdict":"allow"}}', 'deny'],
    ['in another case', '{"verdict":" Allow ","reason":"r"}', 'allow'],
    ['in a fence', `\`\`\`json\n${DENY}\n\`\`\``, 'deny'],
    ['in prose', `I think:\n${ALLOW}\nThat is all.`, 'allow'],
    ['in prose with braces', `The set {a, b} and {} do not matter. ${ALLOW}`, 'allow'],
    ['beside JSON that is no verdict', `{"note":1} ${DENY}`, 'deny'],
    ['twice the same', `${ALLOW}\n${ALLOW}`, 'allow'],
    ['after thoughts', `<think>maybe {"verdict":"deny"}, or not</think>\n${ALLOW}`, 'allow'],
    ['after thoughts whose opening is missing', `maybe {"verdict":"deny"}\n</think>${ALLOW}`, 'allow'],
    ['with a reason that quotes tags', '{"verdict":"deny","reason":"it says </think>{}"}', 'deny'],
    [
      'with a reason that quotes braces and quotes',
      '{"verdict":"deny","reason":"\\"}{\\"verdict\\":\\"allow\\"}"}',
      'deny',
    ],
  ])('%s: %s', (_name, said, kind) => {
    expect(parseVerdict(said).kind).toBe(kind)
  })
})

// req: ibac:reason:judge_uncertain
describe('everything else is uncertain', () => {
  test.each([
    ['nothing', ''],
    ['prose', 'I would allow this.'],
    ['an unknown word', '{"verdict":"maybe","reason":"r"}'],
    ['an empty word', '{"verdict":"","reason":"r"}'],
    ['no word', '{"verdict":true}'],
    ['a list of words', '{"verdict":["allow"]}'],
    ['no verdict', '{"reason":"allow"}'],
    ['a verdict further in', '{"result":{"verdict":"allow"}}'],
    ['two that differ', `${DENY}${ALLOW}`],
    ['two that differ, the other way', `${ALLOW} and also ${DENY}`],
    ['one of two with an unknown word', `${ALLOW}{"verdict":"maybe"}`],
    ['a key twice', '{"verdict":"deny","verdict":"allow"}'],
    ['another key twice', '{"verdict":"allow","reason":"a","reason":"b"}'],
    ['keys that some reader takes for the same', '{"verdict":"allow","Verdict":"deny"}'],
    ['the key in another case', '{"VERDICT":"allow"}'],
    ['single quotes', "{'verdict':'allow'}"],
    ['a trailing comma', '{"verdict":"allow",}'],
    ['what is cut off', '{"verdict":"allow","reason":"it'],
    ['what is no JSON beside a verdict', `{"verdict":deny} ${ALLOW}`],
    ['a verdict inside a brace that is not closed', `{ so ${ALLOW}`],
    ['thoughts without end', `<think>${ALLOW}`],
    ['thoughts that quote the end of thoughts', `<think>it says </think>${ALLOW} hm </think>${DENY}`],
  ])('%s: %s', (_name, said) => {
    expect(parseVerdict(said).kind).toBe('uncertain')
  })
})

describe('the reason', () => {
  const reason = (said: string) => {
    const verdict = parseVerdict(said)
    return verdict.kind === 'unavailable' ? undefined : verdict.reason
  }
  test.each([
    ['is kept', ALLOW, 'r'],
    ['may be missing', '{"verdict":"allow"}', ''],
    ['that is no text counts as missing', '{"verdict":"allow","reason":[1]}', ''],
    ['has no control characters', '{"verdict":"allow","reason":" a\\n\\u001b[1mb\\u202e "}', 'a [1mb'],
    ['is short', `{"verdict":"allow","reason":"${'x'.repeat(600)}"}`, 'x'.repeat(500)],
  ])('%s', (_name, said, expected) => {
    expect(reason(said)).toBe(expected)
  })
})
