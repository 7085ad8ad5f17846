import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { judgedChains } from '../support/chains.ts'
import { sendRaw } from '../support/clients.ts'
import type { Asked, Client, Got } from '../support/clients.ts'
import { prepareApart } from '../support/apart.ts'
import type { Apart } from '../support/apart.ts'
import type { Envoy } from '../support/envoy.ts'
import { ackedEvents } from '../support/events.ts'
import { allow, startJudge } from '../support/judge.ts'
import type { Judging, StubJudge } from '../support/judge.ts'
import { lossesSince, NO_LOSS, readLosses } from '../support/losses.ts'
import { a2aAnswer, a2aSend, chatRequest, MCP_HEADERS, mcpCall } from '../support/messages.ts'
import type { Plumbline } from '../support/plumbline.ts'
import { said } from '../support/plumbline.ts'
import { sightOf } from '../support/sight.ts'
import type { Json } from '../support/sidecar.ts'
import { until } from '../support/until.ts'
import { sayOk } from '../support/upstream.ts'

/*
 * Plumbline is not there, goes away, does not move, or is not believed: nothing passes, in either direction, and what
 * was decided before is not lost. Envoy runs on; each test starts the Plumbline that it takes away.
 */

/** No test waits for these; they only must not end one that waits for something else. */
const VERDICT_MS = 20_000
const MESSAGE_TIMEOUT_MS = VERDICT_MS + 5_000

const TWIN: Asked = { host: 'upstream.test', path: '/mcp', body: mcpCall('get_weather', {}), headers: MCP_HEADERS }
const EXFILTRATION: Asked = { ...TWIN, body: mcpCall('send_mail', { code: 'TX-991' }) }
/** Denies what carries the secret. */
const byWord: Judging = ({ text }) => ({ verdict: text.includes('TX-991') ? 'deny' : 'allow', reason: 'r' })

let apart: Apart
let envoy: Envoy
let judge: StubJudge
let outbound: Client

beforeAll(async () => {
  apart = await prepareApart()
  judge = await startJudge(byWord)
  envoy = await apart.startEnvoy({ messageTimeoutMs: MESSAGE_TIMEOUT_MS })
  outbound = apart.client(envoy, 'outbound')
  apart.agent.answer((_arrival, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'application/json' })
    outgoing.end(a2aAnswer('Done.'))
  })
})
beforeEach(() => {
  judge.judge(byWord)
  apart.upstream.answer(sayOk)
})
afterAll(async () => {
  const { failure_mode_allowed, spurious_msgs_received } = lossesSince(NO_LOSS, await readLosses(envoy))
  expect({ failure_mode_allowed, spurious_msgs_received }).toEqual({
    failure_mode_allowed: 0,
    spurious_msgs_received: 0,
  })
  await judge.close()
  await apart.close()
})

let running: Plumbline | undefined

/**
 * Plumbline with a user who has asked for something, and a twin that arrived. One that still runs is taken, so that a
 * test that ends with this shows that all works again, and the next one need not start another.
 */
async function working(listener?: Readonly<Record<string, unknown>>): Promise<Plumbline> {
  if (listener !== undefined) await running?.close()
  if (running === undefined || running.program.hasEnded()) {
    const chains = judgedChains({ judgeUrl: judge.url, ibac: { timeout_ms: VERDICT_MS } })
    running = await apart.startPlumbline({ ...chains, ...(listener === undefined ? {} : { listener }) })
    await expectTurn(200)
  }
  await expectTwinArrives()
  return running
}

async function expectTurn(status: number): Promise<void> {
  const before = apart.agent.arrivals.length
  const body = a2aSend('Tell me the weather.')
  const got = await apart.client(envoy, 'inbound').send({ host: 'agent', body, headers: MCP_HEADERS })
  expect(got.status).toBe(status)
  expect(apart.agent.arrivals.length).toBe(status === 200 ? before + 1 : before)
}

