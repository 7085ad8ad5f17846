import { describe, expect, test } from 'vitest'
import { exchangeOf } from '../../../test/support/parsers/exchange.ts'
import type { ChainFacts, Services } from '../../config/plugin-type.ts'
import { inferenceParserType } from './index.ts'

const services: Services = { log: { warn: () => undefined, error: () => undefined }, now: () => 0 }

function chain(policy: string, lentHosts: readonly string[] = []): ChainFacts {
  const siblings = [{ name: 'some-gate', mode: 'enforce' as const, config: { unclassified_policy: policy } }]
  return { direction: 'outbound', lentHosts, siblings }
}

describe('configuration', () => {
  test('defaults', () => {
    expect(inferenceParserType.schema.parse({})).toEqual({ hosts: [] })
  })

  test.each<[string, unknown]>([
    ['a glob that matches everything', { hosts: ['*.*'] }],
    ['an unknown key', { paths: ['/x'] }],
  ])('refused: %s', (_, config) => {
    expect(inferenceParserType.schema.safeParse(config).success).toBe(false)
  })

  test.each<[string, readonly string[], readonly string[], number]>([
    ['no hosts', [], [], 1],
    ['hosts', ['model.test'], [], 0],
    ['hosts that a gate lends', [], ['model.test'], 0],
  ])('warns where all is judged: %s', (_, hosts, lent, count) => {
    expect(inferenceParserType.warn?.({ hosts }, chain('judge', lent))).toHaveLength(count)
    expect(inferenceParserType.warn?.({ hosts }, chain('passthrough', lent))).toHaveLength(0)
  })

  test('a host that a gate lends is its own', () => {
    const parser = inferenceParserType.create({ hosts: ['a.test'] }, services, chain('judge', ['b.test:11434']))
    const homes = ['a.test', 'b.test', 'c.test'].map((host) => parser.wantsExempt(exchangeOf({ host }).x))
    expect(homes).toEqual([true, true, false])
  })
})
