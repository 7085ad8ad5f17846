import { connect as connectTcp } from 'node:net'
import { connect } from 'node:tls'
import type { ConnectionOptions, PeerCertificate } from 'node:tls'
import { credentials } from '@grpc/grpc-js'
import { afterEach, describe, expect, test } from 'vitest'
import { connectAsEnvoy, requestHead } from '../../test/support/extproc/as-envoy.ts'
import type { Connection } from '../../test/support/extproc/as-envoy.ts'
import { recordingHandler, SILENT_LOG } from '../../test/support/extproc/handlers.ts'
import { kindOf, until, useServers } from '../../test/support/extproc/served.ts'
import { createAuthority } from '../../test/support/tls/certificates.ts'
import type { Authority, Certificate } from '../../test/support/tls/certificates.ts'
import type { TlsMaterial } from '../core/tls.ts'
import { createExtProcServer } from './server.ts'

const NAMES = { dns: ['localhost'], ips: ['127.0.0.1'] }
const authority = createAuthority('authority')
const stranger = createAuthority('stranger')
const material = (from: Authority, clients: Authority): TlsMaterial => ({
  ...from.issue('plumbline', NAMES),
  clientCa: clients.cert,
})
const envoy = (uri?: string) => authority.issue('envoy', uri === undefined ? {} : { uris: [uri] })

const closing: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function serve(tls: TlsMaterial = material(authority, authority)) {
  const seen = recordingHandler()
  const server = createExtProcServer({
    open: seen.open,
    listeners: [{ address: '127.0.0.1:0', direction: 'outbound' }],
    log: SILENT_LOG,
    drainPauseMs: 0,
    drainDeadlineMs: 0,
    tls,
  })
  await server.start()
  closing.push(() => server.stop())
  return { server, seen, port: Number(server.addresses[0]?.split(':')[1]) }
}

function client(port: number, shows?: Certificate, trusts = authority): Connection {
  const { cert, key } = shows ?? {}
  const secured = credentials.createSsl(
    Buffer.from(trusts.cert),
    key === undefined ? null : Buffer.from(key),
    cert === undefined ? null : Buffer.from(cert),
  )
  return closed(connectAsEnvoy(`127.0.0.1:${port}`, secured))
}

function closed(connection: Connection): Connection {
  closing.push(() => connection.close())
  return connection
}

async function statusOf(connection: Connection): Promise<string> {
  const stream = connection.open()
  stream.send(requestHead())
  return (await stream.status).code
}

const HERE = { host: '127.0.0.1', servername: 'localhost', ca: authority.cert, ALPNProtocols: ['h2'] }

