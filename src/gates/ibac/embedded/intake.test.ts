import { describe, expect, test } from 'vitest'
import { sessionOf } from '../../../../test/support/gates/kit.ts'
import type { SeenResult, SessionView } from '../../../core/session.ts'
import { createIntake } from './intake.ts'

const LONG = Array.from({ length: 3_000 }, (_, i) => `Entry ${i} of the long list.`)
const result = (text: string): SeenResult => ({ tool: 'read', args: {}, text, cut: false })
const sessionWith = (list: readonly SeenResult[]): SessionView =>
  sessionOf('s', ['Read my mail'], { results: { list, incomplete: false } })

const textsOf = (known: ReturnType<ReturnType<typeof createIntake>['ofSession']> | undefined) =>
  known?.evidence.leaves.map(({ text }) => text)

describe('results are taken in a piece at a time', () => {
  const session = sessionWith([result(JSON.stringify(LONG)), result('A last word.')])
  const all = [...LONG.map((text) => text.toLowerCase()), 'a last word.']

  test('and there is more until all is in', () => {
    const intake = createIntake(1_000_000)
    let pieces = 1
    let known = intake.pieceOfSession(session)
    for (; known === undefined; pieces += 1) known = intake.pieceOfSession(session)
    expect(pieces).toBeGreaterThan(5)
    expect(textsOf(known)).toEqual(all)
  })

  test('who must decide meanwhile has all of it', () => {
    const intake = createIntake(1_000_000)
    expect(intake.pieceOfSession(session)).toBeUndefined()
    expect(textsOf(intake.ofSession(session))).toEqual(all)
    expect(textsOf(intake.pieceOfSession(session))).toEqual(all)
  })

  test('what comes meanwhile comes behind it', () => {
    const intake = createIntake(1_000_000)
    const list = [result(JSON.stringify(LONG))]
    const growing = sessionWith(list)
    expect(intake.pieceOfSession(growing)).toBeUndefined()
    list.push(result('A last word.'))
    expect(textsOf(intake.ofSession(growing))).toEqual(all)
  })
})

test('of what the agent passes on at length, so much is held', () => {
  const intake = createIntake(1_000_000)
  const list = [{ ...result('written'), args: { content: 'w'.repeat(50_000), path: 'a.txt' } }]
  const { evidence } = intake.ofSession(sessionWith(list))
  expect(evidence.results[0]?.passed.map(({ length }) => length)).toEqual([4096, 5])
})
