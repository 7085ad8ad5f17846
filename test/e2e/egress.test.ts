import { connect as connectHttp2 } from 'node:http2'
import { connect as connectTls } from 'node:tls'
import { readFileSync } from 'node:fs'
import { fetch, ProxyAgent } from 'undici'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { acknowledging } from '../support/acks.ts'
import { judgedChains } from '../support/chains.ts'
import { useStage } from '../support/e2e.ts'
import { EGRESS_CA, interceptSidecar, tunnelSidecar } from '../support/egress.ts'
import { ackedEvents } from '../support/events.ts'
import { startJudge } from '../support/judge.ts'
import type { Question, StubJudge } from '../support/judge.ts'
import { sendRaw } from '../support/clients.ts'
import { a2aAnswer, a2aSend, chatRequest, mcpCall, MCP_HEADERS } from '../support/messages.ts'
import type { Stage, StageOptions } from '../support/stage.ts'
import { openTunnel, sayThrough, tunnelClients } from '../support/tunnels.ts'
import { until } from '../support/until.ts'
import { sayOk, startUpstream, TLS_AUTHORITY } from '../support/upstream.ts'
import type { Upstream } from '../support/upstream.ts'

/** What docs/https-egress.md says of each way out, with real clients. */

const ALLOWED = mcpCall('get_weather', { city: 'Paris' })
const DENIED = mcpCall('transfer_funds', { to: 'them' })
/** Denies what carries the word. */
const byWord = ({ text }: Question) => ({ verdict: text.includes('transfer_funds') ? 'deny' : 'allow', reason: 'r' })

let judge: StubJudge
let tls: Upstream
beforeAll(async () => {
  judge = await startJudge(byWord)
  tls = await startUpstream('tls')
})
afterAll(async () => {
  await judge.close()
  await tls.close()
})

/** A stage with this Envoy, whose user has asked for something, so that there is something to judge against. */
function useEgress(sidecar?: () => string, authority = TLS_AUTHORITY) {
  const staged = useStage(async (): Promise<StageOptions> => ({
    config: judgedChains({ judgeUrl: judge.url }),
    tls: { hosts: ['localhost', `localhost:${tls.port}`], authority },
    ...(sidecar === undefined ? {} : { sidecar: sidecar() }),
  }))
  beforeAll(async () => {
    const stage = staged.stage()
    stage.agent.answer((_arrival, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'application/json' })
      outgoing.end(a2aAnswer('Done.'))
    })
    const told = a2aSend('Tell me the weather.')
    expect((await stage.client('h1', 'inbound').send({ host: 'agent', body: told, headers: MCP_HEADERS })).status).toBe(
      200,
    )
  })
  beforeEach(() => {
    staged.stage().upstream.answer(sayOk)
    tls.answer(sayOk)
  })
  return staged
}

const contact = (server: Upstream) => ({ connections: server.connections(), bytes: server.bytes() })

/** Names that Envoy has ever begun to look up. */
async function lookups(stage: Stage): Promise<number> {
  const stats = await stage.envoy.stats('host_added')
  return Object.values(stats).reduce((sum, count) => sum + count, 0)
}

describe('TLS by Envoy, as sidecar.yaml has it', () => {
  const { stage } = useEgress()

  test('a call is judged, then sent over TLS; one that is refused opens no connection', async () => {
    const agent = stage().client('h1', 'outbound')
    const ask = (body: string) =>
      agent.send({ host: `localhost:${tls.port}`, path: '/mcp', body, headers: MCP_HEADERS })
    const before = contact(tls)
    expect((await ask(DENIED)).text).toContain('ibac.blocked')
    expect(contact(tls)).toEqual(before)
    expect((await ask(ALLOWED)).status).toBe(200)
    expect(tls.arrivals.at(-1)?.body.toString()).toBe(ALLOWED)
  })

  test.each(tunnelClients())('$name: TLS of its own is refused, and nobody hears of it', async (client) => {
    const before = { ...contact(tls), lookups: await lookups(stage()) }
    const url = `https://localhost:${tls.port}/mcp`
    const heard = await client.post({ url, body: ALLOWED, proxyPort: stage().envoy.outboundPort, authority: EGRESS_CA })
    expect(heard.status).toBe(0)
    // Python before 3.12 opens tunnels in HTTP/1.0, which is not spoken here, and hears no reason.
    expect(heard.said).toMatch(/403|without response/)
    expect({ ...contact(tls), lookups: await lookups(stage()) }).toEqual(before)
  })
})

