import { describe, expect, test } from 'vitest'
import { useStage } from '../support/e2e.ts'

const { stage } = useStage({ config: { pipeline: { inbound: { plugins: [] }, outbound: { plugins: [] } } } })

describe.each(['h1', 'h2'] as const)('%s: a request that nothing objects to', (protocol) => {
  test.each(['inbound', 'outbound'] as const)('passes %s and is recorded', async (direction) => {
    const client = stage().client(protocol, direction)
    const outbound = protocol === 'h1' ? stage().upstream : stage().upstream2
    const server = direction === 'inbound' ? stage().agent : outbound
    const host = protocol === 'h1' ? 'upstream.test' : 'upstream2.test'

    const got = await client.send({ host, path: '/hello?a=b', body: 'hello' })

    expect([got.status, got.text]).toEqual([200, 'hello from upstream'])
    expect(server.arrivals.at(-1)).toMatchObject({ method: 'POST', path: '/hello?a=b', body: Buffer.from('hello') })
    const record = await stage().plumbline().record(got.requestId)
    expect(record).toMatchObject({
      direction,
      workload: stage().workload,
      host,
      method: 'POST',
      path: '/hello',
      statusCode: 200,
    })
  })
})
