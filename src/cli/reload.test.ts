import { mkdtemp, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import {
  connectAsEnvoy,
  requestBody,
  requestHead,
  type Connection,
  type Wire,
} from '../../test/support/extproc/as-envoy.ts'
import type { PluginType } from '../config/plugin-type.ts'
import type { ExchangeRecord } from '../core/record.ts'
import { createObserver } from '../observe/log.ts'
import { PLUGIN_TYPES } from './plugins.ts'
import { configFile } from './settings.ts'
import { type Running, startPlumbline } from './start.ts'

/** What the gate of the test's own was asked for, and how often it was made and closed. */
const door = { asked: 0, made: 0, closed: 0, wait: undefined as Promise<void> | undefined }

/** Lets pass or not, as it is configured. */
const doorType: PluginType<{ opens: boolean; breaks: boolean }> = {
  name: 'door',
  kind: 'gate',
  directions: ['outbound'],
  schema: z.strictObject({ opens: z.boolean(), breaks: z.boolean().default(false) }),
  requires: [],
  requiresAny: [],
  codes: { 'door.shut': { status: 403, fault: 'peer', message: 'Shut.' } },
  failsOpen: ({ opens }) => (opens ? ['the door is open'] : []),
  create: ({ opens, breaks }) => {
    if (breaks) throw new Error('the door does not fit')
    door.made += 1
    return {
      kind: 'gate',
      timeoutMs: 5000,
      points: ['request'],
      failsOpen: false,
      exempt: () => undefined,
      judge: async () => {
        door.asked += 1
        await door.wait
        return opens
          ? { allow: true, run: { action: 'allow', reason: 'open' } }
          : {
              allow: false,
              no: { code: 'door.shut', status: 403, message: 'Shut.' },
              run: { action: 'deny', reason: 'shut' },
            }
      },
      close: () => void (door.closed += 1),
    }
  },
}

const TYPES = [...PLUGIN_TYPES, doorType]

let folder = ''
let file = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumb-reload-'))
})
afterAll(() => rm(folder, { recursive: true }))

let running: Running
let connection: Connection
let lines: Wire[]
let level = 'info'

async function start(): Promise<void> {
  const source = configFile(file, { environment: { WHO: 'start' }, types: TYPES })
  const loaded = await source.load()
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  lines = []
  const observer = createObserver('info', { write: (line: string) => void lines.push(JSON.parse(line) as Wire) })
  running = await startPlumbline(loaded.settings, {
    observer: { ...observer, setLevel: (next) => (level = next) },
    load: () => source.load(),
    drainPauseMs: 0,
  })
  connection = connectAsEnvoy(running.addresses[0] ?? '')
}

let count = 0
const OPEN = '{name: door, id: opened, config: {opens: true}}'
const SHUT = '{name: door, id: shut, config: {opens: false}}'

async function write(outbound: string, more = ''): Promise<void> {
  await writeFile(
    `${file}~`,
    `pipeline: {inbound: {plugins: [a2a-parser]}, outbound: {plugins: [${outbound}]}}
listener: {ext_proc_addr: "unix:${join(folder, `${count}.sock`)}", token_file: ${join(folder, 'token')}}
admin: {address: "127.0.0.1:0", token_file: ${join(folder, 'admin')}}
${more}`,
  )
  // At once: a reload on the way sees one file or the other.
  await rename(`${file}~`, file)
}

beforeEach(async () => {
  count += 1
  file = join(folder, `${count}.yaml`)
  Object.assign(door, { asked: 0, made: 0, closed: 0, wait: undefined })
  await writeFile(join(folder, 'token'), 'secret\n')
  await writeFile(join(folder, 'admin'), 'admin-secret\n')
  await write(OPEN)
  await start()
})
afterEach(async () => {
  connection.close()
  await running.stop()
})

const said = (token: string, direction = 'outbound') => ({
  'x-plumbline-direction': direction,
  'x-plumbline-token': token,
})

