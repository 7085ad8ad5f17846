import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { globs, integer, secret, strictObject, text } from './fields.ts'
import { loadConfig, type Loaded, readConfig } from './load.ts'
import type { PluginType } from './plugin-type.ts'
import { problemText } from './problem.ts'
import type { Environment } from './substitute.ts'

const never = () => {
  throw new Error('no plugin is made while a configuration is read')
}

const base = { requires: [], requiresAny: [], codes: {}, create: never } as const

const reader: PluginType = {
  ...base,
  name: 'reader',
  kind: 'parser',
  directions: ['inbound', 'outbound'],
  schema: strictObject({ hosts: globs('host').default([]) }),
}
const guard: PluginType<{ endpoint: string; timeout_ms: number; key: string }> = {
  ...base,
  name: 'guard',
  kind: 'gate',
  directions: ['outbound'],
  requiresAny: ['reader', 'listener'],
  schema: strictObject({
    endpoint: text({ nonEmpty: true }),
    timeout_ms: integer(100, 600_000).default(5000),
    key: secret().default(''),
  }),
  check: (config) =>
    config.endpoint.endsWith('/v1') ? [{ path: ['endpoint'], message: 'leave out the /v1 at its end' }] : [],
}
const strictGuard: PluginType = {
  ...base,
  name: 'strict-guard',
  kind: 'gate',
  directions: ['outbound'],
  requires: ['reader'],
  schema: strictObject({}),
}
const types = [reader, guard as PluginType, strictGuard]

const read = (yaml: string, environment: Environment = {}) => readConfig(yaml, 'p.yaml', { environment, types })
const told = (loaded: Loaded) => (loaded.ok ? 'fine' : loaded.problems.map(problemText))
const outbound = (...lines: string[]) => ['pipeline:', '  outbound:', '    plugins:', ...lines].join('\n')

