import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { prepareApart } from '../support/apart.ts'
import type { Apart } from '../support/apart.ts'
import type { Got } from '../support/clients.ts'
import { chat } from '../support/completions/chat.ts'
import { answerWith, DIALECT_SERVERS } from '../support/completions/dialects.ts'
import type { DialectServer, Turn } from '../support/completions/dialects.ts'
import type { Envoy } from '../support/envoy.ts'
import { lossesSince, NO_LOSS, readLosses } from '../support/losses.ts'
import type { Plumbline } from '../support/plumbline.ts'
import { said } from '../support/plumbline.ts'
import { approve, startReflector } from '../support/reflector.ts'
import type { StubReflector } from '../support/reflector.ts'
import { until } from '../support/until.ts'

/*
 * Plumbline goes away while it holds a call that a model proposed: the agent never has the call, nor an answer that
 * looks as if it were complete.
 */

/** No test waits for these. */
const VERDICT_MS = 20_000
const MESSAGE_TIMEOUT_MS = VERDICT_MS + 5_000

const TURN: Turn = { text: 'I refund it.', calls: [{ id: 'call_1', name: 'refund', args: { id: 'TX-31337' } }] }
/** What ends a stream for its client, in either dialect. */
const ENDS = /\[DONE\]|message_stop|finish_reason":"|stop_reason":"/

let apart: Apart
let envoy: Envoy
let reflector: StubReflector
let running: Plumbline | undefined

beforeAll(async () => {
  apart = await prepareApart()
  reflector = await startReflector()
  envoy = await apart.startEnvoy({ messageTimeoutMs: MESSAGE_TIMEOUT_MS })
})
beforeEach(() => reflector.reflect(approve))
afterAll(async () => {
  const { failure_mode_allowed, spurious_msgs_received } = lossesSince(NO_LOSS, await readLosses(envoy))
  expect({ failure_mode_allowed, spurious_msgs_received }).toEqual({
    failure_mode_allowed: 0,
    spurious_msgs_received: 0,
  })
  await apart.close()
  await reflector.close()
})

async function start(listener: Readonly<Record<string, unknown>> = {}): Promise<Plumbline> {
  await running?.close()
  const sparc = {
    // What it holds is not let go because it cannot ask any more, either.
    ...{ reflector_endpoint: reflector.url, enforcement: 'inference', fail_policy: 'open' },
    ...{ timeout_ms: VERDICT_MS, cache_ttl_ms: 0 },
  }
  const outbound = { plugins: ['inference-parser', { name: 'sparc', config: sparc }] }
  return (running = await apart.startPlumbline({ pipeline: { outbound }, listener }))
}

interface Held {
  /** Undefined: the client's answer broke off. */
  readonly got: Promise<Got | undefined>
  /** What the client has by now. */
  readonly text: () => string
  /** The reflector approves. */
  readonly answer: () => void
}

/** An answer whose call has reached the reflector, which keeps it; the client has the text before it. */
async function hold(server: DialectServer, stream: boolean): Promise<Held> {
  let answer = (): void => undefined
  const released = new Promise<void>((done) => (answer = done))
  reflector.reflect(async (question) => {
    await released
    return approve(question)
  })
  const asked = reflector.nextQuestion()
  let text = ''
  const got = send(server, stream, (piece) => (text += piece.toString())).catch(() => undefined)
  await asked
  const held = { got, text: () => text, answer }
  if (stream) await until('the text before the call', () => (text.includes('it.') ? true : undefined))
  expect(text).not.toContain('refund"')
  return held
}

function send(server: DialectServer, stream: boolean, onPiece?: (piece: Buffer) => void): Promise<Got> {
  apart.upstream.answer(answerWith(server, () => TURN))
  const body = JSON.stringify({
    ...{ model: 'm', max_tokens: 9, stream, messages: [{ role: 'user', content: 'Refund it.' }] },
    tools: [{ type: 'function', function: { name: 'refund' } }],
  })
  return apart.client(envoy, 'outbound').send({
    ...{ host: 'upstream.test', path: server.path, body, headers: { 'content-type': 'application/json' } },
    ...(onPiece === undefined ? {} : { onPiece }),
  })
}

async function expectTwin(server: DialectServer, stream: boolean): Promise<void> {
  reflector.reflect(approve)
  const twin = await send(server, stream)
  expect([twin.status, twin.text]).toEqual([200, stream ? server.events(TURN).join('') : server.whole(TURN)])
}

async function expectBrokenOff({ got, text }: Held): Promise<void> {
  expect(await got).toBeUndefined()
  expect(text()).toContain('it.')
  expect(text()).not.toContain('TX-')
  expect(text()).not.toContain('refund"')
  expect(text()).not.toMatch(ENDS)
}

describe.each(DIALECT_SERVERS)('$name', (server) => {
  test('killed while it holds a call of a stream: the answer breaks off before the call', async () => {
    const plumbline = await start()
    await expectTwin(server, true)
    const held = await hold(server, true)
    plumbline.program.kill('SIGKILL')
    await expectBrokenOff(held)
    held.answer()
  })

  test('killed while it holds an answer: 503', async () => {
    const plumbline = await start()
    await expectTwin(server, false)
    const held = await hold(server, false)
    plumbline.program.kill('SIGKILL')
    const got = await held.got
    expect([got?.status, got?.text]).toEqual([503, ''])
    expect((await envoy.accessLine(got?.requestId ?? '')).details).toMatch(/^ext_proc_error_gRPC_error_1[34]/)
    held.answer()
  })
})

// How the process ends is not the dialect's business.
describe('told to end', () => {
  test.each([false, true])('it waits for what it holds; streamed: %s', async (stream) => {
    const plumbline = await start()
    const held = await hold(chat, stream)
    plumbline.program.kill('SIGTERM')
    await until('the drain to begin', () => (said(plumbline.program).includes('"draining"') ? true : undefined))
    held.answer()
    expect((await held.got)?.text).toBe(stream ? chat.events(TURN).join('') : chat.whole(TURN))
    expect(await plumbline.program.ended).toBe(0)
    const { invocations } = await plumbline.record((await held.got)?.requestId ?? '')
    expect(invocations).toContainEqual(expect.objectContaining({ plugin: 'sparc', reason: 'approved' }))
  })

  test('at its deadline, a stream with a held call breaks off', async () => {
    const plumbline = await start({ drain_deadline_ms: 100 })
    const held = await hold(chat, true)
    plumbline.program.kill('SIGTERM')
    await expectBrokenOff(held)
    expect(await plumbline.program.ended).toBe(0)
    held.answer()
  })

  test('at its deadline, an answer that is held is refused in words', async () => {
    const plumbline = await start({ drain_deadline_ms: 100 })
    const held = await hold(chat, false)
    plumbline.program.kill('SIGTERM')
    const got = await held.got
    expect(got?.status).toBe(503)
    expect(JSON.parse(got?.text ?? '')).toMatchObject({ error: 'plumbline.shutting_down', plugin: 'plumbline' })
    expect(await plumbline.program.ended).toBe(0)
    held.answer()
    const record = await plumbline.record(got?.requestId ?? '')
    expect(record).toMatchObject({ phase: 'denied', statusCode: 503 })
    expect(record.invocations).toContainEqual(
      expect.objectContaining({ plugin: 'plumbline', action: 'deny', reason: 'shutting_down' }),
    )
  })
})
