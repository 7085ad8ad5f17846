import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { acknowledging } from '../support/acks.ts'
import { judgedChains } from '../support/chains.ts'
import { openClient } from '../support/clients.ts'
import type { Client } from '../support/clients.ts'
import { Closing } from '../support/closing.ts'
import { startEnvoy } from '../support/envoy.ts'
import type { Envoy } from '../support/envoy.ts'
import { ackedEvents } from '../support/events.ts'
import { allow, deny, startJudge } from '../support/judge.ts'
import type { StubJudge } from '../support/judge.ts'
import { lossesSince, NO_LOSS, readLosses } from '../support/losses.ts'
import { a2aAnswer, a2aSend, chatRequest, MCP_HEADERS, mcpCall } from '../support/messages.ts'
import { said, startPlumbline } from '../support/plumbline.ts'
import type { Plumbline } from '../support/plumbline.ts'
import { checkHealth, openHealthClient } from '../support/extproc/health.ts'
import { freePorts } from '../support/ports.ts'
import { scratchFolder } from '../support/scratch.ts'
import { sayJson } from '../support/scripted-agent.ts'
import { overTls, toPort, withoutWorkload } from '../support/tls/envoy.ts'
import { createAuthority } from '../support/tls/certificates.ts'
import type { Certificate } from '../support/tls/certificates.ts'
import { until } from '../support/until.ts'
import { sayOk, startUpstream } from '../support/upstream.ts'
import type { Upstream } from '../support/upstream.ts'

/* Envoy and Plumbline on TCP, each with a certificate, as in a shared service. */

const NAME = 'plumbline.test'
const WORKLOAD = 'spiffe://cluster.test/ns/agents/sa/mail'
const authority = createAuthority('authority')
const stranger = createAuthority('stranger')

let closing: Closing
let folder: string
let port: number
let adminPort: number
let healthPort: number
let judge: StubJudge
let agent: Upstream
let upstream: Upstream
let plumbline: Plumbline

beforeAll(async () => {
  closing = new Closing()
  folder = closing.add(await scratchFolder()).path
  ;[port = 0, adminPort = 0, healthPort = 0] = await freePorts(3)
  judge = closing.add(await startJudge())
  agent = closing.add(await startUpstream())
  upstream = closing.add(await startUpstream())
  await renew()
  const files = {
    cert: join(folder, 'tls/tls.crt'),
    key: join(folder, 'tls/tls.key'),
    client_ca: join(folder, 'tls/ca.crt'),
  }
  const listener = {
    ext_proc_addr: `127.0.0.1:${port}`,
    health_addr: `127.0.0.1:${healthPort}`,
    tls: files,
    token_file: undefined,
  }
  const config = { ...judgedChains({ judgeUrl: judge.url }), listener }
  plumbline = closing.add(await startPlumbline({ folder, socket: '', port, adminPort, token: '', config }))
})
afterAll(() => closing.close())
afterEach(({ task }) => {
  if (task.result?.state === 'fail') console.error(`Plumbline:\n${said(plumbline.program)}`)
})

/** Puts a new certificate where Plumbline looks for it, all three files at once, as a mounted secret changes. */
async function renew(shown = authority.issue('plumbline', { dns: [NAME] })): Promise<void> {
  const version = join(folder, `version-${randomUUID()}`)
  await mkdir(version)
  await writeFile(join(version, 'tls.crt'), shown.cert)
  await writeFile(join(version, 'tls.key'), shown.key)
  await writeFile(join(version, 'ca.crt'), authority.cert)
  await symlink(version, `${version}.link`)
  await rename(`${version}.link`, join(folder, 'tls'))
}

/** An Envoy whose way to Plumbline is changed so. */
async function envoyWith(change: (rendered: string) => string): Promise<Envoy> {
  const own = closing.add(await scratchFolder()).path
  const values = {
    agentPort: agent.port,
    plumblineAdminPort: adminPort,
    plumblineSocket: '/unused',
    workload: 'unused',
    names: { 'upstream.test': upstream.port },
    tls: undefined,
    messageTimeoutMs: undefined,
  }
  return closing.add(await startEnvoy({ folder: own, values, change: (rendered) => change(toPort(rendered, port)) }))
}

