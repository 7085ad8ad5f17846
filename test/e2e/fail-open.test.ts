import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ExchangeHandler } from '../../src/core/handler.ts'
import { tokenCheck } from '../../src/extproc/caller.ts'
import { createExtProcServer } from '../../src/extproc/server.ts'
import { openClient } from '../support/clients.ts'
import { Closing } from '../support/closing.ts'
import { startEnvoy } from '../support/envoy.ts'
import type { Envoy } from '../support/envoy.ts'
import { ask, outcomeOf } from '../support/extproc/ask.ts'
import { recordingHandler, refusal, SILENT_LOG } from '../support/extproc/handlers.ts'
import { PROVOCATIONS, SECRET } from '../support/extproc/provocations.ts'
import type { Provocation } from '../support/extproc/provocations.ts'
import { startStandIn } from '../support/extproc/stand-in.ts'
import type { StandIn } from '../support/extproc/stand-in.ts'
import { BOTH_BUFFERED, stdEnvoyConfig } from '../support/extproc/std-envoy.ts'
import type { StdListener } from '../support/extproc/std-envoy.ts'
import { freePorts } from '../support/ports.ts'
import { scratchFolder } from '../support/scratch.ts'
import { startUpstream } from '../support/upstream.ts'
import type { Answerer, Upstream } from '../support/upstream.ts'
import { until } from '../support/until.ts'

/*
 * Envoy takes many things that a processor can do for consent. Each known way is here three times: a stand-in that does
 * it, behind a filter that only fails closed, where it opens; the same stand-in behind the filter that we ship, where
 * the table says what happens; and our own server under the same provocation, where it does not open.
 */

/** In pieces, so that an answer can be cut in its middle. */
const answerInPieces: Answerer = async (_arrival, outgoing) => {
  outgoing.writeHead(200, { 'content-type': 'text/plain' })
  outgoing.write(SECRET)
  await sleep(100)
  outgoing.end('-END')
}

interface Ground {
  readonly upstream: Upstream
  readonly folder: string
  readonly socket: string
  readonly closing: Closing
}

/** An upstream, a folder and a place for a processor's socket. */
function useGround(build: (ground: Ground) => Promise<void>): void {
  const closing = new Closing()
  beforeAll(async () => {
    const folder = closing.add(await scratchFolder()).path
    const upstream = closing.add(await startUpstream('h1', answerInPieces))
    await build({ upstream, folder, socket: join(folder, 'p.sock'), closing })
  })
  afterAll(() => closing.close())
}

async function startShipped({ folder, socket, upstream, closing }: Ground, token?: string): Promise<Envoy> {
  const values = {
    agentPort: upstream.port,
    plumblineAdminPort: 1,
    plumblineSocket: socket,
    workload: 'tested',
    names: {},
    tls: undefined,
    messageTimeoutMs: 2000,
  }
  return closing.add(await startEnvoy({ folder, values, ...(token === undefined ? {} : { token }) }))
}

async function startStd(
  { folder, socket, upstream, closing }: Ground,
  listeners: readonly StdListener[],
): Promise<Envoy> {
  const values = {
    agentPort: 1,
    plumblineAdminPort: 1,
    plumblineSocket: socket,
    workload: 'tested',
    names: {},
    tls: undefined,
    messageTimeoutMs: undefined,
  }
  const config = stdEnvoyConfig({
    adminSocket: join(folder, 'envoy-admin.sock'),
    processorSocket: socket,
    upstreamPort: upstream.port,
    listeners,
  })
  return closing.add(await startEnvoy({ folder, values, change: () => config }))
}

/** Each setting that differs gets a listener; listener 0 is the usual one. */
async function listenersFor(provocations: readonly Provocation[]): Promise<readonly StdListener[]> {
  const ports = await freePorts(provocations.length + 1)
  const special = provocations.map(({ filter = {}, http = {}, bufferLimitBytes = 1_048_576 }, i) => ({
    port: ports[i + 1] ?? 0,
    filter,
    http,
    bufferLimitBytes,
  }))
  return [{ port: ports[0] ?? 0 }, ...special]
}

