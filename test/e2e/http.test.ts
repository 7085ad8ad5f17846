import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { judgedChains } from '../support/chains.ts'
import { sendRaw } from '../support/clients.ts'
import type { Client } from '../support/clients.ts'
import { useStage } from '../support/e2e.ts'
import { ackedEvents } from '../support/events.ts'
import { startJudge } from '../support/judge.ts'
import type { Question, StubJudge } from '../support/judge.ts'
import { a2aAnswer, a2aSend, chatRequest, MCP_HEADERS, mcpCall } from '../support/messages.ts'
import { SHAPES } from '../support/shapes.ts'
import { sayOk, sha256 } from '../support/upstream.ts'
import type { Upstream } from '../support/upstream.ts'
import { zstdBomb } from '../support/zstd.ts'

const MIB = 1024 * 1024
const LIMIT = 10 * MIB

let judge: StubJudge
/** Denies what carries the word. */
const byWord = ({ text }: Question) => ({ verdict: text.includes('transfer_funds') ? 'deny' : 'allow', reason: 'r' })

const { stage } = useStage(async () => {
  judge = await startJudge(byWord)
  return { config: judgedChains({ judgeUrl: judge.url }) }
})

// A user has asked for something, so that there is something to judge against.
beforeAll(async () => {
  stage().agent.answer((_arrival, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'application/json' })
    outgoing.end(a2aAnswer('Done.'))
  })
  const user = stage().client('h1', 'inbound')
  const got = await user.send({ host: 'agent', body: a2aSend('Tell me the weather.'), headers: MCP_HEADERS })
  expect(got.status).toBe(200)
})
afterAll(() => judge.close())

describe.each(['h1', 'h2'] as const)('%s', (protocol) => {
  const host = protocol === 'h1' ? 'upstream.test' : 'upstream2.test'
  const upstream = (): Upstream => (protocol === 'h1' ? stage().upstream : stage().upstream2)
  let client: Client
  beforeAll(() => {
    client = stage().client(protocol, 'outbound')
  })
  beforeEach(() => {
    upstream().answer(sayOk)
  })

  describe.each(SHAPES)('a body $name', ({ send }) => {
    const ask = (tool: string) => {
      const shape = send(mcpCall(tool, { city: 'Paris' }))
      return { host, path: '/mcp', ...shape, headers: { ...MCP_HEADERS, ...shape.headers } }
    }

    test('is judged, passes when it is aligned, and is refused when it is not', async () => {
      const aligned = await client.send(ask('get_weather'))
      expect(aligned.status).toBe(200)
      expect(upstream().arrivals.at(-1)?.sha256).toBe(sha256(wire(ask('get_weather').body)))
      const before = { arrivals: upstream().arrivals.length, bytes: upstream().bytes() }
      const asked = judge.questions.length

      const refused = await client.send(ask('transfer_funds'))

      expect(refused.status).toBe(403)
      expect(JSON.parse(refused.text)).toMatchObject({
        error: 'ibac.blocked',
        plugin: 'ibac',
        request_id: refused.requestId,
      })
      expect(judge.questions.length).toBe(asked + 1)
      expect({ arrivals: upstream().arrivals.length, bytes: upstream().bytes() }).toEqual(before)
      const access = await stage().envoy.accessLine(refused.requestId)
      expect(access.details).toBe('ibac.blocked')
      const record = await stage().plumbline().record(refused.requestId)
      expect(record.invocations).toContainEqual(
        expect.objectContaining({ plugin: 'ibac', action: 'deny', reason: 'blocked' }),
      )
    })
  })

  test('a plain-HTTP exfiltration is refused, and an allowed request follows on the same connection', async () => {
    const own = stage().client(protocol, 'outbound')
    const before = upstream().arrivals.length
    const refused = await own.send({ host, path: '/collect', body: 'code=transfer_funds' })
    expect(refused.status).toBe(403)
    expect(JSON.parse(refused.text)).toMatchObject({ error: 'ibac.blocked' })
    expect(upstream().arrivals.length).toBe(before)

    const allowed = await own.send({ host, path: '/collect', body: 'city=Paris' })
    expect(allowed.status).toBe(200)
    expect(upstream().arrivals.length).toBe(before + 1)
    expect(own.connections()).toBe(1)
  })

  test.each([
    ['gzip', () => gzipSync(Buffer.alloc(64 * MIB, ' '))],
    ['br', () => brotliCompressSync(Buffer.alloc(64 * MIB, ' '), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ['zstd', () => zstdBomb(64)],
  ])('a %s bomb is refused, and the upstream gets nothing of it', async (encoding, bomb) => {
    const before = upstream().arrivals.length
    const headers = { ...MCP_HEADERS, 'content-encoding': encoding }
    const got = await client.send({ host, path: '/mcp', body: bomb(), headers })
    expect(got.status).toBe(413)
    expect(JSON.parse(got.text)).toMatchObject({ error: 'plumbline.too_large', plugin: 'plumbline' })
    expect(upstream().arrivals.length).toBe(before)
  })

  test('a body at the limit passes whole', async () => {
    const body = Buffer.alloc(LIMIT, 'a')
    const got = await client.send({ host, path: '/upload', body })
    expect(got.status).toBe(200)
    expect(upstream().arrivals.at(-1)?.sha256).toBe(sha256(body))
  })

  test('a body over the limit is answered 413', async () => {
    const own = stage().client(protocol, 'outbound')
    const before = upstream().arrivals.length
    const got = await own.send({ host, path: '/upload', body: Buffer.alloc(LIMIT + 1, 'a') })
    expect(got.status).toBe(413)
    expect(upstream().arrivals.length).toBe(before)
  })

  test('HEAD has its answer without a body', async () => {
    upstream().answer((_arrival, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': '17' })
      outgoing.end()
    })
    const got = await client.send({ method: 'HEAD', host, path: '/thing' })
    expect([got.status, got.headers['content-length'], got.text]).toEqual([200, '17', ''])
  })

  test.each([204, 304])('an answer %i passes as it is', async (status) => {
    upstream().answer((_arrival, outgoing) => {
      outgoing.writeHead(status, { etag: '"e"' })
      outgoing.end()
    })
    const got = await client.send({ host, path: '/mcp', body: mcpCall('get_weather', {}), headers: MCP_HEADERS })
    expect([got.status, got.headers['etag'], got.text]).toEqual([status, '"e"', ''])
  })

  test('an answer with trailers passes with them', async () => {
    upstream().answer((_arrival, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'application/json', trailer: 'x-sum' })
      outgoing.write('{"jsonrpc":"2.0","id":1,"result":{"content":[]}}')
      outgoing.addTrailers({ 'x-sum': '7' })
      outgoing.end()
    })
    const body = mcpCall('get_weather', {})
    const got = await client.send({ host, path: '/mcp', body, headers: { ...MCP_HEADERS, te: 'trailers' } })
    expect([got.status, got.trailers['x-sum']]).toEqual([200, '7'])
  })

  test('headers that only the filter may say change nothing when a client says them', async () => {
    const headers = {
      ...MCP_HEADERS,
      'x-plumbline-direction': 'inbound',
      'x-plumbline-workload': 'another',
      'x-plumbline-token': 'guess',
      'x-plumbline-routing': 'none',
      'x-plumbline-session': 'made-up',
    }
    const body = mcpCall('transfer_funds', {})
    const got = await client.send({ host, path: '/mcp', body, headers })
    expect(got.status).toBe(403)
    const record = await stage().plumbline().record(got.requestId)
    expect(record).toMatchObject({ direction: 'outbound', workload: stage().workload, phase: 'denied' })
  })

  test('a streamed answer arrives event by event while it is read', async () => {
    const events = [...'The sun'].map((word) => `data: ${JSON.stringify(chunk(word))}\n\n`).concat('data: [DONE]\n\n')
    const stream = ackedEvents(events)
    upstream().answer(stream.answer)
    const got = await client.send({
      host,
      path: '/v1/chat/completions',
      body: chatRequest('How is the weather?', { stream: true }),
      headers: { 'content-type': 'application/json' },
      // The upstream waits for this: a gate that held the stream back would never get the next event.
      onPiece: () => stream.acknowledge(),
    })
    expect(got.text).toBe(events.join(''))
    const record = await stage().plumbline().record(got.requestId)
    expect(record.invocations).toContainEqual(
      expect.objectContaining({ plugin: 'inference-parser', phase: 'response' }),
    )
  })
})

