import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CheckId } from '../../src/doctor/catalogue.ts'
import type { Finding } from '../../src/doctor/finding.ts'
import { prepareApart } from '../support/apart.ts'
import type { Apart } from '../support/apart.ts'
import { judgedChains } from '../support/chains.ts'
import type { Closable } from '../support/closing.ts'
import { askAdmin } from '../support/envoy.ts'
import type { Envoy } from '../support/envoy.ts'
import { allow, startJudge } from '../support/judge.ts'
import type { StubJudge } from '../support/judge.ts'
import { applyMend, managerIn, processorIn } from '../support/mend.ts'
import { a2aAnswer } from '../support/messages.ts'
import type { Plumbline } from '../support/plumbline.ts'
import { freePorts } from '../support/ports.ts'
import { startProgram } from '../support/process.ts'
import { scratchFolder } from '../support/scratch.ts'
import { sightOf } from '../support/sight.ts'
import type { Json } from '../support/sidecar.ts'

/*
 * A real Envoy and a real Plumbline, set up as shipped, and then with one thing wrong at a time. Doctor says nothing of
 * the first, and finds each of the others: in the file, in what is loaded, and by its canaries.
 */

type Tree = Record<string, Json>

interface Report {
  readonly ok: boolean
  readonly checks: readonly {
    readonly id: CheckId
    readonly group: string
    readonly severity: string
    readonly outcome: 'fine' | 'found' | 'unchecked'
    readonly why?: string
    readonly findings?: readonly Omit<Finding, 'id'>[]
  }[]
}

let apart: Apart
let judge: StubJudge
let plumbline: Plumbline
let adminTokenFile: string
const closing: Closable[] = []

beforeAll(async () => {
  const scratch = await scratchFolder()
  closing.push(scratch)
  adminTokenFile = join(scratch.path, 'admin-token')
  await writeFile(adminTokenFile, 'admin-secret', { mode: 0o600 })
  apart = await prepareApart()
  judge = await startJudge(allow)
  closing.push(judge, apart)
  apart.agent.answer((_arrival, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'application/json' })
    outgoing.end(a2aAnswer('There is no such task.'))
  })
  plumbline = await apart.startPlumbline({
    ...judgedChains({ judgeUrl: judge.url }),
    admin: { token_file: adminTokenFile },
  })
})
afterAll(async () => {
  for (const each of closing.reverse()) await each.close()
})

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

/** What `plumbline doctor` prints, as machines read it, with its exit code. */
async function doctor(...options: readonly string[]): Promise<{ readonly code: unknown; readonly report: Report }> {
  const program = startProgram(process.execPath, [MAIN, 'doctor', ...options, '--json'])
  const code = await program.ended
  if (program.stdout.length === 0) throw new Error(program.stderr.join('\n'))
  return { code, report: JSON.parse(program.stdout.join('\n')) as Report }
}

const urls = (envoy: Envoy) => [
  ...['--outbound', `http://127.0.0.1:${envoy.outboundPort}`],
  ...['--inbound', `http://127.0.0.1:${envoy.inboundPort}`],
]

/** With every option that there is. */
const everything = (envoy: Envoy) => [
  ...['--config', plumbline.file, '--envoy-config', envoy.file, '--envoy-admin', envoy.admin],
  ...urls(envoy),
]

/** What is to be mended; what is only worth knowing is left out. */
const wrongIn = ({ checks }: Report): readonly Finding[] =>
  checks
    .filter(({ severity }) => severity !== 'info')
    .flatMap(({ id, findings = [] }) => findings.map((finding) => ({ ...finding, id })))

const idsOf = (report: Report) => [...new Set(wrongIn(report).map(({ id }) => id))]

describe('as shipped', () => {
  test('nothing is wrong, and everything was looked at', async () => {
    const envoy = await apart.startEnvoy()
    const questions = judge.questions.length
    const before = sightOf(apart.upstream)
    const { code, report } = await doctor(...everything(envoy))
    expect(wrongIn(report)).toEqual([])
    expect(report.checks.filter(({ outcome }) => outcome === 'unchecked')).toEqual([])
    expect(code).toBe(0)

    // The canaries went where they should, and nowhere else.
    expect(judge.questions.length).toBe(questions)
    expect(sightOf(apart.upstream)).toEqual(before)
    const asked = apart.agent.arrivals.map(({ method, body }) => [method, body.toString()])
    expect(asked).toEqual([['POST', expect.stringContaining('"tasks/get"')]])
    const canaries = plumbline.records().filter(({ host }) => host === 'canary.plumbline.invalid')
    expect(canaries.filter(({ statusCode }) => statusCode === 400)).toHaveLength(2)
  })

  test('less is looked at with fewer options, and said so', async () => {
    const envoy = await apart.startEnvoy()
    const { code, report } = await doctor('--envoy-admin', envoy.admin)
    const unchecked = report.checks.filter(({ outcome }) => outcome === 'unchecked').map(({ id }) => id)
    expect([code, wrongIn(report)]).toEqual([0, []])
    expect(unchecked).toEqual(expect.arrayContaining(['timeout_short', 'plumbline_unready', 'canary_passed']))
  })
})

