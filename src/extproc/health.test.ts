import { Server, ServerCredentials, status } from '@grpc/grpc-js'
import type { Client, ServiceError } from '@grpc/grpc-js'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkHealth, openHealthClient } from '../../test/support/extproc/health.ts'
import { createHealth } from './health.ts'
import { EXT_PROC_SERVICE, HEALTH_WATCH } from './proto.ts'

let server: Server
let client: Client
let health: ReturnType<typeof createHealth>

beforeEach(async () => {
  health = createHealth()
  server = new Server()
  server.addService(health.definition, health.implementation)
  const port = await new Promise<number>((done, fail) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? fail(error) : done(bound),
    )
  })
  client = openHealthClient(`127.0.0.1:${port}`)
})
afterEach(() => {
  client.close()
  server.forceShutdown()
})

test.each(['', EXT_PROC_SERVICE])('check of "%s" follows the state', async (service) => {
  expect(await checkHealth(client, service)).toEqual({ status: 2 })
  health.set(true)
  expect(await checkHealth(client, service)).toEqual({ status: 1 })
  health.set(false)
  expect(await checkHealth(client, service)).toEqual({ status: 2 })
})

test('check of an unknown service', async () => {
  const failure = await checkHealth(client, 'other').catch((error: ServiceError) => error.code)
  expect(failure).toBe(status.NOT_FOUND)
})

test('watch tells each change, once', async () => {
  const seen: object[] = []
  const call = client.makeServerStreamRequest(
    HEALTH_WATCH.path,
    HEALTH_WATCH.requestSerialize,
    HEALTH_WATCH.responseDeserialize,
    {},
  )
  const ended = new Promise((done) => call.once('end', done))
  call.on('error', () => undefined)
  await new Promise<void>((done) => {
    call.on('data', (reply: object) => {
      seen.push(reply)
      done()
    })
  })
  health.set(true)
  health.set(true)
  health.set(false)
  health.close()
  await ended
  expect(seen).toEqual([{ status: 2 }, { status: 1 }, { status: 2 }])
})

test('watch of an unknown service says so', async () => {
  const call = client.makeServerStreamRequest(
    HEALTH_WATCH.path,
    HEALTH_WATCH.requestSerialize,
    HEALTH_WATCH.responseDeserialize,
    {
      service: 'other',
    },
  )
  call.on('error', () => undefined)
  const first = await new Promise((done) => call.once('data', done))
  expect(first).toEqual({ status: 3 })
  call.cancel()
})