describe('a wrong configuration is explained', () => {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ['an empty file', '', ['p.yaml:1:1: the file is empty; it needs at least "pipeline:"']],
    ['only comments', '# nothing\n', ['p.yaml:1:1: the file is empty; it needs at least "pipeline:"']],
    ['a list', '- ibac\n', ['p.yaml:1:1: must be a mapping, is a list']],
    ['a text', 'hello\n', ['p.yaml:1:1: must be a mapping, is the text "hello"']],
    ['no pipeline', 'log: {level: info}\n', ['p.yaml:1:1: pipeline: is required']],
    [
      'two documents',
      'pipeline: {}\n---\npipeline: {}\n',
      ['p.yaml:2:1: a second document begins here; keep one and remove the "---" line'],
    ],
    [
      'no YAML',
      'pipeline:\n  outbound: [\n',
      [
        'p.yaml:3:1: not supported YAML: Flow sequence in block collection must be sufficiently indented and end with a ]',
      ],
    ],
    [
      'a key that stands twice',
      'pipeline: {}\nlog:\n  level: info\n  level: warn\n',
      ['p.yaml:4:3: log.level: stands twice in its mapping; keep one'],
    ],
    [
      'unknown keys, with and without a near one',
      'pipeline:\n  outbonud: {}\nlistener:\n  colour: red\n',
      [
        'p.yaml:2:3: pipeline.outbonud: unknown key "outbonud"; did you mean "outbound"? (known: inbound, outbound)',
        expect.stringMatching(/^p\.yaml:4:3: listener\.colour: unknown key "colour" \(known: ext_proc_addr, /),
      ] as string[],
    ],
    [
      'wrong types, and out of range',
      'pipeline: {}\nsession:\n  enabled: "yes"\n  max_events: 0\n  ttl: soon\nadmin: 9094\n',
      [
        'p.yaml:3:12: session.enabled: must be true or false, is the text "yes"',
        'p.yaml:4:15: session.max_events: must be a whole number from 1 to 100000, is the number 0',
        'p.yaml:5:8: session.ttl: must be a time from 1s to 30d, is the text "soon"; write it as 30m, 60s, 500ms, 24h or a number of seconds',
        'p.yaml:6:8: admin: must be a mapping, is the number 9094',
      ],
    ],
    [
      'addresses',
      `pipeline: {}\nlistener:\n  ext_proc_addr: "9090"\n  inbound_addr: unix:run/x\n  outbound_addr: unix:/${'x'.repeat(99)}\nadmin: {address: "[::1]:70000"}\n`,
      [
        'p.yaml:3:18: listener.ext_proc_addr: must be host:port, such as 127.0.0.1:9090, or unix:/absolute/path',
        'p.yaml:3:18: listener.ext_proc_addr: must not stand beside inbound_addr or outbound_addr; keep one or the other',
        'p.yaml:4:17: listener.inbound_addr: must be unix: and an absolute path, such as unix:/run/plumbline/plumbline.sock',
        "p.yaml:5:18: listener.outbound_addr: the socket's path must be shorter than 100 bytes",
        'p.yaml:6:18: admin.address: must be host:port, such as 127.0.0.1:9090',
      ],
    ],
    [
      'one address for both directions',
      'pipeline: {}\nlistener: {inbound_addr: "h:1", outbound_addr: "h:1"}\n',
      ['p.yaml:2:48: listener.outbound_addr: must differ from inbound_addr: the address says the direction'],
    ],
    [
      'sizes that contradict each other',
      'pipeline: {}\nlistener:\n  max_body_bytes: 16777216\n  max_bodies_bytes: 1048576\n',
      [
        'p.yaml:2:1: listener.max_receive_bytes: must be larger than max_body_bytes, since one message holds a whole body',
        'p.yaml:4:21: listener.max_bodies_bytes: must be at least max_receive_bytes, or no large body ever fits',
      ],
    ],
    [
      'an unknown plugin',
      outbound('      - reader', '      - gaurd'),
      [
        'p.yaml:5:9: pipeline.outbound.plugins[1]: unknown plugin "gaurd"; did you mean "guard"? (known: reader, guard, strict-guard)',
      ],
    ],
    [
      'plugins that are not built yet',
      outbound('      - name: token-exchange', '      - jwt-validation'),
      [
        'p.yaml:4:15: pipeline.outbound.plugins[0].name: the plugin token-exchange is not built yet; remove it from the chain',
        'p.yaml:5:9: pipeline.outbound.plugins[1]: the plugin jwt-validation is not built yet; remove it from the chain',
      ],
    ],
    [
      'the wrong chain',
      'pipeline:\n  inbound:\n    plugins:\n      - reader\n      - name: guard\n        config: {endpoint: x}\n',
      [
        'p.yaml:5:15: pipeline.inbound.plugins[1].name: guard does not stand in the inbound chain; move it to pipeline.outbound.plugins',
      ],
    ],
    [
      'an unmet requirement',
      outbound('      - strict-guard'),
      [
        'p.yaml:4:9: pipeline.outbound.plugins[0]: strict-guard needs reader in the same chain; add "- reader" to its plugins',
      ],
    ],
    [
      'none of several requirements',
      outbound('      - {name: guard, config: {endpoint: x}}'),
      [
        'p.yaml:4:9: pipeline.outbound.plugins[0]: guard needs reader or listener in the same chain; add "- reader" to its plugins',
      ],
    ],
    [
      'a requirement that is off',
      outbound('      - {name: reader, on_error: off}', '      - strict-guard'),
      [
        'p.yaml:5:9: pipeline.outbound.plugins[1]: strict-guard needs reader in the same chain, and reader is off; turn it on',
      ],
    ],
    [
      'one id twice',
      outbound('      - reader', '      - reader', '      - {name: strict-guard, id: reader}'),
      [
        'p.yaml:5:9: pipeline.outbound.plugins[1]: its id (by default its name) is taken in this chain; give it its own "id"',
        'p.yaml:6:9: pipeline.outbound.plugins[2]: its id (by default its name) is taken in this chain; give it its own "id"',
      ],
    ],
    [
      "a plugin's own configuration, with everything else that is wrong",
      outbound(
        '      - name: reader',
        '        on_eror: observe',
        '        config: {hosts: ["*"]}',
        '      - name: guard',
        '        on_error: enforced',
        '        config: {timeout_ms: 5s}',
      ),
      [
        'p.yaml:5:9: pipeline.outbound.plugins[0].on_eror: unknown key "on_eror"; did you mean "on_error"? (known: name, id, on_error, config)',
        expect.stringMatching(/^p\.yaml:6:26: pipeline\.outbound\.plugins\[0\]\.config\.hosts\[0\]: /),
        'p.yaml:8:19: pipeline.outbound.plugins[1].on_error: must be one of enforce, observe, off; is the text "enforced"',
        'p.yaml:9:9: pipeline.outbound.plugins[1].config.endpoint: is required',
        'p.yaml:9:30: pipeline.outbound.plugins[1].config.timeout_ms: must be a whole number from 100 to 600000, is the text "5s"',
      ] as string[],
    ],
    [
      "what a plugin's schema alone cannot say",
      outbound('      - reader', '      - {name: guard, config: {endpoint: "http://j/v1"}}'),
      ['p.yaml:5:42: pipeline.outbound.plugins[1].config.endpoint: leave out the /v1 at its end'],
    ],
    [
      'an entry of no shape',
      outbound('      - 7', '      -', '      - {id: x}'),
      [
        'p.yaml:4:9: pipeline.outbound.plugins[0]: must be a mapping, is the number 7',
        'p.yaml:5:8: pipeline.outbound.plugins[1].name: is required',
        'p.yaml:6:9: pipeline.outbound.plugins[2].name: is required',
      ],
    ],
    [
      'a bad substitution, told once',
      'pipeline: {}\nsession: {max_events: "${1}"}\n',
      [
        'p.yaml:2:23: session.max_events: ${1} is no substitution; write ${NAME} or ${NAME:-default}, or $${ for a literal ${',
      ],
    ],
    ['aliases without end', 'a: &a [*a, *a]\n', ['p.yaml:1:8: nested deeper than 32, aliases counted']],
    [
      'an alias bomb',
      [
        'a: &a [1,1,1,1,1,1,1,1,1,1]',
        ...'bcde'.split('').map((k, i) => `${k}: &${k} [${`*${'abcd'[i]},`.repeat(10)}]`),
      ].join('\n'),
      [expect.stringMatching(/^p\.yaml:1:\d+: more than 20000 values, aliases counted$/)] as string[],
    ],
    ['an alias of nothing', 'pipeline: *p\n', ['p.yaml:1:11: pipeline: no anchor "&p" stands before this alias']],
    ['keys that are no names', 'pipeline: {}\n__proto__: {}\n', ['p.yaml:2:1: a key must be a name']],
  ]
  test.each(cases)('%s', (_name, yaml, expected) => {
    expect(told(read(yaml))).toEqual(expected)
  })
})

