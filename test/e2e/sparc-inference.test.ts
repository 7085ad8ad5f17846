import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ExchangeRecord } from '../../src/core/record.ts'
import { acknowledging } from '../support/acks.ts'
import { Closing } from '../support/closing.ts'
import { answerWith, DIALECT_SERVERS } from '../support/completions/dialects.ts'
import type { Call, Turn } from '../support/completions/dialects.ts'
import { useStage } from '../support/e2e.ts'
import { ackedEvents } from '../support/events.ts'
import { deny, startJudge } from '../support/judge.ts'
import type { StubJudge } from '../support/judge.ts'
import type { PlumblineConfig } from '../support/plumbline.ts'
import { approve, reject, rejectTool, startReflector, UNGROUNDED } from '../support/reflector.ts'
import type { Reflecting, StubReflector } from '../support/reflector.ts'
import { proxiedFetch } from '../support/sdk/fetch.ts'
import type { WatchedFetch } from '../support/sdk/fetch.ts'
import { anthropicClient, openAiClient } from '../support/sdk/model-clients.ts'
import type { Line, ModelClient } from '../support/sdk/model-clients.ts'
import { sha256 } from '../support/upstream.ts'
import type { Answerer } from '../support/upstream.ts'

/*
 * Calls that a model proposes, judged before the agent has them: through a real Envoy, by the official clients of two
 * vendors, unmodified. What is asserted is what their own accumulation made of the answer.
 */

const REFUND: Call = { id: 'call_r1', name: 'refund', args: { transaction_id: 'TX-31337' } }
const BALANCE: Call = { id: 'call_b2', name: 'balance', args: { account: 'A-1' } }
const TEXT = 'Let me do that.'

const world = new Closing()
let reflector: StubReflector
let judge: StubJudge
let outward: WatchedFetch

const chain = (sparc: Readonly<Record<string, unknown>>, more: readonly object[] = []): PlumblineConfig => ({
  pipeline: {
    inbound: { plugins: ['a2a-parser'] },
    outbound: {
      plugins: [
        'inference-parser',
        ...(more as Readonly<Record<string, unknown>>[]),
        { name: 'sparc', config: { reflector_endpoint: reflector.url, enforcement: 'inference', ...sparc } },
      ],
    },
  },
})

const { stage } = useStage(async () => {
  reflector = world.add(await startReflector())
  judge = world.add(await startJudge())
  return { config: chain({}), messageTimeoutMs: 40_000 }
})
beforeAll(() => {
  outward = world.add(proxiedFetch(stage().envoy.outboundPort))
})
beforeEach(() => reflector.reflect(approve))
afterAll(() => world.close())

/** Runs a group of tests with another configuration. */
function configured(config: () => PlumblineConfig): void {
  beforeAll(() => stage().restartPlumbline(config()))
}

/** The record of the newest exchange. */
async function lastRecord(): Promise<ExchangeRecord> {
  const requestId = outward.fetched.at(-1)?.answer?.requestId
  if (requestId === undefined) throw new Error('The last exchange had no answer.')
  return stage().plumbline().record(requestId)
}

const ruled = (record: ExchangeRecord, plugin = 'sparc') =>
  record.invocations.filter((entry) => entry.plugin === plugin).map((entry) => `${entry.action}/${entry.reason}`)

const BASE = 'http://upstream.test'
const CLIENTS: readonly ((through: typeof fetch, tools?: []) => ModelClient)[] = [
  (through, tools) => openAiClient(BASE, through, tools),
  (through, tools) => anthropicClient(BASE, through, tools),
]
const FORMS = DIALECT_SERVERS.flatMap((server, position) =>
  ['whole', 'streamed'].map((form) => ({ server, clientOf: CLIENTS[position], form, dialect: server.name })),
)

const ASKED: readonly Line[] = [{ kind: 'user', text: 'Please refund my coffee.' }]

