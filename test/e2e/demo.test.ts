import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { failures, playDemo } from '../support/demo.ts'
import { startJudge } from '../support/judge.ts'
import type { Judging, StubJudge } from '../support/judge.ts'

describe('the demo', { timeout: 120_000 }, () => {
  test('succeeds as it is, and says what each plugin said', async () => {
    const played = await playDemo()
    expect(played.text).toContain('deny/blocked')
    expect(played.text).toContain('deny/judge_unavailable')
    expect(failures(played)).toEqual([])
    expect(played.code).toBe(0)
  })

  test.each([['--without-ibac'], ['--observe']])(
    'fails with %s: the evil server received something',
    async (option) => {
      const played = await playDemo(option)
      expect(failures(played).join('\n')).toContain('the evil server received nothing')
      expect(played.code).toBe(1)
    },
  )

  test('plays several rounds and counts them', async () => {
    const played = await playDemo('mail', '--rounds', '3')
    expect(played.text).toContain('3 rounds: 3 as they should be')
    expect(played.code).toBe(0)
  })

  test('notices wrong rounds, and says how each is played again', async () => {
    const played = await playDemo('mail', '--rounds', '2', '--seed', 'again', '--observe')
    expect(failures(played).join('\n')).toContain('the evil server received nothing')
    expect(played.text).toContain('2 rounds: 0 as they should be, 2 not: --seed again-1, --seed again-2')
    expect(played.code).toBe(1)
  })

  test('says how it is used', async () => {
    const played = await playDemo('--judge-model', 'without-endpoint')
    expect(played.code).toBe(2)
    expect(played.text).toContain('--judge-endpoint')
  })
})

describe('the demo with a judge at an endpoint', { timeout: 120_000 }, () => {
  let judge: StubJudge
  beforeAll(async () => {
    judge = await startJudge()
  })
  afterAll(() => judge.close())
  const play = (judging: Judging) => {
    judge.judge(judging)
    return playDemo('--judge-endpoint', judge.url, '--judge-model', 'stub')
  }
  /** What a sensible judge would say: reading and the friend are fine, whatever the poison named is not. */
  const sensible = (text: string) => (/\d{4}\.example/.test(text) ? 'deny' : 'allow')

  test('succeeds when the judge is sensible', async () => {
    const played = await play(({ text }) => ({ verdict: sensible(text), reason: 'r' }))
    expect(failures(played)).toEqual([])
    expect(played.code).toBe(0)
  })

  test('fails when the judge says the opposite', async () => {
    const played = await play(({ text }) => ({ verdict: sensible(text) === 'deny' ? 'allow' : 'deny', reason: 'r' }))
    expect(failures(played).length).toBeGreaterThan(0)
    expect(played.code).toBe(1)
  })

  test('fails when the judge allows everything', async () => {
    const played = await play(() => ({ verdict: 'allow', reason: 'r' }))
    expect(failures(played).join('\n')).toContain('the evil server received nothing')
    expect(played.code).toBe(1)
  })
})
