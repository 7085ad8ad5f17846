import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { clearSocketPath, socketPath } from './socket.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plumb-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test.each([
  ['unix:/run/p.sock', '/run/p.sock'],
  ['127.0.0.1:9090', undefined],
])('%s', (address, path) => {
  expect(socketPath(address)).toBe(path)
})

test('a path that is free stays free', async () => {
  await clearSocketPath(join(folder, 'p.sock'))
})

test('a folder that is not there is named', async () => {
  await expect(clearSocketPath(join(folder, 'run', 'p.sock'))).rejects.toThrow(
    `${join(folder, 'run')}, the folder of the socket, does not exist`,
  )
})

test('a socket that a dead process left is removed', async () => {
  const path = join(folder, 'p.sock')
  const program = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`
  expect(() => execFileSync(process.execPath, ['-e', program])).toThrow()
  expect(existsSync(path)).toBe(true)
  await clearSocketPath(path)
  expect(existsSync(path)).toBe(false)
})

test('a socket that answers is left alone', async () => {
  const path = join(folder, 'p.sock')
  const server = createServer().listen(path)
  await new Promise((done) => server.once('listening', done))
  await expect(clearSocketPath(path)).rejects.toThrow('answers')
  expect(existsSync(path)).toBe(true)
  server.close()
})

test('a file that is no socket is left alone', async () => {
  const path = join(folder, 'p.sock')
  writeFileSync(path, 'precious')
  await expect(clearSocketPath(path)).rejects.toThrow('no socket')
  expect(existsSync(path)).toBe(true)
})

test.each([
  [99, true],
  [100, false],
])('a path of %d bytes: %s', async (bytes, good) => {
  const path = `/tmp/${'ä'.repeat(10)}`.padEnd(bytes - 10, 'x')
  expect(Buffer.byteLength(path)).toBe(bytes)
  const cleared = clearSocketPath(path)
  if (good) await cleared
  else await expect(cleared).rejects.toThrow('100 bytes')
})