/** With a certificate, or none. */
async function envoyThatShows(
  shows: Certificate | undefined,
  { trusts = authority, change = same } = {},
): Promise<Envoy> {
  const own = closing.add(await scratchFolder()).path
  const files = { cert: join(own, 'envoy.crt'), key: join(own, 'envoy.key'), authority: join(own, 'ca.crt') }
  await writeFile(files.authority, trusts.cert)
  await writeFile(files.cert, shows?.cert ?? '')
  await writeFile(files.key, shows?.key ?? '')
  const { cert, key } = files
  return envoyWith((rendered) =>
    change(
      overTls(rendered, {
        name: NAME,
        authority: files.authority,
        ...(shows === undefined ? {} : { shows: { cert, key } }),
      }),
    ),
  )
}

const same = (rendered: string): string => rendered
const mine = () => authority.issue('envoy', { uris: [WORKLOAD] })

function client(envoy: Envoy, direction: 'inbound' | 'outbound'): Client {
  return closing.add(openClient('h1', direction === 'inbound' ? envoy.inboundPort : envoy.outboundPort))
}

/** A user asks for something, so that there is an intent. */
async function askAgent(envoy: Envoy): Promise<void> {
  agent.answer(sayJson(a2aAnswer('Working on it.')))
  const got = await client(envoy, 'inbound').send({ host: 'agent', body: a2aSend('Mail Bob.'), headers: MCP_HEADERS })
  expect(got.status).toBe(200)
}

const call = { host: 'upstream.test', body: mcpCall('send_mail', { to: 'bob' }), headers: MCP_HEADERS }