/** What becomes of a request now. */
async function ask(token = 'secret'): Promise<'passes' | 'refused' | 'turned away'> {
  const stream = connection.open(said(token))
  const reply = await Promise.race([stream.ask(requestHead({ last: true })), stream.status])
  stream.reset()
  if ('code' in reply) return 'turned away'
  return 'immediateResponse' in reply ? 'refused' : 'passes'
}

interface Readyz {
  readonly fails_open: readonly string[]
  readonly configuration: {
    readonly digest: string
    readonly last_reload?: { readonly ok: boolean; readonly problems?: readonly string[] }
  }
}

const readyz = async () => {
  const answer = await fetch(`http://${running.adminAddress}/readyz`)
  return { code: answer.status, json: (await answer.json()) as Readyz }
}
/** How many are counted as good, and as bad. */
const reloads = async () => {
  const text = await (await fetch(`http://${running.adminAddress}/metrics`)).text()
  return ['ok', 'failed'].map(
    (result) => new RegExp(`^plumbline_reloads_total{result="${result}"} (\\d+)$`, 'm').exec(text)?.[1],
  )
}
const logged = (msg: string) => lines.filter((line) => line['msg'] === msg)
const records = () => logged('exchange') as unknown as readonly ExchangeRecord[]

test('another policy holds from the next exchange on, and the log says what changed', async () => {
  expect(await ask()).toBe('passes')
  const before = await readyz()
  await write(SHUT, 'log: {level: debug}')
  expect(await running.reload()).toEqual({
    kind: 'reloaded',
    changed: ['pipeline.outbound.plugins[0].id', 'pipeline.outbound.plugins[0].config.opens', 'log.level'],
  })
  expect(await ask()).toBe('refused')
  expect(level).toBe('debug')
  expect(await reloads()).toEqual(['1', '0'])
  expect(logged('configuration reloaded')).toHaveLength(1)
  const after = await readyz()
  expect([before.code, before.json.fails_open]).toEqual([200, ['outbound/opened: the door is open']])
  expect(before.json.configuration).not.toHaveProperty('last_reload')
  expect([after.code, after.json.fails_open]).toEqual([200, []])
  expect(after.json.configuration.last_reload).toMatchObject({ ok: true })
  expect(after.json.configuration.digest).not.toBe(before.json.configuration.digest)

  await write(OPEN)
  await running.reload()
  expect(await ask()).toBe('passes')
  expect(logged('a setting in force lets something pass unchecked')).toHaveLength(1)
})

test('an exchange ends with what it began with, and the old gate is closed after it', async () => {
  let go = (): void => undefined
  door.wait = new Promise((done) => (go = done))
  const held = connection.open(said('secret'))
  const reply = held.ask(requestHead({ last: true }))
  await vi.waitFor(() => expect(door.asked).toBe(1))
  await write(SHUT)
  await running.reload()
  expect(door).toMatchObject({ made: 2, closed: 0 })
  door.wait = undefined
  expect(await ask()).toBe('refused')
  go()
  expect(await reply).toMatchObject({ requestHeaders: {} })
  expect(door.closed).toBe(0)
  held.reset()
  await vi.waitFor(() => expect(door.closed).toBe(1))
  const ran = records().map(({ invocations }) => invocations.map(({ plugin, action }) => `${plugin} ${action}`))
  expect(ran).toEqual([['shut deny'], ['opened allow']])
})