describe('Expect: 100-continue', () => {
  const head = (tool: string) => {
    const body = mcpCall(tool, {})
    const lines = [
      'POST /mcp HTTP/1.1',
      'host: upstream.test',
      'content-type: application/json',
      'expect: 100-continue',
    ]
    return { body, head: [...lines, `content-length: ${body.length}`, 'connection: close', '', ''].join('\r\n') }
  }

  test.each([
    ['get_weather', 'HTTP/1.1 200 OK'],
    ['transfer_funds', 'HTTP/1.1 403 Forbidden'],
  ])('%s: the client is told to go on, then %s', async (tool, line) => {
    const { head: start, body } = head(tool)
    const seen = await sendRaw(stage().envoy.outboundPort, start, () => false, {
      when: (text) => text.startsWith('HTTP/1.1 100 Continue\r\n\r\n'),
      text: body,
    })
    expect(seen).toContain(line)
  })
})

test('an answer that takes 20 s arrives', async () => {
  stage().upstream.answer(async (_arrival, outgoing) => {
    await sleep(20_000)
    outgoing.end('at last')
  })
  const client = stage().client('h1', 'outbound')
  const body = mcpCall('get_weather', {})
  const got = await client.send({ host: 'upstream.test', path: '/mcp', body, headers: MCP_HEADERS })
  expect([got.status, got.text]).toEqual([200, 'at last'])
})

function chunk(text: string): object {
  return { id: 'c', object: 'chat.completion.chunk', model: 'm', choices: [{ index: 0, delta: { content: text } }] }
}

function wire(body: string | Uint8Array | readonly Uint8Array[] | undefined): Uint8Array {
  if (body === undefined) return Buffer.alloc(0)
  if (typeof body === 'string') return Buffer.from(body)
  return body instanceof Uint8Array ? body : Buffer.concat(body)
}
