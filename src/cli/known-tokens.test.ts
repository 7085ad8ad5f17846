import { expect, test } from 'vitest'
import { createKnownTokens, OVERLAP_MS } from './known-tokens.ts'

function scripted(first: string | undefined) {
  let clock = 0
  const tokens = createKnownTokens(first, () => clock)
  return {
    tokens,
    later: (ms: number) => (clock += ms),
    knows: (...said: readonly string[]) => said.map((each) => tokens.check()?.(each)),
  }
}

test('both tokens are known while the gateway changes, then the new one alone', () => {
  const { tokens, knows, later } = scripted('old')
  expect(knows('old', 'new')).toEqual([true, false])
  tokens.change('new')
  const asked = tokens.check()
  expect(knows('old', 'new', 'other')).toEqual([true, true, false])
  later(OVERLAP_MS - 1)
  expect(knows('old', 'new')).toEqual([true, true])
  later(1)
  expect(knows('old', 'new')).toEqual([false, true])
  // Whoever holds the check holds the end of the overlap.
  expect(asked?.('old')).toBe(false)
})

test('the same token again takes nothing from the overlap, and a third ends the first', () => {
  const { tokens, knows } = scripted('one')
  tokens.change('two')
  tokens.change('two')
  expect(knows('one', 'two')).toEqual([true, true])
  tokens.change('three')
  expect(knows('one', 'two', 'three')).toEqual([false, true, true])
})

test('without a token everybody is believed, and a first one holds at once', () => {
  const { tokens, knows } = scripted(undefined)
  expect(tokens.check()).toBeUndefined()
  tokens.change('first')
  expect(knows('first', '')).toEqual([true, false])
  tokens.change(undefined)
  expect(tokens.check()).toBeUndefined()
})
