import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type AdminServer, createAdminServer } from '../admin/server.ts'
import { type AdminClient, adminOf } from './admin-client.ts'
import type { AdminAt } from './usage.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumbline-admin-'))
  await writeFile(join(folder, 'token'), 'letmein\n')
})
afterAll(() => rm(folder, { recursive: true }))

let server: AdminServer | undefined
afterEach(async () => {
  await server?.stop()
  server = undefined
})

async function served(): Promise<string> {
  server = createAdminServer({
    address: '127.0.0.1:0',
    routes: [{ path: '/secret', secret: true, answer: () => ({ status: 200, json: { is: 'out' } }) }],
    authorize: (shown) => (shown === 'Bearer letmein' ? 'yes' : 'no'),
  })
  return server.start()
}

async function config(text: string): Promise<string> {
  const file = join(folder, 'plumbline.yaml')
  await writeFile(file, text)
  return file
}

async function client(at: AdminAt): Promise<AdminClient> {
  const found = await adminOf(at)
  if ('wrong' in found) throw new Error(found.wrong)
  return found
}

describe('the admin client', () => {
  test('finds address and token in a configuration, whatever else that needs', async () => {
    const address = await served()
    const file = await config(
      `pipeline: {outbound: {plugins: [{name: ibac, config: {judge_bearer: "\${NOT_SET_HERE}"}}]}}
admin: {address: "${address}", token_file: "${join(folder, 'token')}"}`,
    )
    const found = await client({ config: file })
    expect([found.address, found.hasToken]).toEqual([address, true])
    expect(await found.get('/secret')).toMatchObject({ kind: 'answer', status: 200, json: { is: 'out' } })
  })

  test('takes both from the command line', async () => {
    const admin = await served()
    expect(await (await client({ admin })).get('/secret')).toMatchObject({ status: 401 })
    const tokenFile = join(folder, 'token')
    expect(await (await client({ admin, tokenFile })).get('/secret')).toMatchObject({ status: 200 })
  })

  test.each([
    ['admin: {address: "0.0.0.0:9999"}', '127.0.0.1:9999'],
    ['admin: {address: "[::]:9999"}', '[::1]:9999'],
    ['pipeline: {}', '127.0.0.1:9094'],
  ])('%s is reached at %s', async (text, address) => {
    expect((await client({ config: await config(text) })).address).toBe(address)
  })

  test('says that nobody is there', async () => {
    const admin = await served()
    await server?.stop()
    expect(await (await client({ admin })).get('/secret')).toMatchObject({
      kind: 'unreachable',
      why: expect.stringContaining('ECONNREFUSED') as string,
    })
  })

  test.each([
    [{ config: '/nowhere.yaml' }, /nowhere\.yaml: cannot be read/],
    [{ admin: 'no address' }, /is no host:port/],
    [{ admin: '127.0.0.1:0' }, /port 0/],
    [{ tokenFile: '/nowhere' }, /token cannot be read/],
  ])('%j is wrong use', async (at, message) => {
    expect(await adminOf(at)).toEqual({ wrong: expect.stringMatching(message) as string })
  })

  test('wants the token itself where the configuration is a copy whose file is elsewhere', async () => {
    const copy = await config('admin: {token_file: /nowhere/token}')
    expect(await adminOf({ config: copy })).toEqual({
      wrong: expect.stringMatching(/cannot be read.*; give it by --token-file FILE$/) as string,
    })
    expect(await client({ config: copy, tokenFile: join(folder, 'token') })).toMatchObject({ hasToken: true })
  })

  test('says what is wrong in the section', async () => {
    const file = await config('admin: {adress: "127.0.0.1:1"}')
    expect(await adminOf({ config: file })).toEqual({
      wrong: expect.stringContaining('admin.adress: unknown key') as string,
    })
  })
})
