import { expect, test } from 'vitest'
import { gateExchange, sessionOf, toolCall } from '../../../test/support/gates/kit.ts'
import type { Weighed } from './embedded/judge.ts'
import { createPrefilteredJudge } from './prefilter.ts'
import type { Verdict } from './verdict.ts'

const scored = (score: number): Weighed => ({
  kind: 'scored',
  score,
  onlyReads: false,
  reason: 'because',
  details: { score, effect: 'send' },
})

test.each<[string, Weighed, boolean, object]>([
  ['clearly aligned', scored(2.99), false, { kind: 'allow', details: { score: 2.99, prefilter: 'allowed' } }],
  ['not so clear', scored(3), true, { kind: 'deny', details: { score: 3, prefilter: 'asked' } }],
  ['clearly not', scored(12), true, { kind: 'deny', details: { score: 12, prefilter: 'asked' } }],
  ['unreadable', { kind: 'unreadable', reason: '' }, true, { kind: 'deny', details: { prefilter: 'asked' } }],
])('what is %s', async (_name, weighed, asks, expected) => {
  let asked = 0
  const denies: Verdict = { kind: 'deny', reason: 'no' }
  const rules = {
    model: 'embedded',
    score: () => weighed,
    hears: () => 'done' as const,
    weigh: () => Promise.resolve(denies),
  }
  const model = { model: 'm', weigh: () => ((asked += 1), Promise.resolve(denies)) }
  const judge = createPrefilteredJudge(rules, model)
  const shown = { json: '', actionBytes: 0, whole: true }
  const question = { action: toolCall('a'), x: gateExchange(), shown, session: sessionOf('s', ['b']), intents: ['b'] }
  expect(await judge.weigh(question, new AbortController().signal)).toMatchObject(expected)
  expect(asked).toBe(asks ? 1 : 0)
})
