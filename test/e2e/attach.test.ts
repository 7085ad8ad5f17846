import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { acknowledging } from '../support/acks.ts'
import { envoyGateways } from '../support/attach/envoy-gateway.ts'
import { istioGateways, istioSidecar, istioWaypoints, tunnelEndAfter } from '../support/attach/istio.ts'
import { kgateways } from '../support/attach/kgateway.ts'
import { renderManifests } from '../support/attach/manifests.ts'
import type { Manifest } from '../support/attach/manifests.ts'
import { plainEnvoys } from '../support/attach/plain-envoy.ts'
import { managerOf } from '../support/attach/proxy.ts'
import type { Proxy } from '../support/attach/proxy.ts'
import { clientFiles, startStand, writeCertificates } from '../support/attach/stand.ts'
import type { Reach, Stand } from '../support/attach/stand.ts'
import { envoyBinary } from '../support/envoy.ts'
import { ackedEvents } from '../support/events.ts'
import { allow, deny } from '../support/judge.ts'
import { lossesSince, NO_LOSS, readLosses } from '../support/losses.ts'
import { a2aAnswer, a2aSend, chatRequest, MCP_HEADERS, mcpCall } from '../support/messages.ts'
import { said } from '../support/plumbline.ts'
import { scratchFolder } from '../support/scratch.ts'
import { sayJson } from '../support/scripted-agent.ts'
import { sayOk } from '../support/upstream.ts'

/*
 * Every manifest in `envoy/`: the filter and the clusters that its environment makes of it, in a real Envoy before a real Plumbline.
 * What the environment does is written down in test/support/attach, after its source; no cluster was there to ask.
 */

interface Attachment {
  readonly file: string
  readonly reach: Reach
  readonly proxies: (manifest: Manifest) => readonly Proxy[]
  /** What a caller sees where there is no verdict. */
  readonly unavailable: 500 | 503
  /** The workload that a record names. */
  readonly workload: string
}

const URI = 'spiffe://cluster.local/ns/agents/sa/my-agent'
const BY_METADATA = { unavailable: 503, workload: 'my-agent' } as const
/** Neither metadata nor a status can be set there. */
const BY_PORT = { unavailable: 500, workload: URI, reach: 'tls, a port for each direction' } as const

const ATTACHMENTS: readonly Attachment[] = [
  { file: 'istio-sidecar.yaml', reach: 'tls', proxies: ({ objects }) => istioSidecar(objects), ...BY_METADATA },
  {
    file: 'istio-sidecar-socket.yaml',
    reach: 'socket',
    proxies: ({ objects }) => istioSidecar(objects),
    ...BY_METADATA,
  },
  { file: 'istio-gateway.yaml', reach: 'tls', proxies: ({ objects }) => istioGateways(objects), ...BY_METADATA },
  { file: 'istio-waypoint.yaml', reach: 'tls', proxies: ({ objects }) => istioWaypoints(objects), ...BY_METADATA },
  { file: 'gateway.yaml', reach: 'tls', proxies: ({ text }) => plainEnvoys(text), ...BY_METADATA },
  { file: 'envoy-gateway.yaml', proxies: ({ objects }) => envoyGateways(objects), ...BY_PORT },
  { file: 'kgateway.yaml', proxies: ({ objects }) => kgateways(objects), ...BY_PORT },
]

const LIMIT = 10 * 1024 * 1024
const HOST = 'tools.example'

let manifests: readonly Manifest[]
beforeAll(async () => {
  manifests = await renderManifests()
})

const manifestOf = (file: string): Manifest => {
  const found = manifests.find((manifest) => manifest.file === file)
  if (found === undefined) throw new Error(`${file} is not rendered`)
  return found
}

test('every manifest is tried here', () => {
  expect(ATTACHMENTS.map(({ file }) => file).sort()).toEqual(manifests.map(({ file }) => file).sort())
})

test('Envoy takes gateway.yaml as it is shipped, with certificates of ours', async () => {
  const folder = await scratchFolder()
  try {
    const files = Object.entries(clientFiles(await writeCertificates(folder.path)))
    const shipped = readFileSync('envoy/gateway.yaml', 'utf8')
    const file = join(folder.path, 'gateway.yaml')
    writeFileSync(
      file,
      files.reduce((text, [from, to]) => text.replaceAll(from, to), shipped),
    )
    const args = ['--mode', 'validate', '-c', file, '--log-level', 'error']
    expect(execFileSync(envoyBinary(), args, { encoding: 'utf8' })).toContain('OK')
  } finally {
    await folder.close()
  }
})

test.each(['istio-sidecar.yaml', 'istio-waypoint.yaml'])('%s leaves the ends of tunnels alone', (file) => {
  const ends = tunnelEndAfter(manifestOf(file).objects)
  expect(ends.length).toBeGreaterThan(0)
  for (const end of ends) {
    expect(managerOf(end).http_filters.map(({ name }) => name)).toEqual(['envoy.filters.http.router'])
  }
})

