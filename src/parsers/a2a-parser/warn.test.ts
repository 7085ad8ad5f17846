import { describe, expect, test } from 'vitest'
import type { ChainFacts } from '../../config/plugin-type.ts'
import { a2aParserType } from './index.ts'

const chain = (policy: string | undefined): ChainFacts => ({
  direction: 'outbound',
  lentHosts: [],
  siblings: [
    { name: 'some-gate', mode: 'enforce', config: policy === undefined ? {} : { unclassified_policy: policy } },
  ],
})

describe('configuration', () => {
  test('defaults', () => {
    expect(a2aParserType.schema.parse({})).toEqual({ hosts: [], paths: [], denial: 'http_status' })
  })

  test.each<[string, unknown]>([
    ['a denial that this protocol has not', { denial: 'tool_result' }],
    ['a glob that matches everything', { hosts: ['*'] }],
    ['an unknown key', { host: ['a.test'] }],
  ])('refused: %s', (_, config) => {
    expect(a2aParserType.schema.safeParse(config).success).toBe(false)
  })

  test.each<[string, readonly string[], string | undefined, number]>([
    ['no hosts where all is judged', [], 'judge', 1],
    ['hosts', ['a.test'], 'judge', 0],
    ['nothing is judged that no parser claims', [], 'passthrough', 0],
    ['no such gate', [], undefined, 0],
  ])('warns: %s', (_, hosts, policy, count) => {
    const warnings = a2aParserType.warn?.({ hosts, paths: [], denial: 'http_status' }, chain(policy)) ?? []
    expect(warnings).toHaveLength(count)
    for (const warning of warnings) expect(warning).toContain('- name: a2a-parser\n  config:\n    hosts:')
  })
})
