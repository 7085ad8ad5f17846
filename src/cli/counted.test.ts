import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { CANARY_HEADER, CANARY_HOST } from '../core/canary.ts'
import type { Ruling } from '../core/ruling.ts'
import { createObserver } from '../observe/log.ts'
import type { PluginType } from '../config/plugin-type.ts'
import { answerHead, connectAsEnvoy, requestHead } from '../../test/support/extproc/as-envoy.ts'
import type { Connection, Stream } from '../../test/support/extproc/as-envoy.ts'
import { until } from '../../test/support/extproc/served.ts'
import { PLUGIN_TYPES } from './plugins.ts'
import { configFile } from './settings.ts'
import { type Running, startPlumbline } from './start.ts'

/* What is counted is what happened: each exchange once, by what became of it, across reloads. */

const NO = { code: 'script.no', status: 403, message: 'No.' }
/** How the scripted gate rules, by the path of the request. */
const RULINGS: Readonly<Record<string, () => Ruling | Promise<Ruling>>> = {
  '/allow': () => ({ allow: true, run: { action: 'allow', reason: 'aligned' } }),
  '/cached': () => ({ allow: true, run: { action: 'allow', reason: 'aligned', cached: true } }),
  '/deny': () => ({ allow: false, no: NO, run: { action: 'deny', reason: 'blocked' } }),
  '/closed': () => ({ allow: false, no: NO, run: { action: 'deny', reason: 'judge_unavailable' } }),
  '/open': () => ({ allow: true, run: { action: 'failed', reason: 'judge_unavailable', details: { passed: true } } }),
  '/throw': () => {
    throw new Error('broken')
  },
  '/hang': async () => new Promise(() => undefined),
}

const script: PluginType = {
  name: 'script',
  kind: 'gate',
  directions: ['outbound'],
  schema: z.unknown(),
  requires: [],
  requiresAny: [],
  codes: { 'script.no': { status: 403, fault: 'peer', message: 'No.' } },
  create: () => ({
    kind: 'gate',
    timeoutMs: 200,
    points: ['request'],
    failsOpen: false,
    exempt: ({ request }) => (request.path === '/exempt' ? { action: 'skip', reason: 'off' } : undefined),
    judge: async (_action, { request }) => (RULINGS[request.path] ?? RULINGS['/allow'])?.() as Promise<Ruling>,
  }),
}

let folder = ''
let running: Running
let connection: Connection

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumb-counted-'))
  await writeFile(join(folder, 'token'), 'secret')
  await write('enforce')
  const source = configFile(join(folder, 'p.yaml'), { environment: {}, types: [...PLUGIN_TYPES, script] })
  const loaded = await source.load()
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  const observer = createObserver('error', { write: () => undefined })
  running = await startPlumbline(loaded.settings, { observer, load: () => source.load(), drainPauseMs: 0 })
  connection = connectAsEnvoy(running.addresses[0] ?? '')
})
afterEach(async () => {
  connection.close()
  await running.stop()
  await rm(folder, { recursive: true })
})

async function write(mode: 'enforce' | 'observe'): Promise<void> {
  await writeFile(
    join(folder, 'p.yaml'),
    `pipeline: {outbound: {plugins: [{name: script, on_error: ${mode}}]}}
listener: {ext_proc_addr: "unix:${folder}/s", token_file: ${folder}/token, verdict_deadline_ms: 300}
admin: {address: "127.0.0.1:0"}
`,
  )
}

function open(path: string, headers: Readonly<Record<string, string>> = {}): Stream {
  const stream = connection.open({ 'x-plumbline-direction': 'outbound', 'x-plumbline-token': 'secret' })
  stream.send(requestHead({ last: true, headers: { ':path': path, ...headers } }))
  return stream
}

/** To its end, as Envoy does: it closes its side after the answer, or after ours. */
async function exchange(path: string): Promise<void> {
  const stream = open(path)
  if (!('immediateResponse' in (await stream.reply()))) await stream.ask(answerHead({ last: true }))
  stream.halfClose()
  await stream.status
}

async function scrape(): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`http://${running.adminAddress}/metrics`)).text()
  const lines = text.split('\n').filter((line) => line.startsWith('plumbline_'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]))
}