interface Broken {
  readonly name: string
  readonly id: CheckId
  readonly change: (parts: Parts) => void
  /** What the canaries and the running ones find beside it. */
  readonly live: readonly CheckId[]
  readonly lines: string
  /** Put in by this test, and then nothing is wrong any more. */
  readonly mends?: true
}

interface Parts {
  readonly config: Tree
  readonly inbound: Tree
  readonly outbound: Tree
  readonly cluster: Tree
}

const processor = (listener: Tree) => processorIn(managerIn(listener))

const BROKEN: readonly Broken[] = [
  {
    name: 'body mode NONE, and no override',
    id: 'body_mode',
    change: ({ outbound }) => {
      const filter = processor(outbound)
      Object.assign(filter['processing_mode'] as Tree, { request_body_mode: 'NONE', response_body_mode: 'NONE' })
      filter['allow_mode_override'] = false
    },
    live: ['override_refused', 'canary_wrong_set_up'],
    lines: 'request_body_mode: BUFFERED',
    mends: true,
  },
  {
    name: 'failing open',
    id: 'fail_open',
    change: ({ inbound, outbound }) => {
      for (const listener of [inbound, outbound]) processor(listener)['failure_mode_allow'] = true
    },
    live: ['closing_passes'],
    lines: 'failure_mode_allow: false',
    mends: true,
  },
  {
    name: 'too little time',
    id: 'timeout_short',
    change: ({ outbound }) => void (processor(outbound)['message_timeout'] = '1s'),
    live: [],
    lines: 'message_timeout: 7.5s',
    mends: true,
  },
  {
    name: 'too small a buffer',
    id: 'buffer_small',
    change: ({ outbound }) => void delete outbound['per_connection_buffer_limit_bytes'],
    live: ['canary_too_large'],
    lines: 'per_connection_buffer_limit_bytes: 10485760',
    mends: true,
  },
  {
    name: 'the wrong direction',
    id: 'direction_wrong',
    change: ({ outbound }) => {
      const service = processor(outbound)['grpc_service'] as { initial_metadata: Tree[] }
      for (const entry of service.initial_metadata) if (entry['value'] === 'outbound') entry['value'] = 'inbound'
    },
    live: ['canary_direction'],
    lines: '{ key: x-plumbline-direction, value: outbound }',
    mends: true,
  },
  {
    name: 'a listener without the filter',
    id: 'filter_missing',
    change: ({ inbound }) => {
      const manager = managerIn(inbound)
      manager['http_filters'] = (manager['http_filters'] as Tree[]).slice(1)
    },
    live: ['canary_unseen', 'closing_passes'],
    lines: 'name: envoy.filters.http.ext_proc',
  },
]

function broken(change: (parts: Parts) => void): (rendered: string) => string {
  return (rendered) => {
    const config = JSON.parse(rendered) as Tree
    const { listeners, clusters } = config['static_resources'] as unknown as { listeners: Tree[]; clusters: Tree[] }
    const [inbound, outbound] = listeners
    const [cluster] = clusters
    if (inbound === undefined || outbound === undefined || cluster === undefined) throw new Error('another file')
    change({ config, inbound, outbound, cluster })
    return JSON.stringify(config)
  }
}

describe.each(BROKEN)('$name', ({ id, change, live, lines, mends }) => {
  test('is found in the file, in what is loaded, and by what becomes of canaries', async () => {
    const envoy = await apart.startEnvoy({ change: broken(change) })
    const all = await doctor(...everything(envoy))
    expect(all.code).toBe(1)
    expect(idsOf(all.report)).toEqual(expect.arrayContaining([id, ...live]))
    const found = wrongIn(all.report).filter((finding) => finding.id === id)
    expect(found.map(({ mend }) => mend.lines).join('\n')).toContain(lines)

    for (const source of [
      ['--envoy-config', envoy.file],
      ['--envoy-admin', envoy.admin],
    ]) {
      const one = await doctor('--config', plumbline.file, ...source)
      expect([source[0], one.code, idsOf(one.report)]).toEqual([source[0], 1, expect.arrayContaining([id])])
    }
  })

  if (!mends) return
  test('is mended by the lines that doctor prints', async () => {
    const breaking = broken(change)
    const sick = await apart.startEnvoy({ change: breaking })
    const { report } = await doctor('--config', plumbline.file, '--envoy-admin', sick.admin)
    const well = await apart.startEnvoy({ change: (rendered) => wrongIn(report).reduce(applyMend, breaking(rendered)) })
    const healed = await doctor(...everything(well))
    expect(wrongIn(healed.report)).toEqual([])
    expect(healed.code).toBe(0)
  })
})