async function expectTwinArrives(): Promise<void> {
  const before = apart.upstream.arrivals.length
  expect((await outbound.send(TWIN)).status).toBe(200)
  expect(apart.upstream.arrivals.length).toBe(before + 1)
}

/** Envoy answers in the upstream's stead, and says why in its access log. */
async function expectNothingPassed(sent: Promise<Got>, details: RegExp, status = 503): Promise<void> {
  const before = sightOf(apart.upstream)
  const got = await sent
  expect([got.status, got.text]).toEqual([status, ''])
  expect((await envoy.accessLine(got.requestId)).details).toMatch(details)
  expect(sightOf(apart.upstream)).toEqual(before)
}

async function end(plumbline: Plumbline, signal: NodeJS.Signals): Promise<number | string> {
  plumbline.program.kill(signal)
  return plumbline.program.ended
}

/** A question that the judge keeps until told; settles when it is there. */
async function held(send: () => Promise<Got>): Promise<{ readonly got: Promise<Got>; readonly answer: () => void }> {
  let answer = (): void => undefined
  const released = new Promise<void>((done) => (answer = done))
  const next = judge.nextQuestion()
  judge.judge(async (question) => {
    await released
    return allow(question)
  })
  const got = send()
  await next
  judge.judge(byWord)
  return { got, answer }
}

const SHAPES: readonly (readonly [string, Asked])[] = [
  ['with a body', TWIN],
  ['without a body', { host: 'upstream.test', path: '/thing?code=1' }],
]

test('never started: nothing passes; once it is there, it does', async () => {
  for (const [, asked] of SHAPES) await expectNothingPassed(outbound.send(asked), /^ext_proc_error_gRPC_error_14/)
  await expectTurn(503)
  await working()
})

test('killed between two exchanges: nothing passes; started anew, it does', async () => {
  await end(await working(), 'SIGKILL')
  for (const [, asked] of SHAPES) await expectNothingPassed(outbound.send(asked), /^ext_proc_error_gRPC_error_14/)
  await expectTurn(503)
  // The socket of the one that was killed is still there.
  await working()
})

test.each(SHAPES)('killed while it judges a request %s: it does not pass', async (_name, asked) => {
  const plumbline = await working()
  const { got, answer } = await held(() => outbound.send(asked))
  const nothing = expectNothingPassed(got, /^ext_proc_error_gRPC_error_1[34]/)
  await end(plumbline, 'SIGKILL')
  await nothing
  answer()
  await working()
})

test('stopped: Envoy gives up; when it moves on, what Envoy gave up does not pass', async () => {
  const impatient = await apart.startEnvoy({ messageTimeoutMs: 1500 })
  const client = apart.client(impatient, 'outbound')
  const plumbline = await working()
  expect((await client.send(TWIN)).status).toBe(200)
  const before = sightOf(apart.upstream)
  plumbline.program.kill('SIGSTOP')
  try {
    const got = await client.send(TWIN)
    expect([got.status, got.text]).toEqual([504, ''])
    const { details } = await impatient.accessLine(got.requestId)
    expect(details).toBe('ext_proc_error_per-message_timeout_exceeded')
  } finally {
    plumbline.program.kill('SIGCONT')
  }
  expect(sightOf(apart.upstream)).toEqual(before)
  // A twin through the other Envoy comes after what Plumbline found when it woke.
  await expectTwinArrives()
  expect(apart.upstream.arrivals.length).toBe(before.arrivals + 1)
})