/** What a handshake comes to; in TLS 1.3 a client hears only behind it that it was refused. */
async function shakeHands(
  port: number,
  options: ConnectionOptions,
  onSession: (session: Buffer) => void = () => undefined,
): Promise<string | PeerCertificate> {
  return new Promise((done) => {
    const socket = connect({ ...HERE, port, ...options })
    socket.on('session', onSession)
    closing.push(() => void socket.destroy())
    socket.on('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message))
    socket.on('close', () => done('closed'))
    // The server's settings: it takes us.
    socket.on('data', () => done(socket.alpnProtocol === 'h2' ? socket.getPeerCertificate() : 'no h2'))
  })
}

describe('a client of our authority', () => {
  test('is served', async () => {
    const { port, seen } = await serve()
    expect(kindOf(await client(port, envoy()).open().ask(requestHead()))).toBe('requestHeaders')
    expect(seen.callers).toEqual([{ direction: 'outbound', workload: 'default', routesByHost: false }])
  })

  test('is the workload that its certificate names, on each of its streams', async () => {
    const { port, seen, server } = await serve()
    const [one, two] = [client(port, envoy('spiffe://c/one')), client(port, envoy('spiffe://c/two'))]
    for (const connection of [one, two, one, two]) await connection.open().ask(requestHead())
    const named = () => seen.callers.map((caller) => caller?.workload)
    expect(named()).toEqual(['spiffe://c/one', 'spiffe://c/two', 'spiffe://c/one', 'spiffe://c/two'])
    await one.open({ 'x-plumbline-workload': 'said' }).ask(requestHead())
    server.trust({ defaultWorkload: 'configured' })
    await one.open().ask(requestHead())
    expect(named().slice(4)).toEqual(['said', 'configured'])
  })

  test('may have a certificate that is good for clients alone', async () => {
    const { port } = await serve()
    const shows = authority.issue('envoy', { purpose: 'client' })
    expect(kindOf(await client(port, shows).open().ask(requestHead()))).toBe('requestHeaders')
  })

  test.each(['TLSv1.2', 'TLSv1.3'] as const)('may speak %s', async (maxVersion) => {
    const { port } = await serve()
    expect(await shakeHands(port, { ...envoy(), maxVersion })).toMatchObject({ subject: { CN: 'plumbline' } })
  })
})

describe('refused is a client', () => {
  test.each<[string, Certificate | undefined]>([
    ['without a certificate', undefined],
    ['of another authority', stranger.issue('envoy')],
    ['whose certificate is good for servers alone', authority.issue('envoy', { purpose: 'server' })],
    ['whose certificate has expired', authority.issue('envoy', { from: new Date(0), until: new Date(1e9) })],
  ])('%s', async (_name, shows) => {
    const { port, seen } = await serve()
    expect(await statusOf(client(port, shows))).toBe('UNAVAILABLE')
    expect(await shakeHands(port, shows ?? {})).toEqual(expect.any(String))
    expect(seen.callers).toEqual([])
    expect(await statusOf(client(port, envoy(), stranger))).toBe('UNAVAILABLE')
    expect(kindOf(await client(port, envoy()).open().ask(requestHead()))).toBe('requestHeaders')
  })

  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'that resumes a session of %s in place of showing who it is',
    async (maxVersion) => {
      const { port } = await serve()
      const sessions: Buffer[] = []
      const hear = (session: Buffer) => void sessions.push(session)
      expect(await shakeHands(port, { ...envoy(), maxVersion }, hear)).toMatchObject({ subject: { CN: 'plumbline' } })
      for (const session of sessions)
        expect(await shakeHands(port, { maxVersion, session })).toEqual(expect.any(String))
    },
  )

  test('that wants to shake hands anew on the same connection; the others go on', async () => {
    const { port } = await serve()
    const other = client(port, envoy())
    await other.open().ask(requestHead())
    const socket = connect({ ...HERE, port, ...envoy(), maxVersion: 'TLSv1.2' })
    closing.push(() => void socket.destroy())
    socket.on('error', () => undefined)
    const closedBy = new Promise((done) => socket.once('close', done))
    socket.once('data', () => socket.renegotiate({}, () => undefined))
    await closedBy
    expect(kindOf(await other.open().ask(requestHead()))).toBe('requestHeaders')
  })

  test('in clear text', async () => {
    const { port, seen } = await serve()
    expect(await statusOf(closed(connectAsEnvoy(`127.0.0.1:${port}`)))).toBe('UNAVAILABLE')
    expect(seen.callers).toEqual([])
  })

  test('of an old version of TLS', async () => {
    const { port } = await serve()
    const old = { maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
    expect(await shakeHands(port, { ...envoy(), ...old })).toMatch(/PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/)
  })

  test('that does not speak HTTP/2', async () => {
    const { port } = await serve()
    expect(await shakeHands(port, { ...envoy(), ALPNProtocols: ['http/1.1'] })).toMatch(
      /NO_APPLICATION_PROTOCOL|closed/,
    )
  })
})

describe('renewed', () => {
  test('new connections see the new certificate, open ones stay', async () => {
    const { port, server } = await serve()
    const before = client(port, envoy())
    const stream = before.open()
    await stream.ask(requestHead())
    const first = (await shakeHands(port, envoy())) as PeerCertificate
    const next = material(authority, authority)
    server.renewTls(next)
    const second = (await shakeHands(port, envoy())) as PeerCertificate
    expect(second.serialNumber).not.toBe(first.serialNumber)
    expect(kindOf(await stream.ask({ requestTrailers: {} }))).toBe('requestTrailers')
    expect(kindOf(await before.open().ask(requestHead()))).toBe('requestHeaders')
  })

  test('new connections are checked by the new authority, in the same version of TLS', async () => {
    const { port, server } = await serve()
    const former = client(port, envoy())
    await former.open().ask(requestHead())
    server.renewTls(material(authority, stranger))
    expect(await statusOf(client(port, envoy()))).toBe('UNAVAILABLE')
    expect(kindOf(await client(port, stranger.issue('envoy')).open().ask(requestHead()))).toBe('requestHeaders')
    expect(kindOf(await former.open().ask(requestHead()))).toBe('requestHeaders')
    const old = { maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
    expect(await shakeHands(port, { ...stranger.issue('envoy'), ...old })).toMatch(/PROTOCOL/)
  })
})

describe('a Unix socket', () => {
  const { serve: serveSocket } = useServers()
  test('stays as it is', async () => {
    const { connection } = await serveSocket({}, { tls: material(authority, authority) })
    const said = { 'x-plumbline-direction': 'outbound', 'x-plumbline-token': 'secret' }
    expect(kindOf(await connection.open(said).ask(requestHead()))).toBe('requestHeaders')
  })
})

test('whoever never shakes hands holds nobody up', async () => {
  const { port, server } = await serve()
  const silent = connectTcp(port, '127.0.0.1')
  silent.on('error', () => undefined)
  closing.push(() => void silent.destroy())
  await new Promise((done) => silent.once('connect', done))
  expect(kindOf(await client(port, envoy()).open().ask(requestHead()))).toBe('requestHeaders')
  await until(() => server.stats().connections === 1)
})