describe('what is wrong changes nothing', () => {
  test.each<[string, () => Promise<void>, RegExp]>([
    ['no YAML', () => writeFile(file, 'pipeline: {{'), /\.yaml:1:\d+: /],
    ['half a file', () => writeFile(file, 'pipeline: {inbound: {plugins: [a2a-pa'), /\.yaml:1:\d+: /],
    ['an unknown plugin', () => write('dor'), /plugins\[0\]: unknown plugin "dor"; did you mean "door"\?/],
    ['a plugin that cannot be made', () => write('{name: door, config: {opens: true, breaks: true}}'), /does not fit/],
    ['what needs a restart', () => write(SHUT, 'session: {ttl: 9m}'), /session\.ttl: needs a restart; in force is 30m/],
    ['no file', () => unlink(file), /cannot be read: ENOENT/],
    ['an empty file', () => writeFile(file, ''), /\.yaml/],
    ['no token', () => unlink(join(folder, 'token')), /listener\.token_file: the token cannot be read: ENOENT/],
    [
      'an empty admin token',
      () => writeFile(join(folder, 'admin'), '\n'),
      /admin\.token_file: the token in .* must be/,
    ],
  ])('%s', async (_name, spoil, problem) => {
    await spoil()
    const problems = expect.arrayContaining([expect.stringMatching(problem)]) as string[]
    expect(await running.reload()).toEqual({ kind: 'refused', problems })
    expect(await ask()).toBe('passes')
    expect(logged('configuration not reloaded')).toMatchObject([{ level: 'error', problems }])
    const { code, json } = await readyz()
    expect([code, json.fails_open]).toEqual([200, ['outbound/opened: the door is open']])
    expect(json.configuration.last_reload).toMatchObject({ ok: false, problems })
    expect(await reloads()).toEqual(['0', '1'])

    await writeFile(join(folder, 'token'), 'secret\n')
    await writeFile(join(folder, 'admin'), 'admin-secret\n')
    await write(SHUT)
    expect(await running.reload()).toMatchObject({ kind: 'reloaded' })
    expect(await ask()).toBe('refused')
    expect((await readyz()).json.configuration.last_reload).toMatchObject({ ok: true })
  })

  test('all that needs a restart is said at once, and where', async () => {
    await write(SHUT, 'session: {ttl: 9m, linger: 5s}')
    const outcome = await running.reload()
    expect(outcome).toMatchObject({
      problems: [
        expect.stringMatching(/:4:16: session\.ttl: needs a restart; in force is 30m$/),
        expect.stringMatching(/:4:28: session\.linger: needs a restart; in force is 1m$/),
      ],
    })
  })
})

test('the variables are those of the start', async () => {
  await write(OPEN, 'log: {level: "${LEVEL:-warn}"}')
  await running.reload()
  expect(level).toBe('warn')
})

test('a token that was changed holds at once, and the one before it for a while', async () => {
  expect([await ask('secret'), await ask('next')]).toEqual(['passes', 'turned away'])
  await writeFile(join(folder, 'token'), 'next\n')
  expect(await running.reload()).toEqual({ kind: 'reloaded', changed: ['the token in listener.token_file'] })
  expect([await ask('secret'), await ask('next'), await ask('other')]).toEqual(['passes', 'passes', 'turned away'])
  expect(JSON.stringify(lines)).not.toMatch(/"next|next"/)
})

test('two at once: one after the other, and the second sees what came in between', async () => {
  await write(SHUT)
  const first = running.reload()
  const [second, third] = [running.reload(), running.reload()]
  expect(await first).toMatchObject({ kind: 'reloaded' })
  await write(OPEN)
  expect(await second).toMatchObject({ kind: 'reloaded' })
  expect(await third).toBe(await second)
  expect(await reloads()).toEqual(['2', '0'])
})

test('a server that is stopping ignores it, and says so', async () => {
  let go = (): void => undefined
  door.wait = new Promise((done) => (go = done))
  const held = connection.open(said('secret'))
  const reply = held.ask(requestHead({ last: true }))
  await vi.waitFor(() => expect(door.asked).toBe(1))
  const stopped = running.stop()
  await write(SHUT)
  expect(await running.reload()).toEqual({ kind: 'ignored', why: 'the server is stopping' })
  expect(logged('configuration not reloaded')).toMatchObject([{ why: 'the server is stopping' }])
  go()
  expect(await reply).toMatchObject({ requestHeaders: {} })
  held.reset()
  await stopped
  await vi.waitFor(() => expect(door).toMatchObject({ made: 1, closed: 1 }))
})

