import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { createServer as createTcpServer, type AddressInfo } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createJsonClient } from './json.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
  vi.unstubAllEnvs()
})

async function serve(listener: RequestListener): Promise<URL> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/answer?x=1`)
}

const client = () => createJsonClient({ maxResponseBytes: 1000, connections: 2 })
const never = new AbortController().signal

describe('a JSON answer', () => {
  test('comes back as a value, and the question arrives whole', async () => {
    let seen: IncomingMessage | undefined
    let body = ''
    const url = await serve((request, response) => {
      seen = request
      request.on('data', (piece: Buffer) => (body += piece.toString()))
      request.on('end', () => response.end('{"a":[1,"ü"]}'))
    })
    const answer = await client().post(url, { 'x-mark': '1' }, { q: 'ä' }, never)
    expect(answer).toEqual({ ok: true, value: { a: [1, 'ü'] } })
    expect(seen?.url).toBe('/answer?x=1')
    expect(seen?.method).toBe('POST')
    expect(seen?.headers).toMatchObject({ 'content-type': 'application/json', 'x-mark': '1' })
    expect(JSON.parse(body)).toEqual({ q: 'ä' })
  })

  test('of exactly the limit is read, one byte more is not', async () => {
    const json = (bytes: number) => `"${'a'.repeat(bytes - 2)}"`
    let bytes = 1000
    const url = await serve((_, response) => response.end(json(bytes)))
    expect(await client().post(url, {}, {}, never)).toMatchObject({ ok: true })
    bytes = 1001
    expect(await client().post(url, {}, {}, never)).toEqual({
      ok: false,
      failure: { kind: 'too_large', limitBytes: 1000 },
    })
  })

  test('that never ends is left at the limit', async () => {
    const url = await serve((_, response) => {
      const more = (): void => {
        while (response.write('x'.repeat(400)));
      }
      response.on('drain', more).on('error', () => undefined)
      more()
    })
    expect(await client().post(url, {}, {}, never)).toMatchObject({ failure: { kind: 'too_large' } })
  })

  test('uses the connection of the one before', async () => {
    const connections = new Set<unknown>()
    const url = await serve((request, response) => {
      connections.add(request.socket)
      response.end('{}')
    })
    const one = createJsonClient({ maxResponseBytes: 1000, connections: 1 })
    for (let round = 0; round < 3; round += 1) await one.post(url, {}, {}, never)
    expect(connections.size).toBe(1)
  })
})

describe('failures are told apart', () => {
  const answers: readonly [string, RequestListener, object][] = [
    ['an error status', (_, r) => r.writeHead(500).end('{"a":1}'), { kind: 'status', status: 500 }],
    ['a refusal', (_, r) => r.writeHead(401).end(), { kind: 'status', status: 401 }],
    ['no JSON', (_, r) => r.end('garbage'), { kind: 'not_json', why: 'not JSON' }],
    ['nothing', (_, r) => r.writeHead(204).end(), { kind: 'not_json', why: 'not JSON' }],
    ['a key twice', (_, r) => r.end('{"a":1,"a":2}'), { kind: 'not_json', why: 'a key occurs twice in one object' }],
    ['a hang-up', (request) => request.socket.destroy(), { kind: 'unreachable', why: 'UND_ERR_SOCKET' }],
    [
      'half an answer',
      (request, r) => {
        r.writeHead(200, { 'content-length': '100' })
        r.write('{"a":', () => request.socket.destroy())
      },
      { kind: 'unreachable', why: 'UND_ERR_SOCKET' },
    ],
  ]
  test.each(answers)('%s', async (_name, listener, failure) => {
    expect(await client().post(await serve(listener), {}, {}, never)).toEqual({ ok: false, failure })
  })

  test('nobody listens', async () => {
    const closed = createTcpServer()
    await new Promise<void>((done) => closed.listen(0, '127.0.0.1', done))
    const { port } = closed.address() as AddressInfo
    await new Promise((done) => closed.close(done))
    expect(await client().post(new URL(`http://127.0.0.1:${port}/`), {}, {}, never)).toEqual({
      ok: false,
      failure: { kind: 'unreachable', why: 'ECONNREFUSED' },
    })
  })

  test.each([
    ['before it is sent', 0],
    ['while the answer is awaited', 1],
    ['in the middle of the answer', 2],
  ])('the caller leaves %s', async (_name, stage) => {
    const leave = new AbortController()
    const url = await serve((_, response) => {
      if (stage === 2) response.write('{"a":')
      setImmediate(() => {
        leave.abort()
      })
    })
    if (stage === 0) leave.abort()
    expect(await client().post(url, {}, {}, leave.signal)).toEqual({ ok: false, failure: { kind: 'aborted' } })
  })
})

describe('closed', () => {
  test('it ends the connections that it kept, however long their server would have kept them', async () => {
    const url = await serve((_, response) => response.writeHead(200, { 'keep-alive': 'timeout=600' }).end('{}'))
    const open = () => new Promise<number>((done) => servers[0]?.getConnections((_, count) => done(count)))
    const one = client()
    await one.post(url, {}, {}, never)
    expect(await open()).toBe(1)
    one.close()
    await vi.waitFor(async () => expect(await open()).toBe(0))
  })

  test('a question that is on its way has its answer, and none follows', async () => {
    let answer: (() => void) | undefined
    const at = await serve((_, response) => {
      answer = () => response.end('{"late":true}')
    })
    const one = client()
    const first = one.post(at, {}, {}, never)
    await vi.waitFor(() => expect(answer).toBeDefined())
    one.close()
    answer?.()
    expect(await first).toEqual({ ok: true, value: { late: true } })
    expect(await one.post(at, {}, {}, never)).toMatchObject({ ok: false, failure: { kind: 'unreachable' } })
  })
})

describe('nobody else decides where a question goes', () => {
  test.each([301, 302, 303, 307, 308])('a redirect (%d) is not followed', async (status) => {
    let hits = 0
    const elsewhere = await serve((_, response) => {
      hits += 1
      response.end('{}')
    })
    const url = await serve((_, response) => response.writeHead(status, { location: elsewhere.href }).end())
    expect(await client().post(url, {}, {}, never)).toEqual({ ok: false, failure: { kind: 'status', status } })
    expect(hits).toBe(0)
    // The place that was not gone to can be reached.
    expect(await client().post(elsewhere, {}, {}, never)).toMatchObject({ ok: true })
    expect(hits).toBe(1)
  })

  // req: ibac:limit:standalone_client
  test.each(['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'])('%s is ignored', async (name) => {
    let hits = 0
    const proxy = await serve((_, response) => {
      hits += 1
      response.end('{}')
    })
    const url = await serve((_, response) => response.end('{"direct":true}'))
    vi.stubEnv(name, proxy.origin)
    vi.stubEnv('NODE_USE_ENV_PROXY', '1')
    expect(await client().post(url, {}, {}, never)).toEqual({ ok: true, value: { direct: true } })
    expect(hits).toBe(0)
  })
})
