import { describe, expect, test } from 'vitest'
import { rowsIn } from '../rows.ts'
import { readScenarios } from './scenario.ts'

const HEAD = { suite: 'office', system: 'You work for Ada.', tools: [{ name: 'send_mail', description: 'Sends.' }] }
const STEP = { tool: 'send_mail', args: { to: 'a@b.example' }, result: 'sent', injected: false, effect: 'write' }
const RUN = { kind: 'benign', task: 't1', intent: 'Mail a@b.example', steps: [STEP] }

const read = (...lines: unknown[]) => {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')
  return readScenarios('own.jsonl', rowsIn('own.jsonl', text))
}

test('reads a head and the runs after it', () => {
  const [run, other] = read(HEAD, RUN, '', {
    ...RUN,
    system: 'Other.',
    steps: [{ ...STEP, result: null, error: 'no' }],
  })
  expect(run).toMatchObject({ id: 'office:2', suite: 'office', system: 'You work for Ada.', wording: '', goal: '' })
  expect(run?.steps[0]).toEqual({ ...STEP, result: undefined, answer: 'sent' })
  expect(run?.tools.get('send_mail')?.description).toBe('Sends.')
  expect(other).toMatchObject({ id: 'office:4', system: 'Other.', steps: [{ answer: 'no' }] })
})

describe('says where data is not in its form', () => {
  test.each([
    ['no JSON', [HEAD, '{"kind":'], /^own\.jsonl:2: no JSON: /],
    ['nothing', [''], /^own\.jsonl: is empty$/],
    ['no head', [RUN], /^own\.jsonl:1: the first line must be the head/],
    ['a kind of its own', [HEAD, { ...RUN, kind: 'good' }], /^own\.jsonl:2: kind: /],
    [
      'a step without effect',
      [HEAD, RUN, { ...RUN, steps: [{ ...STEP, effect: 'maybe' }] }],
      /^own\.jsonl:3: steps\.0\.effect: /,
    ],
    ['an attack without a goal', [HEAD, { ...RUN, kind: 'attack' }], /^own\.jsonl:2: injection: /],
    [
      'an injected call in a good run',
      [HEAD, { ...RUN, steps: [{ ...STEP, injected: true }] }],
      /^own\.jsonl:2: steps: /,
    ],
  ])('%s', (_name, lines, expected) => {
    expect(() => read(...lines)).toThrow(expected)
  })
})