test('sessions survive it', async () => {
  const inbound = connection.open(said('secret', 'inbound'))
  const message = { role: 'user', kind: 'message', messageId: 'm', parts: [{ kind: 'text', text: 'Book a room.' }] }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } })
  await inbound.ask(requestHead({ headers: { 'content-type': 'application/json' } }))
  await inbound.ask(requestBody(body))
  expect(running.figures()['sessions']).toBe(1)
  await write(SHUT)
  await running.reload()
  expect(running.figures()).toMatchObject({ sessions: 1, inFlight: 1 })
  await ask()
  expect(records().at(-1)).toMatchObject({ session: { certainty: 'inferred' } })
  inbound.reset()
  await vi.waitFor(() => expect(running.figures()).toMatchObject({ sessions: 1, inFlight: 0 }))
})

describe('200 times', () => {
  let judge: Server
  beforeEach(async () => {
    judge = createServer((_request, response) => {
      const content = JSON.stringify({ verdict: 'allow', reason: 'asked for' })
      response.setHeader('keep-alive', 'timeout=600')
      response.end(JSON.stringify({ choices: [{ message: { content } }] }))
    })
    judge.keepAliveTimeout = 600_000
    await new Promise<void>((done) => judge.listen(0, '127.0.0.1', done))
  })
  afterEach(() => {
    judge.closeAllConnections()
    judge.close()
  })

  test('nothing piles up: no gate, no connection, no timer', async () => {
    const port = (judge.address() as AddressInfo).port
    const ibac = (id: string) =>
      `mcp-parser, {name: ibac, id: ${id}, config: {judge_endpoint: "http://127.0.0.1:${port}", judge_model: m, no_intent_policy: deny}}, ${OPEN}`
    const connections = () => new Promise<number>((done) => judge.getConnections((_, open) => done(open)))
    const resources = () => {
      const all = process.getActiveResourcesInfo()
      return {
        sockets: all.filter((each) => /TCP|Pipe/.test(each)).length,
        timers: all.filter((each) => each === 'Timeout').length,
      }
    }
    const inbound = connection.open(said('secret', 'inbound'))
    const message = { role: 'user', kind: 'message', messageId: 'm', parts: [{ kind: 'text', text: 'Look.' }] }
    await inbound.ask(requestHead({ headers: { 'content-type': 'application/json' } }))
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } })
    await inbound.ask(requestBody(body))
    const judged = async () => {
      const stream = connection.open(said('secret'))
      await stream.ask(requestHead({ headers: { 'content-type': 'application/json' } }))
      const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look","arguments":{}}}'
      const reply = await stream.ask(requestBody(call))
      stream.reset()
      return reply
    }

    await write(ibac('first'))
    await running.reload()
    expect(await judged()).toMatchObject({ requestBody: {} })
    const before = resources()
    for (let round = 0; round < 200; round += 1) {
      await write(ibac(`r${round}`))
      expect(await running.reload()).toMatchObject({ kind: 'reloaded' })
      if (round % 10 === 0) expect(await judged()).toMatchObject({ requestBody: {} })
    }
    expect(await judged()).toMatchObject({ requestBody: {} })
    await vi.waitFor(async () => expect(await connections()).toBe(1))
    // The first still has the exchange that began with it.
    expect(door).toMatchObject({ made: 202, closed: 200 })
    inbound.reset()
    await vi.waitFor(() => expect(door.closed).toBe(201))
    await vi.waitFor(() => {
      const after = resources()
      expect(after.sockets).toBeLessThanOrEqual(before.sockets)
      expect(after.timers).toBeLessThanOrEqual(before.timers + 2)
    })
  }, 60_000)
})
