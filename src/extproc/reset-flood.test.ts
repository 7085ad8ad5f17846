import type * as http2 from 'node:http2'
import { createRequire } from 'node:module'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import { expect, test, vi } from 'vitest'
import { nodeKnowsResetLimits, raiseResetLimits, RESET_LIMITS } from './reset-flood.ts'

// The module object that grpc-js calls, not the frozen one that `import` gives.
const shared = createRequire(import.meta.url)('node:http2') as typeof http2

test('grpc-js hands the raised limits to the HTTP/2 server', async () => {
  const created = vi.spyOn(shared, 'createServer')
  const server = new Server()
  try {
    expect(raiseResetLimits(server)).toBe(true)
    await new Promise<void>((done, fail) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error) => (error ? fail(error) : done()))
    })
    expect(created).toHaveBeenCalledWith(expect.objectContaining(RESET_LIMITS))
  } finally {
    created.mockRestore()
    server.forceShutdown()
  }
})

test('a grpc-js without the object is noticed', () => {
  expect(raiseResetLimits({} as Server)).toBe(false)
})

test.each([
  ['20.20.2', false],
  ['22.10.0', false],
  ['22.11.0', true],
  ['24.0.0', true],
])('Node %s: %s', (version, knows) => {
  expect(nodeKnowsResetLimits(version)).toBe(knows)
})