describe('TLS by Envoy to a server that cannot show who it is', () => {
  const { stage } = useEgress(undefined, EGRESS_CA)

  test('is an error, and the request was not sent', async () => {
    const before = tls.arrivals.length
    const agent = stage().client('h1', 'outbound')
    const got = await agent.send({ host: `localhost:${tls.port}`, path: '/mcp', body: ALLOWED, headers: MCP_HEADERS })
    expect(got.status).toBe(503)
    expect((await stage().envoy.accessLine(got.requestId)).details).toContain('CERTIFICATE_VERIFY_FAILED')
    expect(tls.arrivals.length).toBe(before)
  })
})

describe('plain HTTP in a tunnel (egress-tunnel.patch)', () => {
  const { stage, expectLosses } = useEgress(tunnelSidecar)
  const port = () => stage().envoy.outboundPort

  test.each(tunnelClients())('$name: a call is judged in the tunnel as without one', async (client) => {
    const ask = (body: string) =>
      client.post({ url: 'http://upstream.test:8080/mcp', body, proxyPort: port(), authority: EGRESS_CA })
    const before = contact(stage().upstream)
    const refused = await ask(DENIED)
    expect([refused.status, JSON.parse(refused.text)]).toMatchObject([403, { error: 'ibac.blocked' }])
    expect(contact(stage().upstream)).toEqual(before)
    const allowed = await ask(ALLOWED)
    expect([allowed.status, allowed.text]).toEqual([200, 'hello from upstream'])
    expect(stage().upstream.arrivals.at(-1)?.body.toString()).toBe(ALLOWED)
  })

  test('a stream comes through event by event', async () => {
    await expectEvents(stage().upstream, 'http://upstream.test:8080', new ProxyAgent(`http://127.0.0.1:${port()}`))
  })

  test('HTTP/2 in the tunnel is judged as well', async () => {
    const { socket } = await openTunnel(port(), 'upstream2.test:8080')
    const session = connectHttp2('http://upstream2.test:8080', { createConnection: () => socket })
    const ask = (body: string) => {
      const headers = { 'content-type': 'application/json', ':method': 'POST', ':path': '/mcp' }
      const stream = session.request(headers)
      stream.resume()
      stream.end(body)
      return new Promise((done) => stream.once('response', (head) => done(head[':status'])))
    }
    expect([await ask(DENIED), await ask(ALLOWED)]).toEqual([403, 200])
    session.destroy()
  })

  test('where a tunnel leads is what the request in it says; the name in CONNECT is not even looked up', async () => {
    const before = await lookups(stage())
    const { socket, head } = await openTunnel(port(), 'connected.invalid:80')
    expect(head).toMatch(/^HTTP\/1\.1 200 /)
    const seen = await sayThrough(socket, get('upstream.test'), /hello from upstream/)
    expect(seen).toContain('200 OK')
    expect(await lookups(stage())).toBe(before)
  })

  test('no name is looked up before the verdict', async () => {
    const before = await lookups(stage())
    const ask = async (body: string) => {
      const { socket } = await openTunnel(port(), 'nowhere.invalid:80')
      return sayThrough(socket, post('nowhere.invalid', body), /"message"|dns_|DNS/)
    }
    expect(await ask(DENIED)).toContain('ibac.blocked')
    expect(await lookups(stage())).toBe(before)
    expect(await ask(ALLOWED)).toContain('503')
    expect(await lookups(stage())).toBeGreaterThan(before)
  })

  test.each(['adminPort', 'inboundPort', 'outboundPort'] as const)(
    '%s is out of reach in a tunnel too',
    async (which) => {
      const own = which === 'adminPort' ? stage().adminPort : stage().envoy[which]
      const { socket } = await openTunnel(port(), `localhost:${own}`)
      expect(await sayThrough(socket, get(`localhost:${own}`), /RBAC/)).toMatch(/^HTTP\/1\.1 403 /)
    },
  )

  test.each<[string, (own: number) => string]>([
    ['an absolute target', (own) => `GET http://127.0.0.1:${own}/metrics HTTP/1.1\r\nhost: upstream.test\r\n\r\n`],
    ['capitals and a dot', (own) => get(`LOCALHOST.:${own}`)],
    ['a short number', (own) => get(`127.1:${own}`)],
    ['a hexadecimal number', (own) => get(`0x7f000001:${own}`)],
    ['all addresses', (own) => get(`0.0.0.0:${own}`)],
    ['IPv6', (own) => get(`[::1]:${own}`)],
    ['IPv4 in IPv6', (own) => get(`[::ffff:127.0.0.1]:${own}`)],
    ['a user before it', (own) => get(`upstream.test@127.0.0.1:${own}`)],
    ['two hosts', (own) => get('upstream.test').replace('\r\n\r\n', `\r\nhost: localhost:${own}\r\n\r\n`)],
  ])('our own port is not reached by %s', async (_name, asked) => {
    const { socket } = await openTunnel(port(), 'upstream.test:80')
    const seen = await sayThrough(socket, asked(stage().adminPort), /\r\n\r\n/)
    expect(seen).toMatch(/^HTTP\/1\.1 (?:400|403|503) /)
    expect(seen).not.toContain('plumbline_')
  })

  test.each<[string, string]>([
    ['in one packet with CONNECT', 'CONNECT x.test:80 HTTP/1.1\r\nhost: x.test:80\r\n\r\n'],
    [
      'as if it were the body of CONNECT',
      'CONNECT x.test:80 HTTP/1.1\r\nhost: x.test:80\r\ncontent-length: 500\r\n\r\n',
    ],
    ['as if in chunks', 'CONNECT x.test:80 HTTP/1.1\r\nhost: x.test:80\r\ntransfer-encoding: chunked\r\n\r\n'],
    ['behind a CONNECT of HTTP/1.0', 'CONNECT x.test:80 HTTP/1.0\r\nhost: x.test:80\r\n\r\n'],
  ])('what is refused stays refused %s', async (_name, connect) => {
    const before = contact(stage().upstream)
    const seen = await sendRaw(port(), connect + post('upstream.test', DENIED), (text) =>
      /"message"|400 Bad/.test(text),
    )
    expect(seen).not.toContain('hello from upstream')
    expect(contact(stage().upstream)).toEqual(before)
  })

  test('each of several requests that are said at once is judged', async () => {
    const before = stage().upstream.arrivals.length
    const { socket } = await openTunnel(port(), 'upstream.test:80')
    const all = [ALLOWED, DENIED, ALLOWED].map((body) => post('upstream.test', body)).join('')
    const seen = await sayThrough(socket, all, /(?:[^]*HTTP\/1\.1 [^]*){3}(?:hello from upstream|"message")/)
    expect(seen).toContain('ibac.blocked')
    for (const { body } of stage().upstream.arrivals.slice(before)) expect(body.toString()).toBe(ALLOWED)
  })

  test.each<[string, string]>([
    ['the first byte of TLS', '\x16'],
    ['the beginning of TLS', '\x16\x03\x01'],
    ['TLS that is none', '\x16\x03\x01\x00\x05hello'],
    ['a line of the PROXY protocol', 'PROXY TCP4 127.0.0.1 127.0.0.1 1 80\r\n'],
    ['half of the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\n'],
  ])('%s before a request does not carry it past us', async (_name, first) => {
    const before = contact(stage().upstream)
    const { socket } = await openTunnel(port(), 'upstream.test:80')
    const seen = await sayThrough(socket, Buffer.from(first + post('upstream.test', ALLOWED), 'latin1'), /\r\n\r\n/)
    expect(seen).not.toContain(' 200 ')
    expect(contact(stage().upstream)).toEqual(before)
  })

  test('a tunnel that is opened in HTTP/2 leads to the same place', async () => {
    const session = connectHttp2(`http://127.0.0.1:${port()}`)
    const ask = async (body: string) => {
      const tunnel = session.request({ ':method': 'CONNECT', ':authority': 'upstream.test:80' })
      let seen = ''
      tunnel.on('data', (piece: Buffer) => (seen += piece.toString()))
      tunnel.on('error', () => undefined)
      tunnel.write(post('upstream.test', body))
      return until('an answer', () => /hello from upstream|"message"/.exec(seen)?.[0]).finally(() => tunnel.close())
    }
    const before = contact(stage().upstream)
    expect(await ask(DENIED)).toBe('"message"')
    expect(contact(stage().upstream)).toEqual(before)
    expect(await ask(ALLOWED)).toBe('hello from upstream')
    session.destroy()
  })

  test('users cannot open one', async () => {
    const { socket, head } = await openTunnel(stage().envoy.inboundPort, 'upstream.test:80')
    socket.destroy()
    expect(head).toMatch(/^HTTP\/1\.1 403 /)
  })

  test('a tunnel in a tunnel is refused, in words', async () => {
    const { socket } = await openTunnel(port(), 'upstream.test:80')
    const inner = 'CONNECT upstream.test:80 HTTP/1.1\r\nhost: upstream.test:80\r\n\r\n'
    expect(await sayThrough(socket, inner, /speaks TLS/)).toMatch(/^HTTP\/1\.1 403 /)
  })

  test('an upgrade in a tunnel is refused', async () => {
    const { socket } = await openTunnel(port(), 'upstream.test:80')
    const upgrade = 'GET / HTTP/1.1\r\nhost: upstream.test\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'
    expect(await sayThrough(socket, upgrade, /cannot be checked/)).toMatch(/^HTTP\/1\.1 403 /)
  })

  test.each(['tls.example:443', `localhost:443`])('a tunnel to %s is refused at once, in words', async (to) => {
    const { socket, head } = await openTunnel(port(), to)
    socket.destroy()
    expect(head).toMatch(/^HTTP\/1\.1 403 /)
  })

  test('TLS in a tunnel to another port ends there: nobody hears of it, and the log says so', async () => {
    const before = { ...contact(tls), lookups: await lookups(stage()) }
    const { socket } = await openTunnel(port(), `localhost:${tls.port}`)
    const secure = connectTls({ socket, servername: 'localhost', rejectUnauthorized: false })
    const said = await new Promise((done) => {
      secure.once('secureConnect', () => done('a handshake'))
      secure.once('error', () => done('an end'))
    })
    expect(said).toBe('an end')
    expect({ ...contact(tls), lookups: await lookups(stage()) }).toEqual(before)
    expect(await refusedTunnel(stage())).toMatchObject({ tlsTo: 'localhost', details: 'filter_chain_not_found' })
  })

  test('bytes that are no HTTP end there', async () => {
    const before = { ...contact(stage().upstream), lookups: await lookups(stage()) }
    const { socket } = await openTunnel(port(), 'upstream.test:22')
    expect(await sayThrough(socket, 'SSH-2.0-OpenSSH_9.2\r\n\r\n', /$^/)).not.toContain('200')
    expect({ ...contact(stage().upstream), lookups: await lookups(stage()) }).toEqual(before)
  })

  test('HTTP/1.0, in which some clients open tunnels, is judged like any other, and needs a host', async () => {
    const ask = (host: string, body: string) =>
      sendRaw(port(), post(host, body).replace('HTTP/1.1', 'HTTP/1.0'), () => false)
    const before = contact(stage().upstream)
    expect(await ask('upstream.test', DENIED)).toMatch(/^HTTP\/1\.[01] 403 /)
    expect(await ask('', ALLOWED)).not.toContain(' 200 ')
    expect(contact(stage().upstream)).toEqual(before)
    expect(await ask('upstream.test', ALLOWED)).toMatch(/^HTTP\/1\.[01] 200 /)
  })

  test('without Plumbline nothing passes', async () => {
    expectLosses({ streams_failed: 1 })
    await stage().stopPlumbline('SIGKILL')
    const before = contact(stage().upstream)
    const { socket } = await openTunnel(port(), 'upstream.test:80')
    expect(await sayThrough(socket, post('upstream.test', ALLOWED), /\r\n\r\n/)).toMatch(/^HTTP\/1\.1 503 /)
    expect(contact(stage().upstream)).toEqual(before)
    await stage().restartPlumbline()
  })
})

