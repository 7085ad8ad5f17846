import { describe, expect, test } from 'vitest'
import type { Played, Round } from '../demo/stage/performance.ts'
import { playRounds, summaryOf } from '../demo/stage/rounds.ts'
import type { PlayedAct } from '../demo/stage/rounds.ts'

const played = (held: boolean): Played => ({ talk: [], records: [], checks: [{ what: 'the mail was sent', held }] })

/** A round whose acts end as they say. */
const round = (seed: string, ...acts: readonly (boolean | Error)[]): Round => ({
  again: `--seed ${seed}`,
  opening: [],
  acts: acts.map((end, at) => ({
    title: `Act ${at + 1}`,
    play: () => (end instanceof Error ? Promise.reject(end) : Promise.resolve(played(end))),
  })),
})

async function playedThrough(rounds: readonly Round[]) {
  const told: [Round, readonly PlayedAct[]][] = []
  const progress: string[] = []
  const wrong = await playRounds(
    rounds,
    { at: (done, note = '') => progress.push(`${done} ${note}`.trim()), end: () => undefined },
    (...all) => told.push(all),
  )
  return { wrong, told, progress }
}

describe('rounds of a demo', () => {
  test('all as they should be', async () => {
    const rounds = [round('a', true, true), round('b', true)]
    const { wrong, told } = await playedThrough(rounds)
    expect([wrong, told]).toEqual([[], []])
    expect(summaryOf(rounds.length, wrong)).toBe('2 rounds: 2 as they should be')
  })

  test('a wrong one is told at once, with the acts that were wrong and no others, and the rest are played', async () => {
    const rounds = [round('a', true), round('b', true, false, true), round('c', true), round('d', false)]
    const { wrong, told, progress } = await playedThrough(rounds)
    expect(wrong).toEqual([rounds[1], rounds[3]])
    expect(told.map(([, acts]) => acts.map(({ title }) => title))).toEqual([['Act 2'], ['Act 1']])
    expect(progress).toEqual(['0', '1', '2 1 wrong', '3 1 wrong'])
    expect(summaryOf(rounds.length, wrong)).toBe('4 rounds: 2 as they should be, 2 not: --seed b, --seed d')
  })

  test('what breaks off says in which round and act', async () => {
    const rounds = [round('a', true), round('b', true, new Error('nobody listens'))]
    await expect(playedThrough(rounds)).rejects.toThrow('The round of --seed b broke off in "Act 2": nobody listens')
  })
})
