import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { prepareApart } from '../support/apart.ts'
import type { Apart } from '../support/apart.ts'
import type { Client, Got } from '../support/clients.ts'
import type { Envoy } from '../support/envoy.ts'
import {
  answerLate,
  FAULTY_TYPES,
  GATE_FAULTS,
  INSIDE,
  PARSER_FAULTS,
  READER_FAULTS,
} from '../support/faulty-plugins.ts'
import { startHere } from '../support/here.ts'
import type { Here } from '../support/here.ts'
import { lossesSince, NO_LOSS, readLosses } from '../support/losses.ts'
import { sightOf } from '../support/sight.ts'

/*
 * A plugin that fails, behind a real Envoy, in every way that it can. Plumbline runs in this process, since no plugin
 * that ships fails on demand. Outbound everything enforces, inbound everything observes: the same fault refuses there
 * and passes here.
 */

const DEADLINE_MS = 700
/** One entry for a plugin that failed. */
const failed = (plugin: string, reason = 'plugin_failed') =>
  expect.objectContaining({ plugin, action: 'failed', reason }) as unknown

let apart: Apart
let envoy: Envoy
let here: Here
const clients: { inbound?: Client; outbound?: Client } = {}

function startWith(plugins: readonly string[]): Promise<Here> {
  const placed = (on_error: string) => ({ plugins: plugins.map((name) => ({ name, on_error })) })
  const pipeline = { inbound: placed('observe'), outbound: placed('enforce') }
  return startHere(apart, FAULTY_TYPES, { pipeline, listener: { verdict_deadline_ms: DEADLINE_MS } })
}

const recordOf = (got: Got) => here.record(got.requestId)

async function send(direction: 'inbound' | 'outbound', path: string): Promise<Got> {
  const client = (clients[direction] ??= apart.client(envoy, direction))
  return client.send({ host: 'upstream.test', path, body: '{"secret":"TX-991"}' })
}

/** Refused with the code, while a twin that nothing fails for arrives before and after it. */
async function expectRefused(path: string, code: string, status = 503): Promise<Got> {
  expect((await send('outbound', '/twin')).status).toBe(200)
  const before = sightOf(apart.upstream)
  const got = await send('outbound', path)
  expect([got.status, (JSON.parse(got.text) as { error: string }).error]).toEqual([status, code])
  expect(got.text).not.toContain(INSIDE)
  answerLate()
  expect((await envoy.accessLine(got.requestId)).details).toBe(code)
  expect(sightOf(apart.upstream)).toEqual(before)
  expect((await send('outbound', '/twin')).status).toBe(200)
  expect(apart.upstream.arrivals.length).toBe(before.arrivals + 1)
  return got
}

/** Passed on to the agent, as it would be without the plugin. */
async function expectPassed(path: string): Promise<Got> {
  const got = await send('inbound', path)
  expect([got.status, got.text]).toEqual([200, 'hello from upstream'])
  expect(apart.agent.arrivals.at(-1)).toMatchObject({ path, body: Buffer.from('{"secret":"TX-991"}') })
  return got
}

beforeAll(async () => {
  apart = await prepareApart()
  envoy = await apart.startEnvoy()
})
afterAll(async () => {
  expect(lossesSince(NO_LOSS, await readLosses(envoy)), 'exchanges that were lost').toEqual(NO_LOSS)
  await apart.close()
})

function useChain(plugins: readonly string[]): void {
  beforeAll(async () => {
    here = await startWith(plugins)
  })
  afterAll(() => here.close())
}

describe('a gate', () => {
  useChain(['faulty-gate'])
  const late = new Set(['never-settles', 'allows-after-the-deadline'])

  describe.each(Object.keys(GATE_FAULTS))('that %s', (fault) => {
    const path = `/gate/${fault}`
    const reason = late.has(fault) ? 'deadline' : 'plugin_failed'

    test('refuses where it enforces', async () => {
      const got = await expectRefused(path, `plumbline.${reason}`)
      const { phase, statusCode, invocations } = await recordOf(got)
      expect({ phase, statusCode }).toEqual({ phase: 'denied', statusCode: 503 })
      expect(invocations).toEqual([
        { plugin: 'faulty-gate', action: 'failed', phase: 'request', reason, actionId: 0 },
        { plugin: 'plumbline', action: 'deny', phase: 'request', reason },
      ])
    })

    test('passes where it observes, and the record says what would have been', async () => {
      const got = await expectPassed(path)
      const { phase, statusCode, invocations } = await recordOf(got)
      expect({ phase, statusCode }).toEqual({ phase: 'response', statusCode: 200 })
      expect(invocations).toEqual([
        { plugin: 'faulty-gate', action: 'failed', phase: 'request', reason, actionId: 0, shadow: true },
      ])
    })
  })

  test.each(['throws', 'returns-a-promise'])('whose exemption %s exempts nothing', async (fault) => {
    await expectRefused(`/exempt/${fault}`, 'test.no', 403)
  })
})

describe('a parser', () => {
  describe.each([
    ['in front of gates', ['faulty-parser', 'faulty-gate']],
    ['by itself', ['faulty-parser']],
  ])('%s', (_where, plugins) => {
    useChain(plugins)

    describe.each(Object.keys(PARSER_FAULTS))('that %s', (fault) => {
      const path = `/parser/${fault}`

      test('refuses where it enforces', async () => {
        const { invocations } = await recordOf(await expectRefused(path, 'plumbline.plugin_failed'))
        expect(invocations).toContainEqual(failed('faulty-parser'))
        expect(invocations.some(({ shadow }) => shadow)).toBe(false)
      })

      test('passes where it observes, and the record says what would have been', async () => {
        const { invocations } = await recordOf(await expectPassed(path))
        expect(invocations).toContainEqual(failed('faulty-parser'))
        expect(invocations).toContainEqual(
          expect.objectContaining({ plugin: 'plumbline', action: 'deny', reason: 'plugin_failed', shadow: true }),
        )
      })
    })

    test.each(Object.keys(READER_FAULTS))('whose answer reader %s loses its words, not the answer', async (fault) => {
      for (const direction of ['inbound', 'outbound'] as const) {
        const got = await send(direction, `/reader/${fault}`)
        expect([got.status, got.text]).toEqual([200, 'hello from upstream'])
        const { phase, invocations } = await recordOf(got)
        expect(phase).toBe('response')
        expect(invocations.filter((entry) => entry.phase === 'response')).toContainEqual(failed('faulty-parser'))
      }
    })
  })

  describe('in front of gates', () => {
    useChain(['faulty-parser', 'faulty-gate'])

    test('that cannot say whether it wants the body gets it, and the gate judges', async () => {
      for (const direction of ['inbound', 'outbound'] as const) {
        const got = await send(direction, '/ground/throws')
        expect(got.status).toBe(200)
        expect((await recordOf(got)).invocations).toContainEqual(
          expect.objectContaining({ plugin: 'faulty-gate', action: 'allow' }),
        )
      }
    })

    test('that cannot word a refusal does not take it back', async () => {
      await expectRefused('/deny', 'test.no', 403)
    })
  })
})
