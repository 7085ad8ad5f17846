import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import {
  answerBody,
  answerHead,
  connectAsEnvoy,
  requestBody,
  requestHead,
  SHOWN,
} from '../../test/support/extproc/as-envoy.ts'
import type { Wire } from '../../test/support/extproc/as-envoy.ts'
import {
  CONTINUE,
  EXEMPT,
  recordingHandler,
  refusal,
  SILENT_LOG,
  WANT_BODY,
} from '../../test/support/extproc/handlers.ts'
import { detailsOf, kindOf, SAID, statusOf, until, useServers } from '../../test/support/extproc/served.ts'
import type { Running } from '../../test/support/extproc/served.ts'
import type { ExchangeHandler } from '../core/handler.ts'
import { CANARY_HEADER, CANARY_HOST } from '../core/canary.ts'
import { tokenCheck } from './caller.ts'
import { createExtProcServer } from './server.ts'

const { serve, opened } = useServers()

describe('an exchange', () => {
  test('is answered message by message, and complete when the peer leaves after it', async () => {
    const { connection, seen, server } = await serve({ answerHead: () => ({ kind: 'stream' }) })
    const stream = connection.open(SAID)
    expect(kindOf(await stream.ask(requestHead()))).toBe('requestHeaders')
    expect(kindOf(await stream.ask(requestBody('hello', false)))).toBe('requestBody')
    expect(kindOf(await stream.ask({ requestTrailers: {} }))).toBe('requestTrailers')
    const head = await stream.ask(answerHead())
    expect(kindOf(head)).toBe('responseHeaders')
    expect(head['modeOverride']).toMatchObject({ requestBodyMode: 2, responseBodyMode: 1 })
    expect(kindOf(await stream.ask(answerBody('one', false)))).toBe('responseBody')
    expect(kindOf(await stream.ask(answerBody('two', true)))).toBe('responseBody')
    stream.reset()
    await until(() => seen.endings.length > 0)
    expect(seen.endings).toEqual(['complete'])
    expect(seen.calls).toEqual([
      'requestHead with body',
      'requestBody hello',
      'answerHead 200',
      'answerChunk one',
      'answerChunk two last',
    ])
    expect(server.stats()).toMatchObject({ openStreams: 0, streams: 1, bodyBytes: 0 })
  })

  test('keeps the order of many pieces that come at once', async () => {
    const { connection, seen } = await serve({
      requestHead: async () => EXEMPT,
      answerHead: () => ({ kind: 'stream' }),
    })
    const stream = connection.open(SAID)
    await stream.ask(requestHead({ last: true }))
    await stream.ask(answerHead())
    const pieces = Array.from({ length: 300 }, (_, i) => `${i}`)
    for (const piece of pieces) stream.send(answerBody(piece, false))
    for (const _ of pieces) expect(kindOf(await stream.reply())).toBe('responseBody')
    expect(seen.calls.slice(2)).toEqual(pieces.map((piece) => `answerChunk ${piece}`))
  })

  test('a piece that is still being read waits, and so do those behind it', async () => {
    let caughtUp: () => void = () => undefined
    const { connection, seen } = await serve({
      requestHead: async () => EXEMPT,
      answerHead: () => ({ kind: 'stream' }),
      answerChunk: (raw) => (raw[0] === 0x73 ? new Promise((resolve) => (caughtUp = resolve)) : undefined),
    })
    const stream = connection.open(SAID)
    await stream.ask(requestHead({ last: true }))
    await stream.ask(answerHead())
    expect(kindOf(await stream.ask(answerBody('quick', false)))).toBe('responseBody')
    stream.send(answerBody('slow', false))
    stream.send(answerBody('behind', false))
    const replies: string[] = []
    const both = (async () => {
      for (const _ of ['slow', 'behind']) replies.push(String(kindOf(await stream.reply())))
    })()
    await until(() => seen.calls.includes('answerChunk behind'))
    await sleep(20)
    expect(replies).toEqual([])
    caughtUp()
    await both
    expect(replies).toEqual(['responseBody', 'responseBody'])
    expect(kindOf(await stream.ask(answerBody('quick again', true)))).toBe('responseBody')
  })

  test('that the peer leaves early is gone, and its handler is told at once', async () => {
    const { connection, seen, server } = await serve({ requestHead: async () => new Promise(() => undefined) })
    const stream = connection.open(SAID)
    stream.send(requestHead())
    await until(() => seen.calls.length > 0)
    stream.reset()
    await until(() => seen.endings.length > 0)
    expect(seen.endings).toEqual(['gone'])
    expect(server.stats().openStreams).toBe(0)
  })

  test.each([
    ['at the head', requestHead()],
    ['where nothing came yet', undefined],
  ])('half-closed by the peer while something is owed does not end cleanly: %s', async (_name, message) => {
    const { connection, seen } = await serve({ requestHead: async () => new Promise(() => undefined) })
    const stream = connection.open(SAID)
    if (message !== undefined) stream.send(message)
    stream.halfClose()
    expect((await stream.status).code).toBe('CANCELLED')
    expect(seen.endings).toEqual(['gone'])
  })
})

