import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { CANARY_HEADER, CANARY_HOST } from '../../src/core/canary.ts'
import { judgedChains } from '../support/chains.ts'
import { useStage } from '../support/e2e.ts'
import { allow, startJudge } from '../support/judge.ts'
import type { StubJudge } from '../support/judge.ts'
import { a2aAnswer, a2aSend, MCP_HEADERS, mcpCall } from '../support/messages.ts'
import { sayJson } from '../support/scripted-agent.ts'
import { startUpstream } from '../support/upstream.ts'
import type { Upstream } from '../support/upstream.ts'

/* A canary's stream is ended with an error: what the gateway does then is what it does whenever there is no verdict. */

let judge: StubJudge
let world: Upstream
const prepare = async (protocol: 'h1' | 'h2') => {
  judge = await startJudge(allow)
  world = await startUpstream(protocol)
  return { config: judgedChains({ judgeUrl: judge.url }) }
}
const close = { host: `${CANARY_HOST}:80`, headers: { ...MCP_HEADERS, [CANARY_HEADER]: 'close' } }

describe.each(['h1', 'h2'] as const)('%s', (protocol) => {
  describe('as shipped, the gateway refuses', () => {
    const { stage, expectLosses } = useStage(() => prepare(protocol))
    afterAll(() => Promise.all([judge.close(), world.close()]))
    const lookUps = () => stage().envoy.stats('dns_query_attempt')

    test.each([
      ['POST', mcpCall('send_mail', { to: 'x' })],
      ['GET', undefined],
    ])('an outbound %s; no name is looked up, and no judge asked', async (method, body) => {
      expectLosses({ streams_failed: 1 })
      const before = await lookUps()
      expect(before).toEqual({ 'dns_cache.by_host.dns_query_attempt': 0 })
      const got = await stage()
        .client(protocol, 'outbound')
        .send({ ...close, method, ...(body === undefined ? {} : { body }) })
      expect(got.status).toBe(503)
      expect(await lookUps()).toEqual(before)
      expect(judge.questions).toEqual([])
      const record = await stage().plumbline().record(got.requestId)
      expect(record).toMatchObject({ direction: 'outbound', host: CANARY_HOST, method, phase: 'request' })
      expect(record).not.toHaveProperty('statusCode')
      expect(record.invocations).toContainEqual(
        expect.objectContaining({ plugin: 'plumbline', action: 'failed', reason: 'canary' }),
      )
    })

    test('an inbound one; the agent hears nothing, and of its twin everything', async () => {
      expectLosses({ streams_failed: 1 })
      stage().agent.answer(sayJson(a2aAnswer('Working on it.')))
      const client = stage().client(protocol, 'inbound')
      const connections = stage().agent.connections()
      const got = await client.send({ ...close, body: a2aSend('Hello.') })
      expect([got.status, stage().agent.connections()]).toEqual([503, connections])
      expect(await stage().plumbline().record(got.requestId)).toMatchObject({ direction: 'inbound', host: CANARY_HOST })
      const twin = await client.send({
        ...close,
        headers: { ...close.headers, [CANARY_HEADER]: 'open' },
        body: a2aSend('Hello.'),
      })
      expect([twin.status, stage().agent.arrivals.length]).toEqual([200, 1])
    })
  })

  describe('where it fails open, the request goes on', () => {
    const { stage, expectLosses } = useStage(async () => {
      const options = await prepare(protocol)
      return {
        ...options,
        names: { [CANARY_HOST]: world.port },
        changeEnvoy: (rendered) => rendered.replaceAll('"failure_mode_allow": false', '"failure_mode_allow": true'),
      }
    })
    afterAll(() => Promise.all([judge.close(), world.close()]))
    beforeEach(() => stage().agent.answer(sayJson(a2aAnswer('Working on it.'))))

    test.each(['outbound', 'inbound'] as const)('%s', async (direction) => {
      expectLosses({ streams_failed: 1, failure_mode_allowed: 1 })
      const got = await stage()
        .client(protocol, direction)
        .send({ ...close, body: a2aSend('Hello.') })
      const behind = direction === 'outbound' ? world : stage().agent
      expect([got.status, behind.arrivals.length]).toEqual([200, 1])
      expect(judge.questions).toEqual([])
    })
  })
})