describe('TLS that Envoy opens (egress-intercept.patch)', () => {
  const { stage, expectLosses } = useEgress(interceptSidecar)
  const port = () => stage().envoy.outboundPort
  const base = () => `https://localhost:${tls.port}`

  test.each(tunnelClients())('$name: a call is judged in its TLS', async (client) => {
    const ask = (body: string) => client.post({ url: `${base()}/mcp`, body, proxyPort: port(), authority: EGRESS_CA })
    const before = contact(tls)
    const refused = await ask(DENIED)
    expect([refused.status, JSON.parse(refused.text)]).toMatchObject([403, { error: 'ibac.blocked' }])
    expect(contact(tls)).toEqual(before)
    const allowed = await ask(ALLOWED)
    expect([allowed.status, allowed.text]).toEqual([200, 'hello from upstream'])
    expect(tls.arrivals.at(-1)?.body.toString()).toBe(ALLOWED)
  })

  test.each(tunnelClients())('$name: without the authority it talks to nobody', async (client) => {
    const before = contact(tls)
    const url = `${base()}/mcp`
    const heard = await client.post({ url, body: ALLOWED, proxyPort: port(), authority: TLS_AUTHORITY })
    expect(heard.status).toBe(0)
    expect(contact(tls)).toEqual(before)
  })

  test('a stream comes through event by event', async () => {
    const requestTls = { ca: readFileSync(EGRESS_CA) }
    await expectEvents(tls, base(), new ProxyAgent({ uri: `http://127.0.0.1:${port()}`, requestTls }))
  })

  test.each(['upstream.test', 'nowhere.invalid'])('another name inside of it is misdirected: %s', async (host) => {
    const before = { ...contact(stage().upstream), lookups: await lookups(stage()) }
    const secure = await openTls(port(), `localhost:${tls.port}`, 'localhost')
    expect(await sayThrough(secure, get(host), /\r\n\r\n/)).toMatch(/^HTTP\/1\.1 421 /)
    expect({ ...contact(stage().upstream), lookups: await lookups(stage()) }).toEqual(before)
  })

  test.each<[string, (own: number) => string]>([
    ['an absolute target', (own) => `GET http://127.0.0.1:${own}/metrics HTTP/1.1\r\nhost: localhost\r\n\r\n`],
    ['our own port under the name', (own) => get(`localhost:${own}`)],
    ['a user before it', (own) => get(`localhost@127.0.0.1:${own}`)],
    ['a name with a dot', (own) => get(`localhost.:${own}`)],
    ['another tunnel', (own) => `CONNECT localhost:${own} HTTP/1.1\r\nhost: localhost:${own}\r\n\r\n`],
    ['an upgrade', () => 'GET / HTTP/1.1\r\nhost: localhost\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'],
  ])('nothing is reached inside of it by %s', async (_name, asked) => {
    const before = { ...contact(stage().upstream), ...contact(tls), lookups: await lookups(stage()) }
    const secure = await openTls(port(), `localhost:${tls.port}`, 'localhost')
    const seen = await sayThrough(secure, asked(stage().adminPort), /\r\n\r\n/)
    expect(seen).toMatch(/^HTTP\/1\.1 (?:400|403|421) /)
    expect({ ...contact(stage().upstream), ...contact(tls), lookups: await lookups(stage()) }).toEqual(before)
  })

  test.each([
    ['in HTTP/2', { servername: 'localhost', ALPNProtocols: ['h2'] }, 'h2'],
    ['without a word on the protocol', { servername: 'localhost' }, false],
    ['with a name in capitals', { servername: 'LOCALHOST', ALPNProtocols: ['http/1.1'] }, 'http/1.1'],
  ] as const)('it is judged %s', async (_name, options, protocol) => {
    const { socket } = await openTunnel(port(), 'anything.test:80')
    const secure = connectTls({
      socket,
      ca: readFileSync(EGRESS_CA),
      checkServerIdentity: () => undefined,
      ...options,
      ALPNProtocols: [...('ALPNProtocols' in options ? options.ALPNProtocols : [])],
    })
    await new Promise((done, fail) => secure.once('secureConnect', done).once('error', fail))
    expect(secure.alpnProtocol).toBe(protocol)
    const before = contact(tls)
    const host = `localhost:${tls.port}`
    if (protocol === 'h2') {
      const session = connectHttp2(`https://${host}`, { createConnection: () => secure })
      const stream = session.request({ 'content-type': 'application/json', ':method': 'POST', ':path': '/mcp' })
      stream.resume()
      stream.end(DENIED)
      expect(await new Promise((done) => stream.once('response', (head) => done(head[':status'])))).toBe(403)
      session.destroy()
    } else expect(await sayThrough(secure, post(host, DENIED), /"message"/)).toContain('ibac.blocked')
    expect(contact(tls)).toEqual(before)
  })

  test.each([
    ['no name', {}],
    ['a name below it', { servername: 'x.localhost' }],
    ['a name that begins so', { servername: 'localhost.evil.example' }],
    ['an unknown protocol', { servername: 'localhost', ALPNProtocols: ['spdy/3'] }],
  ])('TLS with %s comes to nothing', async (_name, options) => {
    const before = { ...contact(tls), lookups: await lookups(stage()) }
    const { socket } = await openTunnel(port(), `localhost:${tls.port}`)
    const secure = connectTls({ socket, rejectUnauthorized: false, ...options })
    const how = await new Promise((done) => {
      secure.once('secureConnect', () => done(secure.alpnProtocol === false ? 'a handshake' : 'a protocol'))
      secure.once('error', () => done('an end'))
    })
    if (how === 'a handshake') {
      expect(await sayThrough(secure, post(`localhost:${tls.port}`, DENIED), /\r\n\r\n/)).not.toContain(' 200 ')
    } else expect(how).toBe('an end')
    secure.destroy()
    expect({ ...contact(tls), lookups: await lookups(stage()) }).toEqual(before)
  })

  test('TLS to any other host is refused', async () => {
    await expect(openTls(port(), `localhost:${tls.port}`, 'other.example')).rejects.toThrow()
    expect(await refusedTunnel(stage())).toMatchObject({ tlsTo: 'other.example', details: 'filter_chain_not_found' })
    const { socket, head } = await openTunnel(port(), 'other.example:443')
    socket.destroy()
    expect(head).toMatch(/^HTTP\/1\.1 403 /)
  })

  test('without Plumbline nothing passes', async () => {
    expectLosses({ streams_failed: 1 })
    await stage().stopPlumbline('SIGKILL')
    const before = contact(tls)
    const secure = await openTls(port(), `localhost:${tls.port}`, 'localhost')
    const asked = post(`localhost:${tls.port}`, ALLOWED)
    expect(await sayThrough(secure, asked, /\r\n\r\n/)).toMatch(/^HTTP\/1\.1 503 /)
    expect(contact(tls)).toEqual(before)
    await stage().restartPlumbline()
  })
})