describe('a handler that fails is a refusal, never a clean end', () => {
  const lateRejection = async () => {
    await sleep(5)
    throw new Error('late')
  }
  const faults: readonly [string, Partial<ExchangeHandler>][] = [
    [
      'head throws',
      {
        requestHead: () => {
          throw new Error('thrown')
        },
      },
    ],
    ['head rejects', { requestHead: async () => Promise.reject(new Error('rejected')) }],
    ['head rejects late', { requestHead: lateRejection }],
    ['head returns undefined', { requestHead: () => undefined as never }],
    ['head resolves undefined', { requestHead: async () => undefined as never }],
    ['head resolves nonsense', { requestHead: async () => ({ kind: 'yes' }) as never }],
    [
      'head asks for a forbidden edit',
      { requestHead: async () => ({ kind: 'continue', edits: { set: [['host', 'x']], remove: [] }, body: 'whole' }) },
    ],
    [
      'body throws',
      {
        requestBody: () => {
          throw new Error('thrown')
        },
      },
    ],
    ['body rejects', { requestBody: async () => Promise.reject(new Error('rejected')) }],
    ['body rejects late', { requestBody: lateRejection }],
    ['body returns undefined', { requestBody: () => undefined as never }],
    ['body resolves undefined', { requestBody: async () => undefined as never }],
    [
      'answer head throws',
      {
        answerHead: () => {
          throw new Error('thrown')
        },
      },
    ],
    ['answer head returns undefined', { answerHead: () => undefined as never }],
  ]
  test.each(faults)('%s', async (_name, handler) => {
    const { connection, seen, server } = await serve(handler)
    const stream = connection.open(SAID)
    let reply = await stream.ask(requestHead())
    if (statusOf(reply) === undefined) reply = await stream.ask(requestBody('x'))
    if (statusOf(reply) === undefined) reply = await stream.ask(answerHead())
    expect(statusOf(reply)).toBe(503)
    expect(detailsOf(reply)).toBe('plumbline.plugin_failed')
    expect((await stream.status).code).toBe('OK')
    expect(stream.untaken).toEqual([])
    expect(seen.endings).toEqual(['refused'])
    expect(seen.causes).toHaveLength(1)
    expect(server.stats()).toMatchObject({ openStreams: 0, bodyBytes: 0 })
  })

  test('even when it cannot say no, and cannot end', async () => {
    const boom = () => {
      throw new Error('again')
    }
    const { connection, seen } = await serve({ requestHead: boom, fail: boom, end: boom })
    const stream = connection.open(SAID)
    const reply = await stream.ask(requestHead())
    expect([statusOf(reply), detailsOf(reply)]).toEqual([503, 'plumbline.plugin_failed'])
    expect(seen.endings).toEqual(['refused'])
  })

  test('that answers after the peer left is not heard', async () => {
    let answer: (() => void) | undefined
    const { connection, seen } = await serve({
      requestHead: async () => new Promise((resolve) => (answer = () => resolve(WANT_BODY))),
    })
    const stream = connection.open(SAID)
    stream.send(requestHead())
    await until(() => answer !== undefined)
    stream.reset()
    await until(() => seen.endings.length > 0)
    answer?.()
    await sleep(5)
    expect(seen.endings).toEqual(['gone'])
    expect(seen.causes).toEqual([])
  })

  test('reading an answer: its bytes go on, and nothing more is read', async () => {
    const { connection, seen } = await serve({
      answerHead: () => ({ kind: 'stream' }),
      answerChunk: () => {
        throw new Error('reader')
      },
    })
    const stream = connection.open(SAID)
    await stream.ask(requestHead({ last: true }))
    await stream.ask(answerHead())
    expect(kindOf(await stream.ask(answerBody('one', false)))).toBe('responseBody')
    expect(kindOf(await stream.ask(answerBody('two', true)))).toBe('responseBody')
    expect(seen.calls.filter((call) => call.startsWith('answerChunk'))).toEqual(['answerChunk one'])
  })

  test('when no handler can be made', async () => {
    const { connection } = await serve(
      {},
      {
        open: () => {
          throw new Error('no')
        },
      },
    )
    const stream = connection.open(SAID)
    stream.send(requestHead())
    expect((await stream.status).code).toBe('INTERNAL')
  })
})

