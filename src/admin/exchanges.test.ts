import { afterEach, describe, expect, test } from 'vitest'
import { createRecent } from '../observe/recent.ts'
import { exchangeRoutes } from './exchanges.ts'
import { metricsRoute } from './metrics.ts'
import { type AdminOptions, type AdminServer, createAdminServer } from './server.ts'

let server: AdminServer | undefined
afterEach(() => server?.stop())

const ID = 'a/b c%'

async function served(authorize: AdminOptions['authorize'] = () => 'yes'): Promise<string> {
  const recent = createRecent(200)
  for (let index = 0; index < 150; index += 1) {
    const record = { requestId: `r-${index}`, host: 'h', invocations: [], plugins: { secret: true } }
    recent.add(record.requestId, JSON.stringify(record))
  }
  recent.add(ID, JSON.stringify({ requestId: ID, invocations: [{ plugin: 'ibac' }] }))
  const routes = [
    ...exchangeRoutes(recent),
    metricsRoute(() => Promise.resolve({ text: 'up 1\n', type: 'text/plain; version=0.0.4; charset=utf-8' })),
  ]
  server = createAdminServer({ address: '127.0.0.1:0', routes, authorize })
  return `http://${await server.start()}`
}

async function get(path: string, authorize?: AdminOptions['authorize']): Promise<{ status: number; json: unknown }> {
  const response = await fetch((await served(authorize)) + path)
  return { status: response.status, json: await response.json() }
}

describe('recent exchanges', () => {
  test('are listed in short, newest first', async () => {
    const { status, json } = await get('/v1/exchanges?limit=2')
    expect(status).toBe(200)
    expect(json).toEqual({ exchanges: [{ requestId: ID }, { requestId: 'r-149', host: 'h' }] })
  })

  test.each([
    ['', 20],
    ['?limit=1', 1],
    ['?limit=100000', 100],
  ])('as many as asked for: %s', async (query, count) => {
    const { json } = await get(`/v1/exchanges${query}`)
    expect((json as { exchanges: unknown[] }).exchanges).toHaveLength(count)
  })

  test.each(['0', '-1', 'many', '1e3', ''])('but not limit=%s', async (limit) => {
    expect(await get(`/v1/exchanges?limit=${limit}`)).toMatchObject({ status: 400, json: { error: 'bad_request' } })
  })

  test('are found whole by their id', async () => {
    const found = await get(`/v1/exchanges/${encodeURIComponent(ID)}`)
    expect(found).toEqual({ status: 200, json: { exchanges: [{ requestId: ID, invocations: [{ plugin: 'ibac' }] }] } })
  })

  test.each(['/v1/exchanges/unknown', '/v1/exchanges/'])('%s is not found', async (path) => {
    expect(await get(path)).toMatchObject({ status: 404, json: { error: 'not_found' } })
  })

  test('a path that is no text is a bad request', async () => {
    expect(await get('/v1/exchanges/%ff')).toMatchObject({ status: 400, json: { error: 'bad_request' } })
  })

  test.each(['/v1/exchanges', '/v1/exchanges/r-1'])('%s is only for who shows the token', async (path) => {
    expect(await get(path, () => 'no')).toMatchObject({ status: 401, json: { error: 'unauthorized' } })
    await server?.stop()
    expect(await get(path, () => 'unset')).toMatchObject({ status: 403, json: { error: 'no_token_configured' } })
  })
})

test('metrics are open, and text', async () => {
  const response = await fetch(`${await served(() => 'unset')}/metrics`)
  expect([response.status, await response.text()]).toEqual([200, 'up 1\n'])
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
})