describe('a server that does it', () => {
  describe('behind a filter that only fails closed', () => {
    let standIn: StandIn
    let upstream: Upstream
    let listeners: readonly StdListener[]
    useGround(async (ground) => {
      upstream = ground.upstream
      listeners = await listenersFor(PROVOCATIONS)
      standIn = ground.closing.add(await startStandIn(`unix:${ground.socket}`))
      await startStd(ground, listeners)
    })

    test.each(PROVOCATIONS.map((provocation, i) => [provocation.name, provocation, i] as const))(
      '%s: opens',
      async (_name, provocation, i) => {
        standIn.play({})
        expect(await ask(listeners[0]?.port ?? 0)).toEqual({ status: 200, text: `${SECRET}-END` })
        standIn.play(provocation.script)
        const outcome = await outcomeOf(upstream, listeners[i + 1]?.port ?? 0, question(provocation), shown)
        expect(provocation.opened(outcome), JSON.stringify(outcome)).toBe(true)
      },
    )

    test('a refusal, for comparison, does not open', async () => {
      standIn.play({ requestHeaders: (hand) => hand.refuse() })
      const outcome = await outcomeOf(upstream, listeners[0]?.port ?? 0, {}, shown)
      expect(outcome).toMatchObject({ status: 403, arrival: undefined, touched: false })
    })

    const shown = (): number => standIn.shown().requestBytes
  })

  describe('behind the filter that we ship', () => {
    let standIn: StandIn
    let upstream: Upstream
    let envoy: Envoy
    useGround(async (ground) => {
      upstream = ground.upstream
      standIn = ground.closing.add(await startStandIn(`unix:${ground.socket}`))
      envoy = await startShipped(ground)
    })

    test.each(PROVOCATIONS.map((provocation) => [provocation.name, provocation.shipped, provocation] as const))(
      '%s: %s',
      async (_name, shipped, provocation) => {
        standIn.play({})
        expect(await ask(envoy.inboundPort)).toEqual({ status: 200, text: `${SECRET}-END` })
        standIn.play(provocation.script)
        const outcome = await outcomeOf(upstream, envoy.inboundPort, question(provocation), shown)
        expect(provocation.opened(outcome), JSON.stringify(outcome)).toBe(shipped === 'opens')
      },
    )

    const shown = (): number => standIn.shown().requestBytes
  })
})

describe('our server under the same provocation', () => {
  let upstream: Upstream
  let envoy: Envoy
  let handler: Partial<ExchangeHandler> = {}
  useGround(async (ground) => {
    upstream = ground.upstream
    await startOurs(ground, () => handler)
    envoy = await startShipped(ground, 'secret')
  })

  test.each(PROVOCATIONS.map((provocation) => [provocation.name, provocation] as const))(
    '%s: does not open',
    async (_name, provocation) => {
      handler = {}
      expect(await ask(envoy.inboundPort)).toEqual({ status: 200, text: `${SECRET}-END` })
      handler = provocation.ours.handler
      const outcome = await outcomeOf(upstream, envoy.inboundPort, question(provocation), () => 300_000)
      expect(provocation.opened(outcome), JSON.stringify(outcome)).toBe(false)
      expect(outcome.status).toBe(provocation.ours.status)
      if (provocation.ours.text !== undefined) expect(outcome.text).toBe(provocation.ours.text)
      const askedBeforeUpstream = handler.answerHead === undefined && outcome.status !== 200
      if (askedBeforeUpstream) expect(outcome).toMatchObject({ arrival: undefined, touched: false })
    },
  )

  test('trailers where the body should be are judged as an empty body', async () => {
    const bodies: number[] = []
    const client = openClient('h2', envoy.inboundPort)
    const asked = { host: 'upstream.test', method: 'POST', trailers: { 'x-t': '1' } }
    handler = {}
    expect((await client.send(asked)).status).toBe(200)
    handler = {
      requestBody: async (raw) => {
        bodies.push(raw.length)
        return { kind: 'refuse', answer: refusal('test.refused') }
      },
    }
    const before = upstream.bytes()
    expect((await client.send(asked)).status).toBe(403)
    expect(bodies).toEqual([0])
    expect(upstream.bytes()).toBe(before)
    await client.close()
  })

  test('a client that leaves during the verdict is told to the handler, and counts as no failure', async () => {
    const endings: string[] = []
    handler = {
      requestHead: async () => new Promise(() => undefined),
      end: (how) => void endings.push(how),
    }
    const failedBefore = await envoy.stats('ext_proc.plumbline.streams_failed')
    const socket = connect(envoy.inboundPort, '127.0.0.1', () => {
      socket.write('POST / HTTP/1.1\r\nhost: upstream.test\r\ncontent-length: 4\r\n\r\nbody')
      setTimeout(() => socket.destroy(), 100)
    })
    await until('the handler to be told', () => endings[0])
    expect(endings).toEqual(['gone'])
    expect(Object.keys(failedBefore).length).toBeGreaterThan(0)
    expect(await envoy.stats('ext_proc.plumbline.streams_failed')).toEqual(failedBefore)
  })

  test("Envoy's own answer to a body over its limit reaches the client", async () => {
    handler = {}
    const pieces = Array.from({ length: 11 }, () => Buffer.alloc(1024 * 1024, 'x'))
    const outcome = await outcomeOf(upstream, envoy.inboundPort, { body: pieces }, () => 0)
    expect(outcome).toMatchObject({ status: 413, arrival: undefined, touched: false })
  })

  test('thousands of exchanges, each ended by Envoy with a reset, lose no connection', async () => {
    handler = {}
    upstream.answer((_arrival, outgoing) => void outgoing.end('ok'))
    const clients = Array.from({ length: 16 }, () => openClient('h1', envoy.inboundPort))
    const statuses = new Map<number, number>()
    await Promise.all(
      clients.map(async (client) => {
        for (let i = 0; i < 125; i += 1) {
          const { status } = await client.send({ host: 'upstream.test', body: 'hello-body' })
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
        }
      }),
    )
    await Promise.all(clients.map((client) => client.close()))
    upstream.answer(answerInPieces)
    expect([...statuses]).toEqual([[200, 2000]])
    const stats = await envoy.stats('cluster.plumbline.upstream_cx_destroy_remote_with_active_rq')
    expect(Object.values(stats)).toEqual([0])
  }, 180_000)
})