describe('a refusal', () => {
  test.each(['head', 'body'] as const)('at the %s is the last word', async (where) => {
    const no = { kind: 'refuse', answer: refusal('ibac.blocked') } as const
    const { connection, seen } = await serve(
      where === 'head' ? { requestHead: async () => no } : { requestBody: async () => no },
    )
    const stream = connection.open(SAID)
    let reply = await stream.ask(requestHead())
    if (where === 'body') reply = await stream.ask(requestBody('x'))
    expect([statusOf(reply), detailsOf(reply)]).toEqual([403, 'ibac.blocked'])
    expect((await stream.status).code).toBe('OK')
    expect(seen.endings).toEqual(['refused'])
  })
})

describe('what Envoy must be told loudly', () => {
  test.each<[string, Wire]>([
    ['request bodies in NONE', { requestBodyMode: 0, responseBodyMode: 2 }],
    ['request bodies in STREAMED', { requestBodyMode: 1, responseBodyMode: 2 }],
    ['request bodies in BUFFERED_PARTIAL', { requestBodyMode: 3, responseBodyMode: 2 }],
    ['request bodies in FULL_DUPLEX_STREAMED', { requestBodyMode: 4, responseBodyMode: 2 }],
    ['answers in FULL_DUPLEX_STREAMED', { requestBodyMode: 2, responseBodyMode: 4 }],
    ['an unknown mode', { requestBodyMode: 9, responseBodyMode: 2 }],
    [
      'bodies before the verdict on the head',
      { requestBodyMode: 2, responseBodyMode: 2, sendBodyWithoutWaitingForHeaderResponse: true },
    ],
  ])('%s is refused with plumbline.wrong_mode', async (_name, protocolConfig) => {
    const errors: string[] = []
    const { connection, seen } = await serve({}, { log: { ...SILENT_LOG, error: (_facts, text) => errors.push(text) } })
    const reply = await connection.open(SAID).ask({ ...requestHead(), protocolConfig })
    expect([statusOf(reply), detailsOf(reply)]).toEqual([500, 'plumbline.wrong_mode'])
    expect(seen.calls).toEqual(['giveUp plumbline.wrong_mode'])
    expect(errors).toEqual([expect.stringContaining('processing_mode')])
  })

  test('a body that was asked for and never shown', async () => {
    const { connection } = await serve()
    const stream = connection.open(SAID)
    const { protocolConfig: _, ...older } = requestHead()
    await stream.ask(older)
    const reply = await stream.ask(answerHead())
    expect([statusOf(reply), detailsOf(reply)]).toEqual([500, 'plumbline.wrong_mode'])
  })

  test('observability mode is an error', async () => {
    const { connection, seen } = await serve()
    const stream = connection.open(SAID)
    stream.send({ ...requestHead(), observabilityMode: true })
    expect((await stream.status).code).toBe('FAILED_PRECONDITION')
    expect(seen.calls).toEqual([])
  })
})

describe('who may speak', () => {
  test.each([
    ['no token', { 'x-plumbline-direction': 'outbound' }],
    ['a wrong token', { ...SAID, 'x-plumbline-token': 'secrets' }],
    ['an empty token', { ...SAID, 'x-plumbline-token': '' }],
  ])('%s: UNAUTHENTICATED', async (_name, said) => {
    const { connection, seen, server } = await serve()
    const stream = connection.open(said)
    stream.send(requestHead())
    expect((await stream.status).code).toBe('UNAUTHENTICATED')
    expect(seen.callers).toEqual([])
    expect(server.stats()).toMatchObject({ refusedByToken: 1, refusedByLimit: 0, streams: 0 })
  })

  test('the caller is what the filter says', async () => {
    const { connection, seen } = await serve()
    await connection.open({ ...SAID, 'x-plumbline-routing': 'host' }).ask(requestHead())
    expect(seen.callers).toEqual([{ direction: 'outbound', workload: 'w', routesByHost: true }])
  })
})

