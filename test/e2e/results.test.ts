import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PLUGIN_TYPES } from '../../src/cli/plugins.ts'
import { strictObject } from '../../src/config/fields.ts'
import type { PluginType } from '../../src/config/plugin-type.ts'
import type { Gate } from '../../src/core/plugin.ts'
import type { SeenResults, SessionView } from '../../src/core/session.ts'
import { prepareApart } from '../support/apart.ts'
import type { Apart } from '../support/apart.ts'
import type { Client, Got } from '../support/clients.ts'
import type { Envoy } from '../support/envoy.ts'
import { startHere } from '../support/here.ts'
import { lossesSince, NO_LOSS, readLosses } from '../support/losses.ts'
import { a2aAnswer, a2aSend, MCP_HEADERS, mcpCall } from '../support/messages.ts'
import { until } from '../support/until.ts'

/*
 * What tools answer reaches a gate that looks at results, through a real Envoy and byte for byte to the agent. Plumbline
 * runs in this process, so that the test can see what the gate sees.
 */

const heard: SessionView[] = []
/** What the gate saw when it was asked about a path. */
const seen = new Map<string, readonly string[]>()

function createLookingGate(): Gate {
  return {
    kind: 'gate',
    timeoutMs: 1_000,
    points: ['request'],
    failsOpen: false,
    needsResults: { bytes: 1_000_000 },
    heard: (session) => (heard.push(session), 'done'),
    exempt: () => undefined,
    judge: async (_, x) => {
      const [session] = x.session.candidates
      seen.set(x.request.path, session?.results.list.map(({ text }) => text) ?? [])
      return { allow: true, run: { action: 'allow', reason: 'aligned' } }
    },
  }
}

const LOOKING: PluginType = {
  name: 'looking',
  kind: 'gate',
  directions: ['outbound'],
  schema: strictObject({}),
  requires: [],
  requiresAny: [],
  codes: {},
  create: createLookingGate,
}

let apart: Apart
let envoy: Envoy
let agent: Client

beforeAll(async () => {
  apart = await prepareApart()
  const plugins = ['inference-parser', 'mcp-parser', 'looking'].map((name) => ({ name }))
  const pipeline = { inbound: { plugins: [{ name: 'a2a-parser' }] }, outbound: { plugins } }
  const here = await startHere(apart, [...PLUGIN_TYPES, LOOKING], { pipeline })
  stopHere = () => here.close()
  envoy = await apart.startEnvoy()
  agent = apart.client(envoy, 'outbound')
})

let stopHere: (() => Promise<void>) | undefined

afterAll(async () => {
  await apart.close()
  await stopHere?.()
})

const PAGE = Array.from({ length: 5_000 }, (_, at) => `<p>é ${at} ${at ** 3}</p>`).join('\n')

let handle = ''

function send(path: string, body?: string, headers: Readonly<Record<string, string>> = {}): Promise<Got> {
  const method = body === undefined ? 'GET' : 'POST'
  const sent = { ...(body === undefined ? {} : { body }), headers: { ...headers, 'x-plumbline-session': handle } }
  return agent.send({ host: 'upstream.test', method, path, ...sent })
}

/** The upstream answers so from now on. */
function answerWith(type: string, body: string | Buffer, more: Readonly<Record<string, string>> = {}): Buffer {
  const bytes = Buffer.from(body)
  apart.upstream.answer((_, outgoing) => {
    outgoing.writeHead(200, { 'content-type': type, ...more })
    outgoing.write(bytes.subarray(0, 7))
    outgoing.end(bytes.subarray(7))
  })
  return bytes
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

test('results of every kind are kept once and in order, and the answers arrive as they were sent', async () => {
  const losses = await readLosses(envoy)
  apart.agent.answer((arrival, outgoing) => {
    handle = arrival.headers.find(([name]) => name === 'x-plumbline-session')?.[1] ?? ''
    outgoing.writeHead(200, { 'content-type': 'application/json' }).end(a2aAnswer('On it.'))
  })
  const user = apart.client(envoy, 'inbound')
  const headers = { 'content-type': 'application/json' }
  await user.send({ host: 'agent.test', method: 'POST', body: a2aSend('Read my mail.'), headers })
  expect(handle).toMatch(/^pls_/)

  const result = { content: [{ type: 'text', text: 'Invoice 77 is due.' }] }
  const mcp = answerWith('application/json', JSON.stringify({ jsonrpc: '2.0', id: 1, result }))
  expect((await send('/mcp', mcpCall('inbox', { folder: 'new' }), MCP_HEADERS)).body).toEqual(mcp)

  const page = answerWith('text/html; charset=utf-8', gzipSync(PAGE), {
    'content-encoding': 'gzip',
  })
  expect(sha256((await send('/page')).body)).toBe(sha256(page))

  const messages = [
    { role: 'user', content: 'Read my mail.' },
    { role: 'assistant', tool_calls: [call('k1', 'mail__inbox', { folder: 'new' }), call('k2', 'local_clock', {})] },
    { role: 'tool', tool_call_id: 'k1', content: 'Invoice 77 is due.' },
    { role: 'tool', tool_call_id: 'k2', content: 'It is noon.' },
  ]
  answerWith('application/json', JSON.stringify({ choices: [{ message: { role: 'assistant', content: 'Done.' } }] }))
  const question = JSON.stringify({ model: 'm', messages })
  for (let times = 0; times < 2; times++) await send('/v1/chat/completions', question, headers)

  await send('/last')
  expect(seen.get('/page')).toEqual(['Invoice 77 is due.'])
  expect(seen.get('/last')).toEqual(['Invoice 77 is due.', PAGE, 'It is noon.'])
  const results = resultsOf()
  expect(results.list).toMatchObject([
    { tool: 'inbox', args: { folder: 'new' }, host: 'upstream.test', cut: false },
    { tool: 'get_url', args: { url: 'http://upstream.test/page' }, host: 'upstream.test', cut: false },
    { tool: 'local_clock', args: {}, cut: false },
    { tool: 'get_url' },
  ])
  expect(results.incomplete).toBe(false)

  const picture = answerWith('image/png', Buffer.from([137, 80, 78, 71, 0, 1, 2, 3]))
  expect((await send('/picture')).body).toEqual(picture)
  expect(results.incomplete).toBe(true)
  await until('the gate to hear of it', () => (heard.length >= 4 ? true : undefined))
  expect(new Set(heard).size).toBe(1)
  expect(lossesSince(losses, await readLosses(envoy))).toEqual(NO_LOSS)
})

function resultsOf(): SeenResults {
  const session = heard[0]
  return session?.results ?? expect.fail('no gate heard of a result')
}

function call(id: string, name: string, args: unknown) {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(args) } }
}