describe('told to end', () => {
  test('it finishes what it judges, and lets nothing else pass', async () => {
    const plumbline = await working()
    const { got, answer } = await held(() => outbound.send(TWIN))
    const before = apart.upstream.arrivals.length
    const later = apart.client(envoy, 'outbound')
    plumbline.program.kill('SIGTERM')
    await until('the drain to begin', () => (said(plumbline.program).includes('"draining"') ? true : undefined))

    // At first it serves, so that a health check can notice; then it takes no more.
    await until('new exchanges to be refused', async () => {
      const { status } = await later.send(EXFILTRATION)
      expect([403, 503]).toContain(status)
      return status === 503 ? true : undefined
    })
    expect(apart.upstream.arrivals.length).toBe(before)
    answer()

    expect((await got).status).toBe(200)
    expect(apart.upstream.arrivals.length).toBe(before + 1)
    expect(await plumbline.program.ended).toBe(0)
    const record = await plumbline.record((await got).requestId)
    expect(record).toMatchObject({ direction: 'outbound', statusCode: 200 })
    await expectNothingPassed(later.send(TWIN), /^ext_proc_error_gRPC_error_14/)
  })

  test('what is undecided at its deadline is refused in words', async () => {
    const plumbline = await working({ drain_deadline_ms: 100 })
    const { got, answer } = await held(() => outbound.send(TWIN))
    const before = sightOf(apart.upstream)
    // Half a body: Envoy has the head's answer, and waits for the rest.
    const half = 'POST /mcp HTTP/1.1\r\nhost: upstream.test\r\ncontent-length: 9\r\nconnection: close\r\n\r\nhalf'
    const cut = sendRaw(envoy.outboundPort, half, (seen) => seen.includes('request_id'))
    await until('the half body', async () => ((await active()) >= 2 ? true : undefined))

    expect(await end(plumbline, 'SIGTERM')).toBe(0)

    const refused = await got
    expect(refused.status).toBe(503)
    expect(JSON.parse(refused.text)).toMatchObject({
      error: 'plumbline.shutting_down',
      plugin: 'plumbline',
      request_id: refused.requestId,
    })
    expect(await cut).toMatch(/^HTTP\/1\.1 503 [^]*"error":"plumbline\.shutting_down"/)
    answer()
    expect(sightOf(apart.upstream)).toEqual(before)
    const record = await plumbline.record(refused.requestId)
    expect(record).toMatchObject({ phase: 'denied', statusCode: 503 })
    expect(record.invocations).toContainEqual(
      expect.objectContaining({ plugin: 'plumbline', action: 'deny', reason: 'shutting_down' }),
    )
    expect(record.invocations).toContainEqual(
      expect.objectContaining({ plugin: 'ibac', action: 'failed', reason: 'shutting_down' }),
    )
  })

  test('an answer that is read in passing flows on to its end', async () => {
    const plumbline = await working({ drain_deadline_ms: 100 })
    const events = ['a', 'b', 'c'].map((word) => `data: {"choices":[{"index":0,"delta":{"content":"${word}"}}]}\n\n`)
    const stream = ackedEvents(events)
    apart.upstream.answer(stream.answer)
    let first = (): void => undefined
    const begun = new Promise<void>((done) => (first = done))
    let flowing = false
    const body = chatRequest('How is the weather?', { stream: true })
    const got = outbound.send({
      host: 'upstream.test',
      path: '/v1/chat/completions',
      body,
      headers: { 'content-type': 'application/json' },
      onPiece: () => {
        first()
        if (flowing) stream.acknowledge()
      },
    })
    await begun

    expect(await end(plumbline, 'SIGTERM')).toBe(0)
    flowing = true
    stream.acknowledge()

    expect([(await got).status, (await got).text]).toEqual([200, events.join('')])
    const { invocations } = await plumbline.record((await got).requestId)
    expect(invocations.at(-1)).toMatchObject({
      plugin: 'inference-parser',
      phase: 'response',
      details: { unread: 'cut' },
    })
  })

  test('twice: it does not wait, and what it judges does not pass', async () => {
    const plumbline = await working()
    const { got, answer } = await held(() => outbound.send(TWIN))
    const nothing = expectNothingPassed(got, /^ext_proc_error_gRPC_error_1[34]/)
    plumbline.program.kill('SIGTERM')
    await until('the drain to begin', () => (said(plumbline.program).includes('"draining"') ? true : undefined))
    expect(await end(plumbline, 'SIGTERM')).toBe(1)
    await nothing
    answer()
  })
})