describe('limits', () => {
  test('streams over the limit get an error status, and are taken again later', async () => {
    const { connection, server } = await serve({}, { maxStreams: 2 })
    const [one, two, three] = [connection.open(SAID), connection.open(SAID), connection.open(SAID)]
    await one.ask(requestHead())
    await two.ask(requestHead())
    three.send(requestHead())
    expect((await three.status).code).toBe('RESOURCE_EXHAUSTED')
    expect(server.stats()).toMatchObject({ refusedByToken: 0, refusedByLimit: 1, streams: 2 })
    one.reset()
    await until(() => server.stats().openStreams === 1)
    expect(kindOf(await connection.open(SAID).ask(requestHead()))).toBe('requestHeaders')
  })

  test.each([
    [9, 503],
    [10, undefined],
  ])('bodies in memory, all together, against a limit of %d bytes', async (bodiesInMemoryBytes, status) => {
    const waiting: (() => void)[] = []
    const { connection, server, seen } = await serve(
      { requestBody: async () => new Promise((resolve) => waiting.push(() => resolve(CONTINUE))) },
      { bodiesInMemoryBytes },
    )
    const [one, two] = [connection.open(SAID), connection.open(SAID)]
    await one.ask(requestHead())
    await two.ask(requestHead())
    one.send(requestBody('12345'))
    await until(() => waiting.length === 1)
    two.send(requestBody('67890'))
    await until(() => waiting.length === 2 || seen.endings.length === 1)
    expect(server.stats().bodyBytes).toBe(status === undefined ? 10 : 5)
    for (const go of waiting) go()
    expect(statusOf(await two.reply())).toBe(status)
    await one.reply()
    expect(server.stats().bodyBytes).toBe(0)
  })

  test('a message over the receive limit is an error status', async () => {
    const { connection, seen } = await serve({}, { maxReceiveBytes: 1000 })
    const stream = connection.open(SAID)
    await stream.ask(requestHead())
    stream.send(requestBody('x'.repeat(2000)))
    expect((await stream.status).code).toBe('RESOURCE_EXHAUSTED')
    await until(() => seen.endings.length > 0)
    expect(seen.endings).toEqual(['gone'])
  })

  test('a request body that does not end in time is refused unasked', async () => {
    const { connection, seen } = await serve({}, { bodyDeadlineMs: 5 })
    const stream = connection.open(SAID)
    expect(kindOf(await stream.ask(requestHead()))).toBe('requestHeaders')
    expect(statusOf(await stream.reply())).toBe(408)
    expect((await stream.status).code).toBe('OK')
    expect(seen.endings).toEqual(['refused'])
  })
})

describe('stop', () => {
  test('waits for open exchanges, and takes no new ones', async () => {
    let answer: (() => void) | undefined
    const { connection, server, seen } = await serve(
      { requestHead: async () => new Promise((resolve) => (answer = () => resolve(EXEMPT))) },
      { drainDeadlineMs: 60_000 },
    )
    const stream = connection.open(SAID)
    stream.send(requestHead({ last: true }))
    await until(() => answer !== undefined)
    const stopped = server.stop()
    await sleep(20)
    answer?.()
    expect(kindOf(await stream.reply())).toBe('requestHeaders')
    expect(kindOf(await stream.ask(answerHead({ last: true })))).toBe('responseHeaders')
    stream.reset()
    await stopped
    expect(seen.endings).toEqual(['complete'])
    const late = connection.open(SAID)
    late.send(requestHead())
    expect((await late.status).code).toBe('UNAVAILABLE')
  })

  test('at the deadline: owed answers are refused, streamed ones flow on, the rest gets an error', async () => {
    const { connection, server, seen } = await serve({
      requestHead: async (pairs) => {
        const path = pairs.find(([name]) => name === ':path')?.[1]
        if (path === '/owed') return new Promise(() => undefined)
        return path === '/body' ? WANT_BODY : EXEMPT
      },
      answerHead: () => ({ kind: 'stream' }),
    })
    const at = (path: string) => requestHead({ headers: { ':path': path } })
    const streams = {
      owed: connection.open(SAID),
      body: connection.open(SAID),
      upstream: connection.open(SAID),
      streamed: connection.open(SAID),
    }
    streams.owed.send(at('/owed'))
    await streams.body.ask(at('/body'))
    await streams.upstream.ask(at('/upstream'))
    await streams.streamed.ask(at('/streamed'))
    await streams.streamed.ask(answerHead())
    await streams.streamed.ask(answerBody('one', false))
    await until(() => server.stats().openStreams === 4)
    await server.stop()
    expect(statusOf(await streams.owed.reply())).toBe(503)
    expect(statusOf(await streams.body.reply())).toBe(503)
    expect((await streams.upstream.status).code).toBe('UNAVAILABLE')
    expect((await streams.streamed.status).code).toBe('OK')
    expect(seen.calls.filter((call) => call.startsWith('giveUp'))).toEqual([
      'giveUp plumbline.shutting_down',
      'giveUp plumbline.shutting_down',
    ])
    expect(seen.endings.toSorted()).toEqual(['failed', 'gone', 'refused', 'refused'])
  })
})