describe('our server behind a filter that does not show what has to be checked', () => {
  const WRONG: readonly (readonly [name: string, filter: Readonly<Record<string, unknown>>])[] = [
    ['request bodies NONE', { processing_mode: { ...BOTH_BUFFERED, request_body_mode: 'NONE' } }],
    ['request bodies STREAMED', { processing_mode: { ...BOTH_BUFFERED, request_body_mode: 'STREAMED' } }],
    [
      'request bodies BUFFERED_PARTIAL',
      { processing_mode: { ...BOTH_BUFFERED, request_body_mode: 'BUFFERED_PARTIAL' } },
    ],
    [
      'answers FULL_DUPLEX_STREAMED',
      { processing_mode: { ...BOTH_BUFFERED, response_body_mode: 'FULL_DUPLEX_STREAMED' } },
    ],
  ]
  const said = [
    { key: 'x-plumbline-direction', value: 'inbound' },
    { key: 'x-plumbline-token', value: 'secret' },
  ]
  const grpc = { envoy_grpc: { cluster_name: 'gate' }, initial_metadata: said }
  let upstream: Upstream
  let listeners: readonly StdListener[]
  useGround(async (ground) => {
    upstream = ground.upstream
    const ports = await freePorts(WRONG.length + 1)
    listeners = [{}, ...WRONG.map(([, filter]) => filter)].map((filter, i) => ({
      port: ports[i] ?? 0,
      filter: { ...filter, grpc_service: grpc },
    }))
    await startOurs(ground, () => ({}))
    await startStd(ground, listeners)
  })

  // Only Envoy's protocol_config can say this at the head: the twin's and these requests' heads are the same otherwise.
  test.each(WRONG.map(([name], i) => [name, i] as const))('%s: 500 plumbline.wrong_mode', async (_name, i) => {
    expect((await ask(listeners[0]?.port ?? 0)).status).toBe(200)
    const outcome = await outcomeOf(upstream, listeners[i + 1]?.port ?? 0, {}, () => 0)
    expect(outcome).toMatchObject({ status: 500, arrival: undefined, touched: false })
    expect(outcome.text).toContain('plumbline.wrong_mode')
  })
})

function question({ request = {}, bodyAfterMs }: Provocation) {
  return { ...request, ...(bodyAfterMs === undefined ? {} : { bodyAfterMs }) }
}

/** Our server with whatever handler is wanted when an exchange begins. */
async function startOurs({ socket, closing }: Ground, handler: () => Partial<ExchangeHandler>): Promise<void> {
  const server = createExtProcServer({
    open: (caller) => recordingHandler(handler()).open(caller),
    listeners: [{ address: `unix:${socket}` }],
    knowsToken: tokenCheck('secret'),
    defaultWorkload: 'default',
    log: SILENT_LOG,
    bodyDeadlineMs: 500,
    drainPauseMs: 0,
    drainDeadlineMs: 0,
  })
  await server.start()
  closing.add({ close: () => server.stop() })
}
