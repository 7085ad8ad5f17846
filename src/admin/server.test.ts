import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { healthRoutes, type Readiness } from './health.ts'
import { type AdminServer, createAdminServer } from './server.ts'

const ready: Readiness = {
  state: 'ready',
  failsOpen: ['outbound/ibac: no_intent_policy is "allow"'],
  warnings: ['mind the gap'],
  figures: { sessions: 2 },
  configuration: { loadedAt: '2026-01-02T03:04:05.000Z', digest: 'd1', lastReload: undefined },
}

let server: AdminServer | undefined
afterEach(() => server?.stop())

async function started(readiness: () => Readiness): Promise<string> {
  server = createAdminServer({ address: '127.0.0.1:0', routes: healthRoutes(readiness), authorize: () => 'unset' })
  return `http://${await server.start()}`
}

describe('the admin server', () => {
  test.each([
    [{ ok: true, problems: [] }, { ok: true }],
    [
      { ok: false, problems: ['a: wrong'] },
      { ok: false, problems: ['a: wrong'] },
    ],
  ])('is ready whatever became of a reload: %j', async (last, shown) => {
    const at = '2026-01-02T03:04:06.000Z'
    const configuration = { ...ready.configuration, lastReload: { at, ...last } }
    const answer = await fetch(`${await started(() => ({ ...ready, configuration }))}/readyz`)
    expect([answer.status, await answer.json()]).toMatchObject([200, { configuration: { last_reload: shown } }])
  })

  test('binds any port and says which', async () => {
    const base = await started(() => ready)
    expect(base).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/)
  })

  test.each([
    ['GET', '/healthz', 200, { status: 'alive' }],
    ['GET', '/healthz?x=1', 200, { status: 'alive' }],
    [
      'GET',
      '/readyz',
      200,
      {
        ...{ status: 'ready', fails_open: ready.failsOpen, warnings: ready.warnings, figures: { sessions: 2 } },
        configuration: { loaded_at: '2026-01-02T03:04:05.000Z', digest: 'd1' },
        node: process.versions.node,
      },
    ],
    ['GET', '/', 404, { error: 'not_found' }],
    ['GET', '/readyz/', 404, { error: 'not_found' }],
    ['POST', '/readyz', 405, { error: 'method_not_allowed' }],
    ['DELETE', '/', 405, { error: 'method_not_allowed' }],
  ])('%s %s is %i', async (method, path, status, body) => {
    const response = await fetch(`${await started(() => ready)}${path}`, { method })
    expect([response.status, response.headers.get('content-type')]).toEqual([status, 'application/json'])
    expect(await response.json()).toEqual(body)
  })

  test('HEAD has no body', async () => {
    const response = await fetch(`${await started(() => ready)}/readyz`, { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
  })

  test.each(['starting', 'draining'] as const)('is not ready while %s, and alive all the same', async (state) => {
    const base = await started(() => ({ ...ready, state }))
    const readyz = await fetch(`${base}/readyz`)
    expect([readyz.status, await readyz.json()]).toMatchObject([503, { status: state }])
    expect((await fetch(`${base}/healthz`)).status).toBe(200)
  })

  test.each([
    ['say nothing', ''],
    ['never end what they say', 'GET /healthz HTTP/1.1\r\nhost: '],
    ['do not read what they asked for', 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(100)],
  ])('those who %s keep nobody out', async (_name, says) => {
    const base = await started(() => ready)
    const held = Array.from({ length: 80 }, () => connect(Number(new URL(base).port), '127.0.0.1').pause())
    const connected = held.map((socket) => new Promise((done) => socket.once('connect', done)))
    for (const socket of held) {
      socket.on('error', () => undefined)
      socket.write(says)
    }
    await Promise.all(connected)
    expect((await fetch(`${base}/healthz`)).status).toBe(200)
    for (const socket of held) socket.destroy()
  })

  test('tells no page of another origin anything', async () => {
    const base = await started(() => ready)
    const answer = await fetch(`${base}/readyz`, { headers: { origin: 'http://evil.example' } })
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('says that its port is taken', async () => {
    const address = (await started(() => ready)).replace('http://', '')
    await expect(createAdminServer({ address, routes: [], authorize: () => 'unset' }).start()).rejects.toMatchObject({
      code: 'EADDRINUSE',
    })
  })
})
