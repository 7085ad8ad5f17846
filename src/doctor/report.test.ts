import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CHECK_IDS, factsOf } from './catalogue.ts'
import { readBootstrap } from './envoy/bootstrap.ts'
import { examineEnvoy, isWrong, NOTHING, outcomes } from './examine.ts'
import type { Finding } from './finding.ts'
import { jsonReport, textReport } from './report.ts'
import { examineRunning } from './running.ts'

const finding: Finding = {
  id: 'fail_open',
  where: 'listener outbound',
  wrong: 'failure_mode_allow is true',
  mend: { at: 'filter', lines: 'failure_mode_allow: false' },
}
const ENVOY_ONLY = {
  config: 'give --config FILE',
  envoyAdmin: 'x',
  running: 'x',
  exchanges: 'x',
  outbound: 'x',
  inbound: 'x',
  canary: 'x',
}

test('every check has one outcome, and what was not looked at is not fine', () => {
  const all = outcomes(NOTHING, { envoy: 'give --envoy-config FILE', ...ENVOY_ONLY })
  expect(all.map(({ id, kind }) => [id, kind])).toEqual(CHECK_IDS.map((id) => [id, 'unchecked']))
  expect(all.some(isWrong)).toBe(false)
})

test('a check that needs two options wants both', () => {
  const [timeout] = outcomes(NOTHING, ENVOY_ONLY).filter(({ id }) => id === 'timeout_short')
  expect(timeout).toEqual({ id: 'timeout_short', kind: 'unchecked', why: 'give --config FILE' })
  const [known] = outcomes(NOTHING, {}).filter(({ id }) => id === 'timeout_short')
  expect(known?.kind).toBe('fine')
})

test.each([
  ['an error', 'fail_open', true],
  ['a warning', 'retries', true],
  ['something to know', 'streams_differ', false],
] as const)('%s decides the exit code accordingly', (_name, id, wrong) => {
  expect(outcomes({ ...NOTHING, findings: [{ ...finding, id }] }, {}).some(isWrong)).toBe(wrong)
})

test('people read what is wrong, where, and the lines that mend it', () => {
  const text = textReport(outcomes({ ...NOTHING, findings: [finding] }, ENVOY_ONLY), ['a note'])
  expect(text).toContain(
    [
      '  ✗ error       fail_open: listener outbound: failure_mode_allow is true',
      '                Mend, in typed_config of the ext_proc filter:',
      '                  failure_mode_allow: false',
      '  ✓ fine        observes_only: Envoy waits for the verdict',
    ].join('\n'),
  )
  expect(text).toContain('- not checked timeout_short: Envoy waits as long as a verdict may take? give --config FILE')
  expect(text).toContain('Notes\n  a note')
  expect(text).toMatch(/1 error, 0 warnings; \d+ checks fine, \d+ not made\.$/)
})

test('a finding of several lines stands below its first', () => {
  const several: Finding = { ...finding, wrong: 'no hosts. Name them:\n- name: x\n  config:' }
  expect(textReport(outcomes({ ...NOTHING, findings: [several] }, ENVOY_ONLY), [])).toContain(
    [
      '  ✗ error       fail_open: listener outbound: no hosts. Name them:',
      '                  - name: x',
      '                    config:',
      '                Mend, in typed_config',
    ].join('\n'),
  )
})

test('machines read the same', () => {
  const report = JSON.parse(jsonReport(outcomes({ ...NOTHING, findings: [finding] }, {}), [])) as {
    ok: boolean
    checks: { id: string }[]
  }
  expect(report.ok).toBe(false)
  expect(report.checks).toHaveLength(CHECK_IDS.length)
  expect(report.checks.find(({ id }) => id === 'fail_open')).toEqual({
    id: 'fail_open',
    group: 'processing',
    severity: 'error',
    outcome: 'found',
    findings: [{ where: finding.where, wrong: finding.wrong, mend: finding.mend }],
  })
})

test.each([
  ['no listener at all', { static_resources: {} }, 'body_mode', 'no HTTP listener was found'],
  ['no listener at all', { static_resources: {} }, 'filter_missing', 'no HTTP listener was found'],
  ['a listener without the filter', listenerWithout(), 'body_mode', 'no ext_proc filter was found'],
])('%s: %s is not fine', (_name, bootstrap, id, why) => {
  const setup = readBootstrap(JSON.stringify(bootstrap))
  if ('wrong' in setup) throw new Error(setup.wrong)
  const known = { needs: undefined, nodeVersion: undefined }
  const all = outcomes(examineEnvoy([{ name: 'f', setup }], undefined, known), {})
  expect(all.find((each) => each.id === id)).toEqual({ id, kind: 'unchecked', why })
})

function listenerWithout() {
  const manager = { '@type': 'a.HttpConnectionManager', route_config: {}, http_filters: [] }
  const listener = { name: 'l', filter_chains: [{ filters: [{ typed_config: manager }] }] }
  return { static_resources: { listeners: [listener] } }
}

test.each(['[', '- a', 'admin: {}', '42'])('%s is no configuration of Envoy', (text) => {
  expect(readBootstrap(text)).toHaveProperty('wrong')
})

test.each([
  ['ready', { kind: 'answer', status: 200, json: { status: 'ready', fails_open: [], warnings: [] } }, []],
  ['draining', { kind: 'answer', status: 503, json: { status: 'draining' } }, ['plumbline_unready']],
  ['away', { kind: 'unreachable', why: 'ECONNREFUSED' }, ['plumbline_unready']],
  [
    'with settings that pass something',
    { kind: 'answer', status: 200, json: { fails_open: ['a'], warnings: ['b'] } },
    ['settings_open', 'settings_warned'],
  ],
  [
    'with a file that was not taken',
    { kind: 'answer', status: 200, json: { configuration: { last_reload: { ok: false, problems: ['f:1: x'] } } } },
    ['reload_refused'],
  ],
  [
    'running with another file',
    { kind: 'answer', status: 200, json: { configuration: { digest: 'bb' } } },
    ['config_stale'],
  ],
  ['running with this file', { kind: 'answer', status: 200, json: { configuration: { digest: 'aa' } } }, []],
  ['with one that was', { kind: 'answer', status: 200, json: { configuration: { last_reload: { ok: true } } } }, []],
] as const)('a Plumbline that is %s', (_name, ready, ids) => {
  expect(examineRunning(ready, '127.0.0.1:9094', 'aa').findings.map(({ id }) => id)).toEqual(ids)
})

test.each([
  ['away', { kind: 'unreachable', why: 'ECONNREFUSED' }, '--admin ADDRESS'],
  ['draining', { kind: 'answer', status: 503, json: { status: 'draining' } }, 'Its log says why.'],
  ['running with another file', { kind: 'answer', status: 200, json: { configuration: { digest: 'b' } } }, 'seconds'],
] as const)('what to do with a Plumbline that is %s', (_name, ready, words) => {
  expect(examineRunning(ready, '127.0.0.1:9094', 'a').findings[0]?.mend.lines).toContain(words)
})

test('the documentation has a line for each check, and no other', () => {
  const page = readFileSync('docs/operate/doctor.md', 'utf8')
  const rows = [...page.matchAll(/^\| `([a-z_]+)` \| (error|warning|info) \|/gm)].map(([, id, severity]) => [
    id,
    severity,
  ])
  expect(rows).toEqual(CHECK_IDS.map((id) => [id, factsOf(id).severity]))
})
