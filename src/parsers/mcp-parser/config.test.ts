import { describe, expect, test } from 'vitest'
import type { ChainFacts } from '../../config/plugin-type.ts'
import { mcpParserType } from './index.ts'

const DEFAULTS = { hosts: [], paths: ['/mcp', '/sse', '/messages'], denial: 'http_status' } as const

function chain(policy: string, mode: 'enforce' | 'observe' = 'enforce', name = 'ibac'): ChainFacts {
  return { direction: 'outbound', lentHosts: [], siblings: [{ name, mode, config: { unclassified_policy: policy } }] }
}

describe('configuration', () => {
  test('defaults', () => {
    expect(mcpParserType.schema.parse({})).toEqual(DEFAULTS)
  })

  test.each<[string, unknown]>([
    ['an unknown denial', { denial: 'silent' }],
    ['a host that matches everything', { hosts: ['*'] }],
    ['a path that matches everything', { paths: ['/*'] }],
    ['an unknown key', { host: ['a.test'] }],
  ])('refused: %s', (_, config) => {
    expect(mcpParserType.schema.safeParse(config).success).toBe(false)
  })
})

describe('warnings', () => {
  const warn = (config: object, facts: ChainFacts) => mcpParserType.warn?.({ ...DEFAULTS, ...config }, facts) ?? []

  test('no hosts where all is judged: with the lines to add', () => {
    const [warning] = warn({ denial: 'tool_result' }, chain('judge'))
    expect(warning).toContain('- name: mcp-parser\n  config:\n    hosts:')
    expect(warn({ denial: 'tool_result', hosts: ['a.test'] }, chain('judge'))).toEqual([])
    expect(warn({ denial: 'tool_result' }, chain('passthrough'))).toEqual([])
  })

  test('clients that lose their session by a status: with the lines to add', () => {
    const [warning] = warn({}, chain('passthrough'))
    expect(warning).toMatch(/Python SDK 1\.x/)
    expect(warning).toContain('- name: mcp-parser\n  config:\n    denial: tool_result')
    expect(warn({ denial: 'jsonrpc_error' }, chain('passthrough'))).toEqual([])
  })

  test('where nothing can be refused there is nothing to say', () => {
    expect(warn({}, chain('passthrough', 'observe'))).toEqual([])
    expect(warn({}, chain('passthrough', 'enforce', 'a2a-parser'))).toEqual([])
  })
})
