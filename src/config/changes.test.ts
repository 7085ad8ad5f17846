import { describe, expect, test } from 'vitest'
import { PLUGIN_TYPES } from '../cli/plugins.ts'
import { changedPaths, NEEDS_RESTART, restartIssues } from './changes.ts'
import { type Config, readConfig } from './load.ts'
import { pathText } from './problem.ts'
import { SECTIONS } from './schema.ts'

const IBAC = 'judge_endpoint: "http://j", judge_model: m'

const BASE = `
pipeline:
  inbound: {plugins: [a2a-parser]}
  outbound: {plugins: [mcp-parser, {name: ibac, config: {${IBAC}}}]}
`

function load(text: string): Config {
  const loaded = readConfig(text, 'p.yaml', { environment: {}, types: PLUGIN_TYPES })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  return loaded.config
}

const changed = (before: string, after: string) => changedPaths(load(before), load(after)).map(pathText)

test('the same text read twice is the same, whatever its spelling', () => {
  expect(changed(BASE, `# a comment\n${BASE}listener: {}\nsession: {ttl: 1800}\n`)).toEqual([])
})

test.each<[string, string, readonly string[]]>([
  ['a field of a plugin', BASE.replace(IBAC, `${IBAC}, timeout_ms: 900`), ['[1].config.timeout_ms']],
  ['a secret', BASE.replace(IBAC, `${IBAC}, judge_bearer: s3`), ['[1].config.judge_bearer']],
  ['a list', BASE.replace(IBAC, `${IBAC}, bypass_hosts: [a.test]`), ['[1].config.bypass_hosts']],
  ['the mode', BASE.replace('{name: ibac', '{on_error: observe, name: ibac'), ['[1].on_error']],
  ['a plugin more', BASE.replace('[mcp-parser', '[inference-parser, mcp-parser'), ['']],
])('%s', (_name, after, paths) => {
  expect(changed(BASE, after)).toEqual(paths.map((path) => `pipeline.outbound.plugins${path}`))
})

test('the path alone is told, no value', () => {
  const told = JSON.stringify(changedPaths(load(BASE), load(BASE.replace(IBAC, `${IBAC}, judge_bearer: canary-7`))))
  expect(told).not.toContain('canary-7')
})

describe('what needs a restart', () => {
  const issues = (before: string, after: string) => {
    const [old, next] = [load(before), load(after)]
    return restartIssues(old, changedPaths(old, next)).map(({ path, message }) => `${pathText(path)}: ${message}`)
  }

  test.each([
    ['listener: {ext_proc_addr: "unix:/run/x"}', 'listener.ext_proc_addr: needs a restart; in force is none'],
    ['listener: {max_streams: 7}', 'listener.max_streams: needs a restart; in force is 1000'],
    ['session: {ttl: 7m}', 'session.ttl: needs a restart; in force is 30m'],
    ['session: {enabled: false}', 'session.enabled: needs a restart; in force is true'],
    ['admin: {address: "127.0.0.1:1"}', 'admin.address: needs a restart; in force is 127.0.0.1:9094'],
    ['admin: {token_file: /run/t}', 'admin.token_file: needs a restart; in force is none'],
  ])('%s', (more, issue) => {
    expect(issues(BASE, `${BASE}${more}\n`)).toEqual([issue])
  })

  test('all at once, each once', () => {
    const tls = (name: string) => `tls: {cert: /${name}/c, key: /${name}/k, client_ca: /ca}`
    const before = `${BASE}listener: {${tls('old')}}\nsession: {linger: 5}\n`
    const after = `${BASE}listener: {${tls('new')}}\nsession: {linger: 6}\n`
    expect(issues(before, after)).toEqual([
      'listener.tls: needs a restart; in force is {"cert":"/old/c","key":"/old/k","client_ca":"/ca"}',
      'session.linger: needs a restart; in force is 5s',
    ])
  })

  test.each([
    'listener: {max_body_bytes: 2048}',
    'listener: {max_held_bytes: 2048, hold_deadline_ms: 2000, max_body_ratio: 7}',
    'listener: {verdict_deadline_ms: 200}',
    'listener: {workload: w, routing: host, token_file: /run/t}',
    'log: {level: debug}',
  ])('not: %s', (more) => {
    expect(changed(BASE, `${BASE}${more}\n`)).not.toEqual([])
    expect(issues(BASE, `${BASE}${more}\n`)).toEqual([])
  })

  test('is named as the sections have it', () => {
    for (const [section, keys] of Object.entries(NEEDS_RESTART)) {
      expect(Object.keys(SECTIONS[section as keyof typeof SECTIONS])).toEqual(expect.arrayContaining([...keys]))
    }
  })
})
