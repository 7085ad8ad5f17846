import { status } from '@grpc/grpc-js'
import type { Client, ServiceError } from '@grpc/grpc-js'
import { afterEach, describe, expect, test } from 'vitest'
import { connectAsEnvoy, requestHead } from '../../test/support/extproc/as-envoy.ts'
import { checkHealth, openHealthClient } from '../../test/support/extproc/health.ts'
import { SAID, useServers } from '../../test/support/extproc/served.ts'
import { createAuthority } from '../../test/support/tls/certificates.ts'
import { HEALTH_WATCH } from './proto.ts'

const { serve } = useServers()
const authority = createAuthority('authority')
const TLS = { ...authority.issue('plumbline'), clientCa: authority.cert }

const clients: { close(): void }[] = []
afterEach(() => {
  for (const client of clients.splice(0)) client.close()
})

async function probed(options: { readonly drainPauseMs?: number } = {}) {
  const running = await serve({}, { healthAddress: '127.0.0.1:0', tls: TLS, ...options })
  const address = running.server.healthAddress ?? ''
  const client = openHealthClient(address)
  clients.push(client)
  return { ...running, address, client }
}

function watch(client: Client, service = '') {
  const { path, requestSerialize, responseDeserialize } = HEALTH_WATCH
  const call = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, { service })
  const ended = new Promise<string>((done) => {
    call.once('error', (error: Error & Partial<ServiceError>) => done(status[error.code ?? status.UNKNOWN]))
    call.once('end', () => done('OK'))
  })
  const next = () => new Promise<object>((done) => call.once('data', done))
  return { ended, next }
}

describe('the health address', () => {
  test('says in clear text that we serve', async () => {
    const { client, address } = await probed()
    expect(address).toMatch(/^127\.0\.0\.1:[1-9]\d*$/)
    expect(await checkHealth(client)).toEqual({ status: 1 })
    expect(await watch(client).next()).toEqual({ status: 1 })
  })

  test('says nothing else', async () => {
    const { address, seen, server } = await probed()
    const connection = connectAsEnvoy(address)
    clients.push(connection)
    const stream = connection.open(SAID)
    stream.send(requestHead())
    expect((await stream.status).code).toBe('UNIMPLEMENTED')
    expect([seen.callers, server.stats().connections]).toEqual([[], 0])
  })

  test('drains like the others', async () => {
    const { client, server } = await probed({ drainPauseMs: 200 })
    const watched = watch(client)
    expect(await watched.next()).toEqual({ status: 1 })
    const stopped = server.stop()
    expect(await watched.next()).toEqual({ status: 2 })
    expect(await watched.ended).toBe('OK')
    await stopped
    expect(await checkHealth(client).catch((error: ServiceError) => status[error.code])).toBe('UNAVAILABLE')
  })

  test.each(['', 'other'])('takes only so many watches of "%s"', async (service) => {
    const { client } = await probed()
    const watches = Array.from({ length: 64 }, () => watch(client, service))
    await Promise.all(watches.map(({ next }) => next()))
    expect(await watch(client, service).ended).toBe('RESOURCE_EXHAUSTED')
    expect(await checkHealth(client)).toEqual({ status: 1 })
  })

  test('is not there unless it is wanted', async () => {
    const { server } = await serve()
    expect(server.healthAddress).toBeUndefined()
  })
})