/** What is not zero of one metric, by its labels. */
async function counted(metric: string): Promise<Readonly<Record<string, number>>> {
  const found = [...(await scrape())].filter(([name, value]) => name.startsWith(`${metric}{`) && value !== 0)
  return Object.fromEntries(found.map(([name, value]) => [name.slice(metric.length), value]))
}

test('each exchange is counted once, as what it was', async () => {
  const often = {
    '/allow': 3,
    '/cached': 2,
    '/deny': 2,
    '/closed': 1,
    '/open': 2,
    '/throw': 1,
    '/hang': 1,
    '/exempt': 4,
  }
  for (const [path, times] of Object.entries(often)) for (let i = 0; i < times; i += 1) await exchange(path)

  const left = open('/hang')
  await until(() => running.figures()['openStreams'] === 1)
  left.reset()
  const early = open('/allow')
  await early.reply()
  early.reset()
  const canary = open('/allow', { ':authority': CANARY_HOST, [CANARY_HEADER]: 'close' })
  expect((await canary.status).code).toBe('UNAVAILABLE')
  const stranger = connection.open({ 'x-plumbline-direction': 'outbound', 'x-plumbline-token': 'wrong' })
  stranger.send(requestHead({ last: true }))
  expect((await stranger.status).code).toBe('UNAUTHENTICATED')
  const lost = connection.open({ 'x-plumbline-token': 'secret' })
  await lost.ask(requestHead({ last: true }))
  lost.halfClose()
  await lost.status

  // One that begins under the old policy and ends after two reloads; a bad file between them.
  const long = open('/allow')
  await long.reply()
  await write('observe')
  expect(await running.reload()).toMatchObject({ kind: 'reloaded' })
  await exchange('/deny')
  await exchange('/deny')
  await exchange('/throw')
  await writeFile(join(folder, 'p.yaml'), '{')
  expect(await running.reload()).toMatchObject({ kind: 'refused' })
  await write('enforce')
  expect(await running.reload()).toMatchObject({ kind: 'reloaded' })
  await long.ask(answerHead({ last: true }))
  long.halfClose()
  await long.status
  await until(() => running.figures()['openStreams'] === 0)

  const exchanges = await counted('plumbline_exchanges_total')
  expect(exchanges).toEqual({
    '{direction="outbound",outcome="allowed"}': 3 + 2 + 1,
    '{direction="outbound",outcome="refused"}': 2 + 1 + 1 + 1,
    '{direction="outbound",outcome="passed_unchecked"}': 2,
    '{direction="outbound",outcome="not_judged"}': 4 + 1,
    '{direction="outbound",outcome="gone"}': 2,
    '{direction="outbound",outcome="canary"}': 1,
    '{direction="outbound",outcome="would_refuse"}': 2,
    '{direction="unknown",outcome="refused"}': 1,
  })
  const all = await scrape()
  const sum = Object.values(exchanges).reduce((total, count) => total + count, 0)
  expect([all.get('plumbline_streams_total'), all.get('plumbline_streams_refused_by_token_total')]).toEqual([sum, 1])
  expect(await counted('plumbline_exchange_duration_seconds_count')).toEqual({
    '{direction="outbound"}': sum - 1,
    '{direction="unknown"}': 1,
  })
  expect(await counted('plumbline_failed_open_total')).toEqual({ '{plugin="script"}': 2 })
  expect(await counted('plumbline_failed_closed_total')).toEqual({ '{plugin="script"}': 3, '{plugin="plumbline"}': 1 })
  expect(await counted('plumbline_reloads_total')).toEqual({ '{result="ok"}': 2, '{result="failed"}': 1 })
  const shadow = (action: string, reason: string) =>
    `{plugin="script",action="${action}",reason="${reason}",shadow="true"}`
  expect(await counted('plumbline_plugin_decisions_total')).toMatchObject({
    '{plugin="script",action="allow",reason="aligned",shadow="false"}': 3 + 2 + 2,
    '{plugin="script",action="deny",reason="blocked",shadow="false"}': 2,
    '{plugin="script",action="failed",reason="gone",shadow="false"}': 1,
    '{plugin="script",action="skip",reason="not_reached",shadow="false"}': 1,
    [shadow('deny', 'blocked')]: 2,
    [shadow('failed', 'plugin_failed')]: 1,
  })
})
