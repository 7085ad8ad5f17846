import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { connectAsEnvoy, requestHead, type Wire } from '../../test/support/extproc/as-envoy.ts'
import { readConfig } from '../config/load.ts'
import type { PluginType } from '../config/plugin-type.ts'
import type { ExchangeRecord } from '../core/record.ts'
import { createObserver } from '../observe/log.ts'
import { PLUGIN_TYPES } from './plugins.ts'
import { type Running, startPlumbline } from './start.ts'

/** How often the gate was asked. */
let asked = 0

/** A gate of the test's own: whatever it is asked about, it refuses. */
const never: PluginType = {
  name: 'never',
  kind: 'gate',
  directions: ['outbound'],
  schema: z.unknown(),
  requires: [],
  requiresAny: [],
  codes: { 'never.no': { status: 403, fault: 'peer', message: 'No.' } },
  create: () => ({
    kind: 'gate',
    timeoutMs: 100,
    points: ['request'],
    failsOpen: false,
    exempt: () => undefined,
    judge: async () => {
      asked += 1
      return {
        allow: false,
        no: { code: 'never.no', status: 403, message: 'No.' },
        run: { action: 'deny', reason: 'blocked' },
      }
    },
  }),
}

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumbline-start-'))
})
afterAll(() => rm(folder, { recursive: true }))

let running: Running | undefined
afterEach(() => running?.stop())

async function started(plugin: string, listener: string): Promise<{ running: Running; lines: Wire[] }> {
  const yaml = `
pipeline: {outbound: {plugins: [${plugin}]}}
listener: {${listener}}
admin: {address: "127.0.0.1:0"}
`
  const loaded = readConfig(yaml, 'test.yaml', { environment: {}, types: [...PLUGIN_TYPES, never] })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  const lines: Wire[] = []
  const observer = createObserver('info', { write: (line: string) => void lines.push(JSON.parse(line) as Wire) })
  const settings = { ...loaded, credentials: { token: 'secret' } }
  const load = async () => ({ ok: false, problems: [] }) as const
  running = await startPlumbline(settings, { observer, load, drainPauseMs: 0 })
  return { running, lines }
}

const SAID = { 'x-plumbline-direction': 'outbound', 'x-plumbline-token': 'secret' }

async function ask(address: string): Promise<Wire> {
  const connection = connectAsEnvoy(address)
  const stream = connection.open(SAID)
  const reply = await stream.ask(requestHead({ last: true }))
  stream.reset()
  connection.close()
  return reply
}

test('the whole server in one process: a gate refuses, and the record says so', async () => {
  const { running, lines } = await started('never', `ext_proc_addr: "unix:${join(folder, 'a.sock')}"`)
  // Warming up asks no gate: one may call out, or remember.
  expect(asked).toBe(0)
  const reply = await ask(running.addresses[0] ?? '')
  expect(asked).toBe(1)
  expect(reply).toMatchObject({ immediateResponse: { status: { code: 403 }, details: 'never.no' } })
  await running.stop()
  const records = lines.filter(({ msg }) => msg === 'exchange') as unknown as ExchangeRecord[]
  expect(records).toMatchObject([
    { phase: 'denied', statusCode: 403, invocations: [{ plugin: 'never', action: 'deny', reason: 'blocked' }] },
  ])
})

test('the same gate in observe mode lets pass, and /readyz says that it does', async () => {
  const { running } = await started('{name: never, on_error: observe}', 'outbound_addr: "127.0.0.1:0"')
  const reply = await ask(running.addresses[0] ?? '')
  expect(reply).toMatchObject({ requestHeaders: {} })
  const readyz = await fetch(`http://${running.adminAddress}/readyz`)
  expect(await readyz.json()).toMatchObject({
    status: 'ready',
    fails_open: [expect.stringContaining('no gate enforces'), expect.stringContaining('on_error is observe')],
    figures: { sessions: 0, inFlight: 0, streams: 1 },
  })
})

test('whoever shows another token is turned away', async () => {
  const { running } = await started('never', `ext_proc_addr: "unix:${join(folder, 'c.sock')}"`)
  const connection = connectAsEnvoy(running.addresses[0] ?? '')
  const stream = connection.open({ ...SAID, 'x-plumbline-token': 'guessed' })
  expect((await stream.status).code).toBe('UNAUTHENTICATED')
  connection.close()
})

test('is not ready while it waits for an exchange to end, and gone afterwards', async () => {
  const { running } = await started(
    '{name: never, on_error: observe}',
    `ext_proc_addr: "unix:${join(folder, 'b.sock')}"`,
  )
  const connection = connectAsEnvoy(running.addresses[0] ?? '')
  const stream = connection.open(SAID)
  await stream.ask(requestHead({ last: true }))
  const stopping = running.stop()
  const readyz = await fetch(`http://${running.adminAddress}/readyz`)
  expect([readyz.status, await readyz.json()]).toMatchObject([503, { status: 'draining' }])
  stream.reset()
  await stopping
  connection.close()
  await expect(fetch(`http://${running.adminAddress}/healthz`)).rejects.toThrow()
})

test('a port that is taken is an error, and leaves nothing open', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const address = other.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  await expect(started('never', `outbound_addr: "127.0.0.1:${port}"`)).rejects.toThrow(/EADDRINUSE|address/i)
  other.close()
})