describe('TLS that Envoy opens, to a server that cannot show who it is', () => {
  const { stage } = useEgress(interceptSidecar, EGRESS_CA)

  test('is an error, and the request was not sent', async () => {
    const before = tls.arrivals.length
    const secure = await openTls(stage().envoy.outboundPort, `localhost:${tls.port}`, 'localhost')
    const seen = await sayThrough(secure, post(`localhost:${tls.port}`, ALLOWED), /\r\n\r\n/)
    expect(seen).toMatch(/^HTTP\/1\.1 503 /)
    const requestId = /x-request-id: (\S+)/.exec(seen)?.[1] ?? ''
    expect((await stage().envoy.accessLine(requestId)).details).toContain('CERTIFICATE_VERIFY_FAILED')
    expect(tls.arrivals.length).toBe(before)
  })
})

/** Each event is sent when the client has the one before. */
async function expectEvents(server: Upstream, base: string, dispatcher: ProxyAgent): Promise<void> {
  const events = [...'The sun'].map(
    (word) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: word } }] })}\n\n`,
  )
  const stream = ackedEvents(events)
  server.answer(stream.answer)
  const got = await fetch(`${base}/v1/chat/completions`, {
    method: 'POST',
    body: chatRequest('How is the weather?', { stream: true }),
    headers: { 'content-type': 'application/json' },
    dispatcher,
  })
  expect(got.status).toBe(200)
  const onPiece = acknowledging(stream)
  let text = ''
  for await (const piece of got.body ?? []) {
    text += Buffer.from(piece as Uint8Array).toString()
    onPiece(Buffer.from(piece as Uint8Array))
  }
  expect(text).toBe(events.join(''))
  await dispatcher.close()
}

function get(host: string): string {
  return `GET / HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`
}

function post(host: string, body: string): string {
  const head = [
    'POST /mcp HTTP/1.1',
    `host: ${host}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
  ]
  return [...head, '', body].join('\r\n')
}

/** TLS in a tunnel, with the authority that opens it trusted. */
async function openTls(port: number, to: string, servername: string) {
  const { socket } = await openTunnel(port, to)
  const secure = connectTls({ socket, servername, ca: readFileSync(EGRESS_CA) })
  await new Promise<void>((done, fail) => {
    secure.once('secureConnect', done)
    secure.once('error', fail)
  })
  return secure
}

/** The latest line about a tunnel that found no filter chain. */
function refusedTunnel(stage: Stage) {
  return until('a refused tunnel in the log', () =>
    stage.envoy
      .accessLines()
      .filter(({ tunnel }) => tunnel === 'refused')
      .at(-1),
  )
}
