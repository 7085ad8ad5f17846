import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PLUGIN_TYPES } from '../../src/cli/plugins.ts'
import { prepareApart } from '../support/apart.ts'
import type { Apart } from '../support/apart.ts'
import type { Client, Got } from '../support/clients.ts'
import { chat } from '../support/completions/chat.ts'
import { answerWith } from '../support/completions/dialects.ts'
import type { Turn } from '../support/completions/dialects.ts'
import type { Envoy } from '../support/envoy.ts'
import { answerLate, FAULTY_TYPES, GATE_FAULTS, INSIDE } from '../support/faulty-plugins.ts'
import { startHere } from '../support/here.ts'
import type { Here } from '../support/here.ts'
import { lossesSince, NO_LOSS, readLosses } from '../support/losses.ts'
import { chatRequest } from '../support/messages.ts'

/*
 * A gate that fails while it looks at what a model proposes, behind a real Envoy, in every way that a gate can fail: one
 * that fails closed never lets the call out, one that fails open lets the whole answer pass, and both are recorded.
 */

const DEADLINE_MS = 700
const TURN: Turn = { text: 'I refund it.', calls: [{ id: 'call_1', name: 'refund', args: { id: 'TX-31337' } }] }
const LATE = new Set(['never-settles', 'allows-after-the-deadline'])

let apart: Apart
let envoy: Envoy
let client: Client
let here: Here

beforeAll(async () => {
  apart = await prepareApart()
  envoy = await apart.startEnvoy()
  client = apart.client(envoy, 'outbound')
  apart.upstream.answer(answerWith(chat, () => TURN))
})
afterAll(async () => {
  expect(lossesSince(NO_LOSS, await readLosses(envoy)), 'exchanges that were lost').toEqual(NO_LOSS)
  await apart.close()
})

const FORMS = [
  { form: 'whole', stream: false, original: chat.whole(TURN) },
  { form: 'streamed', stream: true, original: chat.events(TURN).join('') },
]

describe.each([
  ['that fails closed', 'closed-proposal-gate', 'enforce'],
  ['that fails open', 'open-proposal-gate', 'enforce'],
  ['that only observes', 'closed-proposal-gate', 'observe'],
])('a gate %s', (_how, gate, on_error) => {
  beforeAll(async () => {
    const outbound = { plugins: ['inference-parser', { name: gate, on_error }] }
    const config = { pipeline: { outbound }, listener: { verdict_deadline_ms: DEADLINE_MS } }
    here = await startHere(apart, [...PLUGIN_TYPES, ...FAULTY_TYPES], config)
  })
  afterAll(() => here.close())

  describe.each(FORMS)('an answer that comes $form', ({ stream, original }) => {
    const ask = (fault: string) =>
      client.send({
        host: 'upstream.test',
        path: `/gate/${fault}/chat/completions`,
        headers: { 'content-type': 'application/json' },
        body: chatRequest('Refund it.', { stream, tools: [{ type: 'function', function: { name: 'refund' } }] }),
      })
    const ruled = async (got: Got) =>
      (await here.record(got.requestId)).invocations.filter(
        ({ plugin, phase }) => plugin === gate && phase === 'response',
      )
    const expectTwin = async () => {
      const twin = await ask('none')
      expect([twin.status, twin.text]).toEqual([200, original])
      expect(await ruled(twin)).toMatchObject([{ action: 'allow', reason: 'aligned', actionId: 1 }])
    }

    test.each(Object.keys(GATE_FAULTS))('it %s', async (fault) => {
      await expectTwin()
      const got = await ask(fault)
      // Where nobody waits, it would still be in time for the record.
      if (on_error === 'enforce') answerLate()
      const reason = LATE.has(fault) ? 'deadline' : 'plugin_failed'
      const entry = { plugin: gate, action: 'failed', phase: 'response', reason, actionId: 1 }
      expect(got.status).toBe(200)
      if (gate === 'closed-proposal-gate' && on_error === 'enforce') {
        expect(got.text).not.toContain('TX-31337')
        expect(got.text).not.toContain('tool_calls')
        expect(got.text).toContain('I ')
        expect(got.text).toContain(`plumbline.${reason}`)
        expect(await ruled(got)).toEqual([entry])
      } else {
        expect(got.text).toBe(original)
        const how = on_error === 'observe' ? { shadow: true } : { details: { passed: true } }
        expect(await ruled(got)).toEqual([{ ...entry, ...how }])
      }
      expect(got.text).not.toContain(INSIDE)
      await expectTwin()
    })
  })
})