describe('an Envoy with a certificate of our authority', () => {
  let envoy: Envoy
  beforeAll(async () => {
    envoy = await envoyThatShows(mine(), { change: withoutWorkload })
    await askAgent(envoy)
  })
  afterEach(async () => expect(await readLosses(envoy)).toEqual(NO_LOSS))

  test('a denied call, and an allowed one', async () => {
    judge.judge(deny)
    const before = upstream.arrivals.length
    const denied = await client(envoy, 'outbound').send(call)
    expect([denied.status, upstream.arrivals.length]).toEqual([403, before])
    judge.judge(allow)
    const allowed = await client(envoy, 'outbound').send(call)
    expect([allowed.status, upstream.arrivals.length]).toEqual([200, before + 1])
  })

  test('a stream, event by event', async () => {
    const events = ['one', 'two', 'three'].map(
      (content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`,
    )
    const acked = ackedEvents(events)
    upstream.answer(acked.answer)
    judge.judge(allow)
    const body = chatRequest('Hello.', { stream: true })
    const asked = {
      host: 'upstream.test',
      path: '/v1/chat/completions',
      body,
      headers: { 'content-type': 'application/json' },
    }
    const got = await client(envoy, 'outbound').send({ ...asked, onPiece: acknowledging(acked) })
    upstream.answer(sayOk)
    expect([got.status, got.text]).toEqual([200, events.join('')])
  })

  test('is the workload that its certificate names, where its filter names none', async () => {
    judge.judge(allow)
    const got = await client(envoy, 'outbound').send(call)
    expect(await plumbline.record(got.requestId)).toMatchObject({
      workload: WORKLOAD,
      session: { certainty: 'inferred' },
    })
  })
})

describe('refused is an Envoy', () => {
  test.each<[string, () => Promise<Envoy>]>([
    ['without a certificate', () => envoyThatShows(undefined)],
    ['with a certificate of another authority', () => envoyThatShows(stranger.issue('envoy'))],
    ['that does not trust us', () => envoyThatShows(mine(), { trusts: stranger })],
    ['in clear text', () => envoyWith(same)],
  ])('%s: its clients get 503, and nothing arrives', async (_name, start) => {
    const envoy = await start()
    judge.judge(allow)
    const before = [upstream.connections(), agent.connections(), judge.questions.length]
    for (const direction of ['inbound', 'outbound'] as const) {
      expect((await client(envoy, direction).send(call)).status).toBe(503)
    }
    expect([upstream.connections(), agent.connections(), judge.questions.length]).toEqual(before)
    await envoy.close()
  })
})

test('a certificate that is renewed under traffic loses nothing', async () => {
  // So that new connections are made all the time.
  const change = (rendered: string) =>
    rendered.replaceAll('"max_requests_per_connection": 900', '"max_requests_per_connection": 3')
  const envoy = await envoyThatShows(mine(), { change })
  const before = await readLosses(envoy)
  await askAgent(envoy)
  judge.judge(allow)
  let going = true
  const statuses: number[] = []
  const clients = Array.from({ length: 4 }, async () => {
    const own = client(envoy, 'outbound')
    while (going) statuses.push((await own.send(call)).status)
  })
  await until('traffic', () => statuses.length > 20 || undefined)
  const first = await certificateShown()
  await renew()
  plumbline.program.kill('SIGHUP')
  await until('the new certificate', async () => ((await certificateShown()) === first ? undefined : true))
  const then = statuses.length
  await until('traffic behind it', () => statuses.length > then + 20 || undefined)
  going = false
  await Promise.all(clients)
  expect(new Set(statuses)).toEqual(new Set([200]))
  const connections = await envoy.stats('cluster.plumbline.upstream_cx_total')
  expect(connections['cluster.plumbline.upstream_cx_total']).toBeGreaterThan(statuses.length / 4)
  expect(lossesSince(before, await readLosses(envoy))).toEqual(NO_LOSS)
})

test('a certificate that cannot be used is not taken, and that is said', async () => {
  const first = await certificateShown()
  await renew({ ...authority.issue('plumbline'), key: authority.issue('other').key })
  plumbline.program.kill('SIGHUP')
  const words = 'is not the key of the certificate'
  await until('words about it', () => plumbline.program.stdout.some((line) => line.includes(words)) || undefined)
  expect(await certificateShown()).toBe(first)
  await renew()
  await until('the next good one', async () => ((await certificateShown()) === first ? undefined : true))
})

test.each(['validate', 'serve --config'])(
  'files that are not there: %s says all of them, and ends with 2',
  async (how) => {
    const file = join(folder, 'wrong.yaml')
    const tls = { cert: '/none/tls.crt', key: '/none/tls.key', client_ca: '/none/ca.crt' }
    await writeFile(file, JSON.stringify({ pipeline: {}, listener: { tls } }))
    const { code, stderr } = await run([...how.split(' '), file])
    expect([code, [...stderr.matchAll(/wrong\.yaml:1:\d+: (listener\.tls\.\w+): /g)].map(([, path]) => path)]).toEqual([
      2,
      ['listener.tls.cert', 'listener.tls.key', 'listener.tls.client_ca'],
    ])
  },
)

test('a kubelet, which has no certificate, is told our health', async () => {
  const probe = openHealthClient(`127.0.0.1:${healthPort}`)
  closing.add({ close: async () => probe.close() })
  expect(await checkHealth(probe)).toEqual({ status: 1 })
})

async function run(words: readonly string[]): Promise<{ readonly code: unknown; readonly stderr: string }> {
  return new Promise((done) => {
    execFile(process.execPath, ['dist/main.js', ...words], { timeout: 20_000 }, (error, _stdout, stderr) => {
      done({ code: error?.code ?? 0, stderr })
    })
  })
}

/** Its fingerprint, as a new connection sees it. */
async function certificateShown(): Promise<string> {
  return new Promise((done, fail) => {
    const { cert, key } = mine()
    const socket = connect({
      port,
      host: '127.0.0.1',
      servername: NAME,
      ca: authority.cert,
      cert,
      key,
      ALPNProtocols: ['h2'],
    })
    socket.once('error', fail)
    socket.once('secureConnect', () => {
      done(socket.getPeerCertificate().fingerprint256)
      socket.destroy()
    })
  })
}
