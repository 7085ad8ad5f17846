import { connect } from 'node:http2'
import type { ClientHttp2Session } from 'node:http2'
import { connect as connectTo } from 'node:net'
import { Server } from '@grpc/grpc-js'
import { expect, test } from 'vitest'
import { requestHead } from '../../test/support/extproc/as-envoy.ts'
import { SAID, until, useServers } from '../../test/support/extproc/served.ts'
import { createConnections } from './connections.ts'
import { HEALTH_WATCH, PROCESS } from './proto.ts'
import type { ExtProcServer } from './server.ts'

const { serve } = useServers()

/** A connection that a test can break, which a gRPC client would mend. */
async function breakable(address: string, server: ExtProcServer): Promise<ClientHttp2Session> {
  const before = server.stats().connections
  const session = connect('http://localhost', { createConnection: () => connectTo(address.slice('unix:'.length)) })
  session.on('error', () => undefined)
  await until(() => server.stats().connections === before + 1)
  return session
}

function openStream(session: ClientHttp2Session, path = PROCESS.path) {
  const said = path === PROCESS.path ? SAID : {}
  const headers = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers', ...said }
  const stream = session.request(headers)
  stream.on('error', () => undefined)
  return stream
}

test('connections are counted while they are open', async () => {
  const { server, connection } = await serve()
  expect(server.stats()).toMatchObject({ connections: 0, lostConnections: 0 })
  const stream = connection.open(SAID)
  await stream.ask(requestHead())
  expect(server.stats().connections).toBe(1)
  stream.reset()
  connection.close()
  await until(() => server.stats().connections === 0)
})

test('one that breaks under exchanges is lost, once', async () => {
  const { server, address } = await serve()
  const session = await breakable(address, server)
  openStream(session)
  openStream(session)
  await until(() => server.stats().openStreams === 2)
  session.destroy()
  await until(() => server.stats().openStreams === 0 && server.stats().connections === 0)
  expect(server.stats().lostConnections).toBe(1)
})

test.each<[string, (session: ClientHttp2Session, cancel: () => void) => void]>([
  [
    'whose exchanges were cancelled just before',
    (session, cancel) => {
      cancel()
      session.close()
    },
  ],
  [
    'that ends when its exchanges have',
    (session, cancel) => {
      session.close()
      cancel()
    },
  ],
])('one %s is not', async (_name, end) => {
  const { server, address } = await serve()
  const session = await breakable(address, server)
  const stream = openStream(session)
  await until(() => server.stats().openStreams === 1)
  end(session, () => stream.close(8))
  await until(() => server.stats().openStreams === 0 && server.stats().connections === 0)
  expect(server.stats().lostConnections).toBe(0)
})

test('one under which somebody only watches our health is not', async () => {
  const { server, address } = await serve()
  const session = await breakable(address, server)
  const stream = openStream(session, HEALTH_WATCH.path)
  stream.end(Buffer.from([0, 0, 0, 0, 0]))
  await new Promise((done) => stream.once('response', done))
  session.destroy()
  await until(() => server.stats().connections === 0)
  expect(server.stats().lostConnections).toBe(0)
})

test('a grpc-js that keeps its servers elsewhere is noticed', () => {
  expect(createConnections().watch({} as Server)).toBe(false)
  expect(createConnections().watch(new Server())).toBe(false)
})

test('one on which HTTP/2 went wrong does not stay for ever, and one that is quiet does', async () => {
  const { server, connection, address } = await serve({}, { pingMs: 200 })
  await connection.open(SAID).ask(requestHead())
  // A ping of four bytes is an error of the connection.
  const wrong = Buffer.concat([
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    Buffer.from('000000040000000000', 'hex'),
    Buffer.from('000004060000000000aaaaaaaa', 'hex'),
  ])
  const socket = connectTo(address.slice('unix:'.length))
  socket.on('error', () => undefined)
  socket.write(wrong)
  await until(() => server.stats().connections === 2)
  socket.destroy()
  await until(() => server.stats().connections === 1)
  await connection.open(SAID).ask(requestHead())
  expect(server.stats()).toMatchObject({ connections: 1, streams: 2 })
})