describe('a filter that is not as it should be', () => {
  let plumbline: Plumbline
  beforeAll(async () => {
    plumbline = await working()
  })

  /** A client of an Envoy whose processors are changed, in each direction. */
  async function misconfigured(change: (processor: Tree, direction: number) => void, token?: string) {
    const other = await apart.startEnvoy({
      change: (rendered) => changeProcessors(rendered, change),
      ...(token === undefined ? {} : { token }),
    })
    const clients = (['inbound', 'outbound'] as const).map((direction) => apart.client(other, direction))
    return { other, clients }
  }

  /** Sent in both directions; nothing arrives on either side. */
  async function refusals(clients: readonly Client[]): Promise<readonly Got[]> {
    await expectTwinArrives()
    const before = [sightOf(apart.agent), sightOf(apart.upstream)]
    const got: Got[] = []
    for (const client of clients) for (const [, asked] of SHAPES) got.push(await client.send(asked))
    expect([sightOf(apart.agent), sightOf(apart.upstream)]).toEqual(before)
    await expectTwinArrives()
    return got
  }

  test('a token that Plumbline does not know', async () => {
    const { other, clients } = await misconfigured(() => undefined, 'guessed-by-somebody')
    for (const got of await refusals(clients)) {
      expect([got.status, got.text]).toEqual([503, ''])
      expect((await other.accessLine(got.requestId)).details).toMatch(/^ext_proc_error_gRPC_error_16/)
    }
    // Its log is written in batches.
    await until(
      'the log of it',
      () => said(plumbline.program).includes('without the right x-plumbline-token') || undefined,
    )
    expect(said(plumbline.program)).not.toContain('guessed-by-somebody')
  })

  test('no direction', async () => {
    const { clients } = await misconfigured((processor) => {
      const service = processor['grpc_service'] as Tree
      service['initial_metadata'] = (service['initial_metadata'] as Tree[]).filter(
        ({ key }) => key !== 'x-plumbline-direction',
      )
    })
    for (const got of await refusals(clients)) {
      expectOwn(got, 'plumbline.no_direction')
      expect(await plumbline.record(got.requestId)).toMatchObject({
        direction: 'unknown',
        phase: 'denied',
        statusCode: 500,
        invocations: [{ plugin: 'plumbline', action: 'deny', reason: 'no_direction' }],
      })
    }
    expect(said(plumbline.program)).toContain('set `x-plumbline-direction')
  })

  test.each([
    ['NONE', 'STREAMED'],
    ['BUFFERED_PARTIAL', 'NONE'],
  ])('request bodies in mode %s and %s', async (...modes) => {
    const { clients } = await misconfigured((processor, direction) => {
      ;(processor['processing_mode'] as Tree)['request_body_mode'] = modes[direction] ?? ''
    })
    for (const got of await refusals(clients)) {
      expectOwn(got, 'plumbline.wrong_mode')
      const { invocations } = await plumbline.record(got.requestId)
      expect(invocations).toContainEqual(expect.objectContaining({ plugin: 'plumbline', reason: 'wrong_mode' }))
    }
    expect(said(plumbline.program)).toContain('set processing_mode.request_body_mode')
  })

  function expectOwn(got: Got, code: string): void {
    expect(got.status).toBe(500)
    expect(JSON.parse(got.text)).toMatchObject({ error: code, plugin: 'plumbline', request_id: got.requestId })
  }
})

type Tree = Record<string, Json>

/** Changes the settings of the external processor, wherever it stands in Envoy's configuration. */
function changeProcessors(rendered: string, change: (processor: Tree, direction: number) => void): string {
  let direction = 0
  const config = JSON.parse(rendered, (_key, value: Json) => {
    if (typeof value === 'object' && value !== null && 'processing_mode' in value) {
      change(value, direction)
      direction += 1
    }
    return value
  }) as Json
  return JSON.stringify(config)
}

/** Exchanges that Plumbline has open. */
async function active(): Promise<number> {
  const stats = await envoy.stats('cluster.plumbline.upstream_rq_active')
  return stats['cluster.plumbline.upstream_rq_active'] ?? 0
}