describe.each(FORMS)('$dialect, $form', ({ server, clientOf, form }) => {
  const stream = form === 'streamed'
  const client = (tools?: []) => {
    if (clientOf === undefined) throw new Error('There is no client for this dialect.')
    return clientOf(outward.fetch, tools)
  }
  /** The model says this turn; what the client heard, and what is recorded. */
  const ask = async (turn: Turn, lines: readonly Line[] = ASKED, tools?: []) => {
    stage().upstream.answer(answerWith(server, () => turn))
    const heard = await client(tools).ask(lines, stream)
    return { heard, record: await lastRecord() }
  }
  const expectNoCall = ({ heard, record }: Awaited<ReturnType<typeof ask>>) => {
    expect(heard, JSON.stringify(record.invocations)).toMatchObject({
      calls: [],
      hasCallsKey: false,
      stop: client().stops.without,
    })
    expect(heard.text).not.toContain('TX-31337')
  }

  describe('reflect', () => {
    configured(() => chain({ cache_ttl_ms: 0 }))

    // req: sparc:end_to_end:grounded
    test('a grounded call arrives as it was proposed', async () => {
      const { heard, record } = await ask({ text: TEXT, calls: [REFUND] })
      expect(heard).toEqual({ text: TEXT, calls: [REFUND], stop: client().stops.withCalls, hasCallsKey: true })
      expect(ruled(record)).toEqual(['allow/approved'])
    })

    // req: sparc:end_to_end:every_input, sparc:parsers:tools_form
    test('the reflector sees the whole conversation, the tools and the call', async () => {
      const lines: readonly Line[] = [
        ...ASKED,
        { kind: 'assistant', text: 'I look it up.', calls: [BALANCE] },
        { kind: 'result', callId: BALANCE.id, text: 'You have 40.' },
      ]
      await ask({ calls: [REFUND] }, lines)
      const { body } = reflector.questions.at(-1) ?? {}
      expect(body).toMatchObject({
        track: 'fast_track',
        messages: [
          { role: 'system', content: 'You are a careful clerk.' },
          { role: 'user', content: 'Please refund my coffee.' },
          {
            role: 'assistant',
            content: 'I look it up.',
            tool_calls: [{ id: BALANCE.id, type: 'function', function: { name: 'balance' } }],
          },
          { role: 'tool', content: 'You have 40.', tool_call_id: BALANCE.id },
        ],
        tool_specs: [
          {
            type: 'function',
            function: { name: 'refund', parameters: { properties: { transaction_id: { type: 'string' } } } },
          },
          { type: 'function', function: { name: 'balance' } },
        ],
        tool_calls: [{ type: 'function', function: { name: 'refund' } }],
      })
      expect(JSON.parse(body?.tool_calls[0]?.function.arguments ?? '')).toEqual(REFUND.args)
    })

    // req: sparc:end_to_end:reflected_completion, sparc:end_to_end:streamed_calls, sparc:end_to_end:event
    // req: sparc:reason:reflected, sparc:record:verdict
    test('a rejected call comes back as words, and the agent asks', async () => {
      reflector.reflect(reject())
      const asked = await ask({ text: TEXT, calls: [REFUND] })
      expectNoCall(asked)
      expect(asked.heard.text).toContain(TEXT)
      expect(asked.heard.text).toContain(UNGROUNDED)
      expect(ruled(asked.record)).toEqual(['modify/reflected'])
      expect(asked.record.plugins?.['sparc']).toEqual([
        expect.objectContaining({ decision: 'reject', score: 0.2, track: 'fast_track', enforcement: 'inference' }),
      ])
    })

    // req: sparc:end_to_end:several_calls, sparc:end_to_end:streamed_calls
    test('of several calls only the rejected one is taken out', async () => {
      reflector.reflect(rejectTool('refund'))
      const { heard, record } = await ask({ text: TEXT, calls: [REFUND, BALANCE] })
      expect(heard.calls).toEqual([BALANCE])
      expect(heard.stop).toBe(client().stops.withCalls)
      expect(heard.text).toContain(UNGROUNDED)
      expect(ruled(record).sort()).toEqual(['allow/approved', 'modify/reflected'])
    })

    test('all calls rejected: none is left, nor a key for them', async () => {
      reflector.reflect(reject())
      expectNoCall(await ask({ calls: [REFUND, BALANCE] }))
    })

    test('an answer without calls passes byte for byte', async () => {
      const questions = reflector.questions.length
      const { heard, record } = await ask({ text: TEXT })
      expect(heard).toMatchObject({ text: TEXT, calls: [], stop: client().stops.without })
      expect(ruled(record)).toEqual(['skip/no_proposed_call'])
      expect(reflector.questions).toHaveLength(questions)
    })

    test('bytes are as they were sent when nothing is rejected, and members that nobody knows survive', async () => {
      const turn = { text: TEXT, calls: [REFUND, BALANCE] }
      const send = async () => {
        const body = JSON.stringify({
          ...{ model: 'm', stream, max_tokens: 9, messages: [{ role: 'user', content: 'Refund.' }] },
          tools: [{ type: 'function', function: { name: 'refund' } }],
        })
        stage().upstream.answer(answerWith(server, () => turn))
        const agent = stage().client('h1', 'outbound')
        const headers = { 'content-type': 'application/json' }
        return agent.send({ host: 'upstream.test', path: server.path, body, headers })
      }
      const original = stream ? server.events(turn).join('') : server.whole(turn)
      const passed = await send()
      expect(sha256(passed.body)).toBe(sha256(Buffer.from(original)))
      reflector.reflect(rejectTool('refund'))
      const edited = await send()
      expect(edited.text).not.toContain(REFUND.id)
      expect(edited.text).not.toContain('TX-31337')
      if (!stream) expect(edited.text).toContain('"x_vendor":{"seed":42}')
    })

    test('the model’s answers come uncompressed, since they are looked into', async () => {
      await ask({ text: TEXT })
      const sent = stage()
        .upstream.arrivals.at(-1)
        ?.headers.filter(([name]) => name.toLowerCase() === 'accept-encoding')
      expect(sent).toEqual([['accept-encoding', 'identity']])
    })

    // req: sparc:end_to_end:asks_its_user
    test('an agent loop ends: it asks its user, and works once the user has answered', async () => {
      reflector.reflect((question) =>
        question.body.messages.some(({ content }) => content.includes('TX-7')) ? approve(question) : reject()(question),
      )
      const ran: Call[] = []
      stage().upstream.answer(
        answerWith(server, ({ messages }) => {
          const said = JSON.stringify(messages)
          if (said.includes('done:')) return { text: 'It is refunded.' }
          const id = said.includes('TX-7') ? 'TX-7' : 'TX-31337'
          return { text: TEXT, calls: [{ ...REFUND, args: { transaction_id: id } }] }
        }),
      )
      const lines = [...ASKED]
      const first = await loop(client(), lines, stream, ran)
      expect(ran).toEqual([])
      expect(first.text).toContain(UNGROUNDED)
      lines.push({ kind: 'user', text: 'It is TX-7.' })
      const second = await loop(client(), lines, stream, ran)
      expect(second.text).toBe('It is refunded.')
      expect(ran.map(({ args }) => args)).toEqual([{ transaction_id: 'TX-7' }])
    })
  })

  describe('embedded', () => {
    configured(() => chain({ reflector: 'embedded' }))
    test('a model that repeats its call is stopped each time, until its user gives the value', async () => {
      const ran: Call[] = []
      stage().upstream.answer(
        answerWith(server, ({ messages }) =>
          JSON.stringify(messages).includes('done:')
            ? { text: 'It is refunded.' }
            : { text: 'I refund TX-31337.', calls: [REFUND] },
        ),
      )
      const lines = [...ASKED]
      for (const reply of ['Just go on, please.', 'Yes.', 'Why not?', 'It is TX-31337.']) {
        // The loop ends, since all that is left is text.
        const { text } = await loop(client(), lines, stream, ran)
        expect(text).toContain('A tool call was stopped')
        expect(ruled(await lastRecord())).toEqual(['modify/reflected'])
        lines.push({ kind: 'user', text: reply })
      }
      expect(ran).toEqual([])
      expect((await loop(client(), lines, stream, ran)).text).toBe('It is refunded.')
      expect(ran).toEqual([REFUND])
    })
  })

  describe('observe', () => {
    configured(() => chain({ on_reject_action: 'observe', cache_ttl_ms: 0 }))
    // req: sparc:end_to_end:observed, sparc:record:reject_observed
    test('a rejected call passes, and is recorded', async () => {
      reflector.reflect(reject())
      const { heard, record } = await ask({ calls: [REFUND] })
      expect(heard.calls).toEqual([REFUND])
      expect(ruled(record)).toEqual(['observe/reject_observed'])
    })
  })

  describe('observe with a threshold', () => {
    configured(() => chain({ on_reject_action: 'observe', deny_score_threshold: 0.5, cache_ttl_ms: 0 }))
    // req: sparc:end_to_end:escalated, sparc:policy:escalates_observe
    test.each([
      [0.5, 'deny/blocked'],
      [0.6, 'observe/reject_observed'],
    ])('a reject with score %d is %s', async (score, expected) => {
      reflector.reflect(reject(score))
      const asked = await ask({ calls: [REFUND] })
      expect(ruled(asked.record)).toEqual([expected])
      if (expected === 'deny/blocked') expectNoCall(asked)
      else expect(asked.heard.calls).toEqual([REFUND])
    })
  })

  describe('deny', () => {
    configured(() => chain({ on_reject_action: 'deny', cache_ttl_ms: 0 }))
    // req: sparc:end_to_end:blocked_completion, sparc:reason:blocked
    test('the completion becomes a refusal, which quotes nothing', async () => {
      reflector.reflect(reject())
      const asked = await ask({ calls: [REFUND] })
      expectNoCall(asked)
      expect(asked.heard.text).toContain('sparc.blocked')
      expect(asked.heard.text).not.toContain(UNGROUNDED)
      expect(ruled(asked.record)).toEqual(['deny/blocked'])
    })
  })

  const FAILURES: readonly (readonly [string, Reflecting])[] = [
    ['an error', () => ({ status: 500 })],
    ['no decision', () => ({ decision: 'error', issues: [], overall_avg_score: null, execution_time_ms: 1 })],
    ['silence', () => 'silence'],
  ]
  describe('fail_policy: open', () => {
    configured(() => chain({ timeout_ms: 300 }))
    // req: sparc:end_to_end:unavailable_open, sparc:reason:reflector_unavailable
    test.each(FAILURES)('%s: the call passes, and the record says so', async (_name, failing) => {
      reflector.reflect(failing)
      const { heard, record } = await ask({ text: TEXT, calls: [REFUND] })
      expect(heard).toMatchObject({ text: TEXT, calls: [REFUND] })
      expect(ruled(record)).toEqual(['failed/reflector_unavailable'])
    })

    test('without tools there is nothing to hold a call against: it passes, and the record says so', async () => {
      const { heard, record } = await ask({ calls: [REFUND] }, ASKED, [])
      expect(heard.calls).toEqual([REFUND])
      expect(ruled(record)).toEqual(['skip/no_inference_context'])
    })
  })
  describe('fail_policy: closed', () => {
    configured(() => chain({ timeout_ms: 300, fail_policy: 'closed' }))
    // req: sparc:end_to_end:unavailable_closed, sparc:reason:reflector_unavailable
    test.each(FAILURES)('%s: the call does not pass', async (_name, failing) => {
      reflector.reflect(failing)
      const asked = await ask({ text: TEXT, calls: [REFUND] })
      expectNoCall(asked)
      expect(asked.heard.text).toContain('sparc.reflector_unavailable')
    })

    test('without tools there is nothing to hold a call against: it does not pass', async () => {
      const asked = await ask({ calls: [REFUND] }, ASKED, [])
      expectNoCall(asked)
      expect(asked.heard.text).toContain('sparc.no_inference_context')
    })
  })

  describe('ibac looks at completions first', () => {
    configured(() =>
      chain({ cache_ttl_ms: 0 }, [
        {
          name: 'ibac',
          config: {
            ...{ judge_endpoint: judge.url, judge_model: 'stub', judge_completions: true },
            ...{ no_intent_policy: 'deny', cache_ttl_ms: 0 },
          },
        },
      ]),
    )
    // req: sparc:end_to_end:after_ibac
    test('a call that it denies is not reflected on, and never comes out', async () => {
      judge.judge(deny)
      const questions = reflector.questions.length
      const asked = await ask({ calls: [REFUND] })
      expectNoCall(asked)
      expect(reflector.questions).toHaveLength(questions)
      expect(ruled(asked.record)).toEqual(['skip/not_reached'])
      expect(asked.heard.text).toContain('ibac.')
    })
  })

  describe('lists of tools', () => {
    configured(() => chain({ skip_tools: ['ref*'], reflect_tools: ['refund', 'balance'] }))
    // req: sparc:end_to_end:tools_lists
    test('skip_tools wins over reflect_tools', async () => {
      reflector.reflect(reject())
      const { heard, record } = await ask({ calls: [REFUND, BALANCE] })
      expect(heard.calls).toEqual([REFUND])
      expect(ruled(record)).toHaveLength(2)
    })
  })

  if (stream) {
    describe('what is held', () => {
      configured(() => chain({ cache_ttl_ms: 0 }))
      const send = (answerer: Answerer, onPiece: (piece: Buffer) => void) => {
        stage().upstream.answer(answerer)
        const body = JSON.stringify({
          ...{ model: 'm', stream, max_tokens: 9, messages: [{ role: 'user', content: 'Refund.' }] },
          tools: [{ type: 'function', function: { name: 'refund' } }],
        })
        return stage()
          .client('h1', 'outbound')
          .send({
            host: 'upstream.test',
            path: server.path,
            body,
            headers: { 'content-type': 'application/json' },
            onPiece,
          })
      }
      const isText = (event: string) => !event.includes('refund') && event.includes('Let')

      test('text arrives event by event, before the model has written its call', async () => {
        const events = server.events({ text: TEXT })
        const acked = ackedEvents(events)
        const got = await send(acked.answer, acknowledging(acked))
        expect(got.text).toBe(events.join(''))
      })

      test('text in the same piece as a finished call does not wait for its verdict', async () => {
        let seeText: () => void = () => undefined
        const textSeen = new Promise<void>((done) => (seeText = done))
        reflector.reflect(async (question) => {
          await textSeen
          return approve(question)
        })
        const whole = server.events({ text: TEXT, calls: [REFUND] }).join('')
        const got = await send(
          (_arrival, outgoing) => {
            outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
            outgoing.end(whole)
          },
          acknowledging({ acknowledge: () => undefined }, (event) => {
            if (isText(event)) seeText()
          }),
        )
        expect(got.text).toBe(whole)
      })

      test('the upstream breaks off within a call: no byte of it comes out', async () => {
        const events = server.events({ text: TEXT, calls: [REFUND] })
        const within = events.findIndex((event) => event.includes('transaction'))
        let text = ''
        let seeText: () => void = () => undefined
        const textSeen = new Promise<void>((done) => (seeText = done))
        await send(
          async (_arrival, outgoing) => {
            outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
            for (const event of events.slice(0, within + 1)) outgoing.write(event)
            await textSeen
            outgoing.destroy()
          },
          (piece) => {
            text += piece.toString()
            if (text.includes('Let')) seeText()
          },
        ).catch(() => undefined)
        expect(text).toContain('Let')
        expect(text).not.toContain('refund')
      })
    })
  }
})

/** What every agent does: asks the model, runs what it calls, and asks again, until it only speaks. */
async function loop(client: ModelClient, lines: Line[], stream: boolean, ran: Call[]) {
  for (let round = 0; round < 5; round += 1) {
    const heard = await client.ask(lines, stream)
    lines.push({ kind: 'assistant', text: heard.text, calls: heard.calls })
    if (heard.calls.length === 0) return heard
    for (const call of heard.calls) {
      ran.push(call)
      lines.push({ kind: 'result', callId: call.id, text: `done: ${JSON.stringify(call.args)}` })
    }
  }
  throw new Error('The loop did not end.')
}