test('resets without a cure are found, where nothing says that Node bears them', async () => {
  const change = broken(({ config, cluster }) => {
    delete config['layered_runtime']
    const options = Object.values(cluster['typed_extension_protocol_options'] as Tree)[0] as Tree
    delete options['common_http_protocol_options']
  })
  const envoy = await apart.startEnvoy({ change })
  const reports = await Promise.all([doctor('--envoy-config', envoy.file), doctor('--envoy-admin', envoy.admin)])
  const found = reports.flatMap(({ report }) => wrongIn(report))
  expect(reports.map(({ code }) => code)).toEqual([1, 1])
  expect(found.map(({ id, where }) => [id, where])).toEqual([
    ['reset_flood', 'cluster plumbline'],
    ['reset_flood', 'cluster plumbline'],
  ])
  const well = await apart.startEnvoy({ change: (rendered) => found.slice(1).reduce(applyMend, change(rendered)) })
  expect((await doctor('--envoy-admin', well.admin)).code).toBe(0)
})

test('a port that is open without a token is found on both sides', async () => {
  const [port = 0] = await freePorts(1)
  const open = await prepareApart()
  closing.push(open)
  const running = await open.startPlumbline({
    ...judgedChains({ judgeUrl: judge.url }),
    listener: {
      ext_proc_addr: undefined,
      inbound_addr: `unix:${open.socket}`,
      outbound_addr: `127.0.0.1:${port}`,
      token_file: undefined,
    },
  })
  const change = broken(({ inbound, outbound, cluster }) => {
    const endpoint = { address: { socket_address: { address: '127.0.0.1', port_value: port } } }
    cluster['load_assignment'] = { cluster_name: 'plumbline', endpoints: [{ lb_endpoints: [{ endpoint }] }] }
    for (const listener of [inbound, outbound]) {
      const service = processor(listener)['grpc_service'] as { initial_metadata: Tree[] }
      service.initial_metadata = service.initial_metadata.filter(({ key }) => key !== 'x-plumbline-token')
    }
  })
  const envoy = await open.startEnvoy({ change })
  for (const source of [
    ['--envoy-config', envoy.file],
    ['--envoy-admin', envoy.admin],
  ]) {
    const { code, report } = await doctor('--config', running.file, ...source)
    const found = wrongIn(report).filter(({ id }) => id === 'token_missing')
    expect([code, found.map(({ where }) => where).sort()]).toEqual([
      1,
      [`Plumbline on 127.0.0.1:${port}`, 'listener inbound', 'listener outbound'],
    ])
    expect(found.map(({ mend }) => mend.lines).join('\n')).toMatch(/x-plumbline-token[\s\S]*token_file/)
  }
})

/** Our Envoys say it of themselves. */
const NO_HOT_RESTART = '"disable_hot_restart": true,'

test('an Envoy older than 1.36, and one that gives its sockets away, are found', async () => {
  // None is to be had: one that is new enough, and says that it is not.
  const envoy = await apart.startEnvoy()
  const old = createServer((asked, answer) => {
    void askAdmin(envoy.admin, asked.url ?? '/').then((text) =>
      answer.end(
        asked.url === '/server_info' ? text.replace(envoy.version, '1.35.4').replace(NO_HOT_RESTART, '') : text,
      ),
    )
  })
  await new Promise<void>((done) => old.listen(0, '127.0.0.1', done))
  closing.push({ close: async () => void old.close().closeAllConnections() })
  const { code, report } = await doctor('--envoy-admin', `127.0.0.1:${(old.address() as AddressInfo).port}`)
  expect([code, wrongIn(report)]).toEqual([
    1,
    [
      expect.objectContaining({ id: 'envoy_old', where: 'Envoy 1.35.4', mend: expect.anything() as unknown }),
      expect.objectContaining({ id: 'hot_restart' }),
    ],
  ])
})

test('what does not answer is found, and what cannot be used is wrong use', async () => {
  const nobody = await doctor('--envoy-admin', `unix:${apart.socket}.not-there`)
  expect([nobody.code, idsOf(nobody.report)]).toEqual([1, ['envoy_unanswered']])
  const wrong = startProgram(process.execPath, [MAIN, 'doctor', '--envoy-config', `${apart.socket}.not-there`])
  expect([await wrong.ended, wrong.stderr.join('\n')]).toEqual([2, expect.stringContaining('cannot be read')])
})