describe.each(ATTACHMENTS)('$file', ({ file, reach, proxies, unavailable, workload }) => {
  let stand: Stand
  beforeAll(async () => {
    stand = await startStand(proxies(manifestOf(file)), reach)
  })
  afterAll(() => stand.close())

  let before = NO_LOSS
  let expected = NO_LOSS
  beforeEach(async ({ onTestFailed }) => {
    before = await readLosses(stand.envoy)
    expected = NO_LOSS
    stand.judge.judge(allow)
    stand.upstreams.inbound.answer(sayJson(a2aAnswer('Done.')))
    stand.upstreams.outbound.answer(sayOk)
    onTestFailed(() => console.error(`Envoy:\n${stand.envoy.log()}\nPlumbline:\n${said(stand.plumbline.program)}`))
  })
  afterEach(async () => {
    expect(lossesSince(before, await readLosses(stand.envoy)), 'exchanges that were lost').toEqual(expected)
  })

  const user = () => stand.client('h1', 'inbound')
  const agent = () => stand.client('h1', 'outbound')
  const ask = () => user().send({ host: 'agent', body: a2aSend('Read my mail.'), headers: MCP_HEADERS })
  const call = () =>
    agent().send({ host: HOST, path: '/mcp', body: mcpCall('send', { to: 'x' }), headers: MCP_HEADERS })

  test('a user reaches the agent, and the record says whose', async () => {
    const got = await ask()
    expect(got.status).toBe(200)
    expect(stand.upstreams.inbound.arrivals.at(-1)?.body.toString()).toContain('Read my mail.')
    expect(await stand.plumbline.record(got.requestId)).toMatchObject({ direction: 'inbound', workload })
  })

  test('what cannot be read does not reach the agent', async () => {
    const arrived = stand.upstreams.inbound.bytes()
    const got = await user().send({ host: 'agent', body: `{"jsonrpc":"2.0","jsonrpc":"2.0"}`, headers: MCP_HEADERS })
    expect(got.status).toBe(400)
    expect(got.text).toContain('plumbline.unreadable')
    expect(stand.upstreams.inbound.bytes()).toBe(arrived)
  })

  test('a call that is allowed arrives', async () => {
    await ask()
    const got = await call()
    expect([got.status, got.text]).toEqual([200, 'hello from upstream'])
    expect(await stand.plumbline.record(got.requestId)).toMatchObject({ direction: 'outbound', workload })
  })

  test('a call that is denied does not', async () => {
    await ask()
    stand.judge.judge(deny)
    const arrived = stand.upstreams.outbound.bytes()
    const got = await call()
    expect(got.status).toBe(403)
    expect(got.text).toContain('ibac.blocked')
    expect((await stand.envoy.accessLine(got.requestId)).details).toBe('ibac.blocked')
    expect(stand.upstreams.outbound.bytes()).toBe(arrived)
  })

  test('a stream arrives event by event', async () => {
    await ask()
    const events = ['one', 'two'].map((content) => `data: ${JSON.stringify(chunk(content))}\n\n`)
    const stream = ackedEvents([...events, 'data: [DONE]\n\n'])
    stand.upstreams.outbound.answer(stream.answer)
    const got = await agent().send({
      host: HOST,
      path: '/v1/chat/completions',
      body: chatRequest('Hello', { stream: true }),
      headers: { 'content-type': 'application/json' },
      onPiece: acknowledging(stream),
    })
    expect(got.text).toBe([...events, 'data: [DONE]\n\n'].join(''))
  })

  describe.each(['h1', 'h2'] as const)('%s', (protocol) => {
    const send = (bytes: number) =>
      stand.client(protocol, 'inbound').send({ host: 'agent', path: '/upload', body: Buffer.alloc(bytes, 'a') })

    test('a body as long as allowed passes', async () => {
      expect((await send(LIMIT - 1)).status).toBe(200)
      expect(stand.upstreams.inbound.arrivals.at(-1)?.body.length).toBe(LIMIT - 1)
    })

    test('a longer one does not', async () => {
      const arrived = stand.upstreams.inbound.arrivals.length
      // A client that is still sending when it is refused may be cut off before it reads why (413).
      const status = await send(2 * LIMIT).then(
        (got) => got.status,
        () => undefined,
      )
      expect(status).not.toBe(200)
      expect(stand.upstreams.inbound.arrivals.length).toBe(arrived)
    })

    test('a path with an escaped slash is refused where the environment can say so', async () => {
      const got = await stand.client(protocol, 'inbound').send({ host: 'agent', path: '/a%2Fb' })
      expect(got.status).toBe(file === 'kgateway.yaml' ? 200 : 400)
    })
  })

  test('HTTP/2: what has trailers and no body is judged too', async () => {
    await ask()
    stand.judge.judge(deny)
    const arrived = stand.upstreams.outbound.bytes()
    const got = await stand
      .client('h2', 'outbound')
      .send({ method: 'DELETE', host: HOST, path: '/mail/1', trailers: { 'x-end': '1' } })
    expect(got.status).toBe(403)
    expect(stand.upstreams.outbound.bytes()).toBe(arrived)
  })

  test('without Plumbline nothing passes', async () => {
    stand.plumbline.program.kill('SIGKILL')
    await stand.plumbline.program.ended
    const arrived = (['inbound', 'outbound'] as const).map((direction) => stand.upstreams[direction].bytes())
    expect((await ask()).status).toBe(unavailable)
    expect((await call()).status).toBe(unavailable)
    expect((['inbound', 'outbound'] as const).map((direction) => stand.upstreams[direction].bytes())).toEqual(arrived)
    expected = { ...NO_LOSS, streams_failed: 2 }
  })
})

function chunk(content: string) {
  return { id: 'c', object: 'chat.completion.chunk', model: 'm', choices: [{ index: 0, delta: { content } }] }
}
