import { describe, expect, test } from 'vitest'
import { LIMITS } from './limits.ts'
import { Proposals } from './proposals.ts'

const call = (tool: string, argumentsText = '{}') => ({ id: undefined, tool, argumentsText })

describe('Proposals', () => {
  test.each<[string, string, boolean]>([
    ['refund', 'refund', true],
    ['bank__refund', 'refund', true],
    ['bank_refund', 'refund', true],
    ['bank-refund', 'refund', true],
    ['bank.refund', 'refund', true],
    ['bank/refund', 'refund', true],
    ['bank:refund', 'refund', true],
    ['mcp__bank__refund', 'bank__refund', true],
    ['prerefund', 'refund', false],
    ['refund', 'bank_refund', false],
    ['refund_all', 'refund', false],
    ['Refund', 'refund', false],
    ['bank_', '', false],
  ])('a model that proposes %s means the tool %j: %s', (proposed, tool, means) => {
    const proposals = new Proposals()
    proposals.add([call(proposed)])
    expect(proposals.has({ tool, args: {} })).toBe(means)
  })

  test('name and arguments are of the same call', () => {
    const proposals = new Proposals()
    proposals.add([call('a', '{"n":1}'), call('b', '{"n":2}')])
    expect(proposals.has({ tool: 'a', args: { n: 1 } })).toBe(true)
    expect(proposals.has({ tool: 'a', args: { n: 2 } })).toBe(false)
  })

  test('arguments that are no JSON match nothing', () => {
    const proposals = new Proposals()
    proposals.add([call('a', '{"n":1')])
    for (const args of [{}, undefined, '{"n":1', { n: 1 }]) expect(proposals.has({ tool: 'a', args })).toBe(false)
  })

  test('the arguments of a call are read once, however many answers it is looked for in', () => {
    let reads = 0
    const args = {
      get n() {
        reads += 1
        return 1
      },
    }
    const answers = Array.from({ length: 3 }, () => new Proposals())
    for (const answer of answers) answer.add([call('a', '{"n":1}')])
    expect(answers.map((answer) => answer.has({ tool: 'a', args }))).toEqual([true, true, true])
    expect(reads).toBe(1)
  })

  test('so many and no more, over all pieces of an answer', () => {
    const proposals = new Proposals()
    const many = Array.from({ length: LIMITS.proposals + 1 }, (_, i) => call(`t${String(i)}`))
    proposals.add(many.slice(0, 1))
    proposals.add(many.slice(1))
    expect(proposals.has({ tool: `t${String(LIMITS.proposals - 1)}`, args: {} })).toBe(true)
    expect(proposals.has({ tool: `t${String(LIMITS.proposals)}`, args: {} })).toBe(false)
  })

  test('a name at the limit is known, a longer one is not, and long arguments cost nothing', () => {
    const proposals = new Proposals()
    const [known, longer] = ['x'.repeat(LIMITS.proposedToolChars), 'x'.repeat(LIMITS.proposedToolChars + 1)]
    const digestChars = 43
    expect(proposals.add([call(longer)])).toBe(0)
    expect(proposals.add([call(known, JSON.stringify({ a: 'y'.repeat(5_000) }))])).toBe(known.length + digestChars)
    expect(proposals.has({ tool: known, args: { a: 'y'.repeat(5_000) } })).toBe(true)
    expect(proposals.has({ tool: longer, args: {} })).toBe(false)
  })
})