describe('listeners', () => {
  test('a socket is for its owner alone, and a living one is not replaced', async () => {
    const { address, server } = await serve()
    const path = address.slice('unix:'.length)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    await expect(serveAt(address)).rejects.toThrow('answers')
    await server.stop()
  })

  test('a port that was left open is told', async () => {
    const second = await serveAt('127.0.0.1:0')
    expect(second.server.addresses).toEqual([expect.stringMatching(/^127\.0\.0\.1:[1-9]\d*$/)])
  })

  test('a direction of the listener stands in for the filter, and must not differ from it', async () => {
    const { seen, connection } = await serveAt('127.0.0.1:0', 'inbound')
    await connection.open({}).ask(requestHead())
    await connection.open({ 'x-plumbline-direction': 'outbound' }).ask(requestHead())
    expect(seen.callers.map((caller) => caller?.direction)).toEqual(['inbound', undefined])
  })

  async function serveAt(address: string, direction?: 'inbound'): Promise<Running> {
    const seen = recordingHandler()
    const server = createExtProcServer({
      open: seen.open,
      listeners: [{ address, ...(direction === undefined ? {} : { direction }) }],
      defaultWorkload: 'default',
      log: SILENT_LOG,
      drainPauseMs: 0,
      drainDeadlineMs: 0,
    })
    await server.start()
    const connection = connectAsEnvoy(server.addresses[0] ?? '')
    opened.push({ server, connection })
    return { server, connection, address, seen }
  }
})

test('a message with no member that we know is tolerated without an answer', async () => {
  const { connection } = await serve()
  const stream = connection.open(SAID)
  stream.send({ ...SHOWN })
  expect(kindOf(await stream.ask(requestHead()))).toBe('requestHeaders')
  expect(stream.untaken).toEqual([])
})

describe('a canary', () => {
  const asking = {
    ':authority': `${CANARY_HOST.toUpperCase()}:80`,
    [CANARY_HEADER]: 'close',
  }
  test.each<[string, Wire]>([
    ['as shipped', requestHead({ headers: asking })],
    ['where Envoy would be told that it shows too little', { ...requestHead({ headers: asking }), protocolConfig: {} }],
  ])('that asks for it loses its stream, and nobody judges it: %s', async (_name, message) => {
    const canaries: unknown[] = []
    const { connection, seen, server } = await serve({ end: (_how, canary) => void canaries.push(canary) })
    const stream = connection.open(SAID)
    stream.send(message)
    expect(await stream.status).toEqual({ code: 'UNAVAILABLE', details: 'a canary asked for it' })
    expect(stream.untaken).toEqual([])
    expect([seen.calls, seen.endings]).toEqual([[], ['failed']])
    expect(canaries).toEqual([
      { pairs: expect.arrayContaining([[CANARY_HEADER, 'close']]) as unknown, bodyless: false },
    ])
    expect(server.stats()).toMatchObject({ openStreams: 0, canaries: 1 })
  })

  test.each([
    ['that does not ask', { ...asking, [CANARY_HEADER]: 'open' }],
    ['for another host', { ...asking, ':authority': 'q.test' }],
  ])('%s is an exchange like any other', async (_name, headers) => {
    const { connection, seen, server } = await serve()
    expect(kindOf(await connection.open(SAID).ask(requestHead({ headers })))).toBe('requestHeaders')
    expect([seen.calls, server.stats().canaries]).toEqual([['requestHead with body'], 0])
  })
})

test('what is believed changes from the next stream on', async () => {
  const { server, connection, seen } = await serve()
  const outbound = (token: string) => ({ 'x-plumbline-direction': 'outbound', 'x-plumbline-token': token })
  await connection.open(outbound('secret')).ask(requestHead())
  server.trust({ defaultWorkload: 'other', routing: 'host', knowsToken: tokenCheck('next') })
  expect((await connection.open(outbound('secret')).status).code).toBe('UNAUTHENTICATED')
  await connection.open(outbound('next')).ask(requestHead())
  expect(seen.callers.map((caller) => [caller?.workload, caller?.routesByHost])).toEqual([
    ['default', false],
    ['other', true],
  ])
})