describe('a right configuration', () => {
  test('has the documented defaults', () => {
    const loaded = read('pipeline: {}\n')
    expect(loaded).toMatchObject({
      ok: true,
      config: {
        chains: { inbound: { plugins: [] }, outbound: { plugins: [] } },
        listener: {
          body_deadline_ms: 60_000,
          drain_deadline_ms: 30_000,
          max_streams: 1000,
          max_receive_bytes: 16 * 1024 * 1024,
          max_body_bytes: 10 * 1024 * 1024,
          max_body_ratio: 100,
          max_held_bytes: 1024 * 1024,
          hold_deadline_ms: 300_000,
          max_bodies_bytes: 256 * 1024 * 1024,
        },
        session: {
          enabled: true,
          ttl: 1_800_000,
          max_events: 500,
          max_sessions: 10_000,
          linger: 60_000,
          max_tombstones: 100_000,
          tombstone_ttl: 86_400_000,
        },
        admin: { address: '127.0.0.1:9094' },
        log: { level: 'info' },
      },
    })
  })

  test('has bare names, written-out entries and values from the environment', () => {
    const yaml = outbound(
      '      - reader',
      '      - name: guard',
      '        id: second-look',
      '        on_error: observe',
      '        config:',
      '          endpoint: "http://${HOST}:${PORT:-80}"',
      '          timeout_ms: ${TIMEOUT}',
      '          key: ${KEY}',
    )
    const loaded = read(yaml, { HOST: 'judge', TIMEOUT: '250' })
    expect(loaded.ok && loaded.config.chains.outbound.plugins).toMatchObject([
      { id: 'reader', mode: 'enforce', config: { hosts: [] } },
      { id: 'second-look', mode: 'observe', config: { endpoint: 'http://judge:80', timeout_ms: 250, key: '' } },
    ])
  })

  test('may use anchors', () => {
    const loaded = read('pipeline:\n  inbound: &c {plugins: [reader]}\n  outbound: *c\n')
    expect(loaded.ok && loaded.config.chains.outbound.plugins.map((p) => p.id)).toEqual(['reader'])
  })

  test('keeps what a variable holds out of the structure', () => {
    const loaded = read('pipeline: {}\nlistener: {workload: "${W}"}\n', { W: 'a"}\nlog: {level: debug}' })
    expect(loaded.ok && [loaded.config.listener.workload, loaded.config.log.level]).toEqual([
      'a"}\nlog: {level: debug}',
      'info',
    ])
  })
})

test('no problem shows what came from the environment', () => {
  const yaml = [
    outbound('      - {name: "${S}", config: {x: "${S}"}}'),
    'session: {ttl: "${S}"}',
    'listener: {ext_proc_addr: "${S}"}',
  ].join('\n')
  const loaded = read(yaml, { S: 'canary-93' })
  expect(told(loaded)).toHaveLength(3)
  expect(JSON.stringify(loaded)).not.toContain('canary-93')
})

describe('the file', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plumbline-config-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  const load = (file: string) => loadConfig(file, { environment: {}, types })

  test('is read', async () => {
    const file = join(folder, 'good.yaml')
    await writeFile(file, 'pipeline: {}\n')
    expect(await load(file)).toMatchObject({ ok: true })
  })

  test.each([
    ['missing', undefined, /: cannot be read: ENOENT/],
    ['not UTF-8', Uint8Array.of(0x70, 0xff, 0xfe), /: is not UTF-8 text$/],
    ['too large', new Uint8Array(1024 * 1024 + 1), /: is larger than 1048576 bytes$/],
  ])('is %s', async (name, bytes, expected) => {
    const file = join(folder, `${name}.yaml`)
    if (bytes !== undefined) await writeFile(file, bytes)
    expect(told(await load(file))).toEqual([expect.stringMatching(expected)])
  })
})
