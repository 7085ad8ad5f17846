import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ExchangeRecord } from '../../src/core/record.ts'
import { Closing } from '../support/closing.ts'
import { chat } from '../support/completions/chat.ts'
import { answerWith } from '../support/completions/dialects.ts'
import type { Call } from '../support/completions/dialects.ts'
import { useStage } from '../support/e2e.ts'
import { INVENTED, judgeGrounding } from '../support/grounding-model.ts'
import { startJudge } from '../support/judge.ts'
import type { StubJudge } from '../support/judge.ts'
import { a2aAnswer, a2aSend } from '../support/messages.ts'
import type { PlumblineConfig } from '../support/plumbline.ts'
import { startReflectionService } from '../support/reflection-service.ts'
import type { ReflectionService } from '../support/reflection-service.ts'
import { scriptAgent } from '../support/scripted-agent.ts'
import type { OpenTurn, ScriptedAgent } from '../support/scripted-agent.ts'
import { proxiedFetch } from '../support/sdk/fetch.ts'
import type { WatchedFetch } from '../support/sdk/fetch.ts'
import { connectTools } from '../support/sdk/mcp-client.ts'
import type { ToolClient } from '../support/sdk/mcp-client.ts'
import { startToolServer } from '../support/sdk/mcp-server.ts'
import type { ToolServer } from '../support/sdk/mcp-server.ts'
import { openAiClient } from '../support/sdk/model-clients.ts'
import { until } from '../support/until.ts'

/*
 * All of it and nothing played but the model: the official MCP client and server, a real Envoy, sparc, the reflection
 * service as its own process, and the real ALTK in it.
 */

const BEARER = 'bearer-of-the-service'
const CANARY = 'canary-of-the-provider'
/** Longer than fetching the service's packages takes. */
const FETCH_MS = 600_000

const world = new Closing()
let model: StubJudge
let service: ReflectionService
let tools: ToolServer
let outward: WatchedFetch
let script: ScriptedAgent

const chain = (sparc: Readonly<Record<string, unknown>> = {}): PlumblineConfig => ({
  // Each test is a user of its own; without a handle one that lingers could be meant as well.
  session: { linger: '0s' },
  pipeline: {
    inbound: { plugins: ['a2a-parser'] },
    outbound: {
      plugins: [
        'inference-parser',
        { name: 'mcp-parser', config: { hosts: ['tools.test'] } },
        {
          name: 'sparc',
          config: { reflector_endpoint: service.url, reflector_bearer: BEARER, cache_ttl_ms: 0, ...sparc },
        },
      ],
    },
  },
})

beforeAll(async () => {
  model = world.add(await startJudge(judgeGrounding))
  service = world.add(
    await startReflectionService({
      PROVIDER: 'openai',
      MODEL: 'scripted',
      OPENAI_API_KEY: 'key',
      OPENAI_BASE_URL: `${model.url}/v1`,
      SPARC_BEARER: BEARER,
    }),
  )
}, FETCH_MS)
const { stage } = useStage(async () => {
  tools = world.add(await startToolServer())
  return { config: chain(), names: { 'tools.test': tools.port }, messageTimeoutMs: 40_000 }
})
beforeAll(() => {
  outward = world.add(proxiedFetch(stage().envoy.outboundPort))
  script = scriptAgent(stage(), model)
})
beforeEach(() => model.judge(judgeGrounding))
afterEach(() => script.hangUp())
afterAll(() => world.close())

const configured = (config: () => PlumblineConfig) => beforeAll(() => stage().restartPlumbline(config()))

interface Working {
  readonly turn: OpenTurn
  readonly tool: ToolClient
}

/** The user has spoken, and the agent's model has proposed this call. */
async function proposed(said: string, call: Call): Promise<Working> {
  const turn = await script.open({ body: a2aSend(said) })
  const tool = await connectTools('http://tools.test/mcp', outward.fetch)
  stage().upstream.answer(answerWith(chat, () => ({ calls: [call] })))
  const specs = [{ name: 'send_mail', parameter: 'about' }]
  await openAiClient('http://upstream.test', outward.fetch, specs).ask([{ kind: 'user', text: said }], false)
  return { turn, tool }
}

const about = (value: unknown): Call => ({ id: 'call_1', name: 'send_mail', args: { about: value } })
const send = (tool: ToolClient, { name, args }: Call) => tool.client.callTool({ name, arguments: args })

/** The record of the newest tool call. */
async function callRecord(): Promise<ExchangeRecord> {
  const last = outward.fetched.filter((each) => each.call === 'tools/call').at(-1)
  const requestId = await until('the answer to the call', () => last?.answer?.requestId)
  return stage().plumbline().record(requestId)
}

const ruled = ({ invocations }: ExchangeRecord) =>
  invocations.filter(({ plugin }) => plugin === 'sparc').map(({ action, reason }) => `${action}/${reason}`)

describe('the model is there', () => {
  configured(() => chain())

  // req: sparc:service:verdicts
  test('a grounded call reaches its tool, an invented id comes back as a clarification, and the client goes on', async () => {
    const { turn, tool } = await proposed('Write to my bank about TX-4711.', about('TX-4711'))
    const before = tools.called.length

    expect((await send(tool, about('TX-4711'))).isError).not.toBe(true)
    expect(tools.called).toHaveLength(before + 1)
    const approved = await callRecord()
    expect(ruled(approved)).toEqual(['allow/approved'])
    expect(approved.plugins?.['sparc']).toEqual([expect.objectContaining({ decision: 'approve', score: 1 })])

    const invented = await send(tool, about('TX-9999'))
    expect(invented.isError).toBe(true)
    expect(JSON.stringify(invented.content)).toContain(`${INVENTED}: about.`)
    expect(tools.called).toHaveLength(before + 1)
    const rejected = await callRecord()
    expect(ruled(rejected)).toEqual(['modify/reflected'])
    expect(rejected.plugins?.['sparc']).toEqual([
      expect.objectContaining({
        decision: 'reject',
        score: 0.5,
        track: 'fast_track',
        issues: [expect.objectContaining({ metric_name: 'general_hallucination_check' })],
      }),
    ])

    expect((await send(tool, about('TX-4711'))).isError).not.toBe(true)
    await turn.answer(a2aAnswer('Done.'))
  })
})

describe('what the service knows', () => {
  // A session for itself: whose action it is must not be in doubt.
  configured(() => chain())

  test("the session's public id reaches the service, and nothing that was said reaches its log", async () => {
    const { turn, tool } = await proposed('Write to my bank about TX-5150.', about('TX-5150'))
    await send(tool, about('TX-5150'))
    const { sessionId } = await callRecord()
    expect(sessionId).toBeDefined()
    const line = await until('the line of this session', () =>
      service
        .log()
        .split('\n')
        .find((each) => each.includes('"reflected"') && each.includes(`"session_id": "${sessionId}"`)),
    )
    expect(line).toContain('"decision": "approve"')
    expect(service.log()).not.toContain('TX-5150')
    expect(service.log()).not.toContain(BEARER)
    await turn.answer(a2aAnswer('Done.'))
  })
})

describe('syntax', () => {
  configured(() => chain({ track: 'syntax' }))

  // req: sparc:service:syntax, sparc:field:track
  test('a call against its schema is reflected, and no model is asked', async () => {
    const { turn, tool } = await proposed('Write to my bank.', { ...about('TX-1'), args: {} })
    const before = model.questions.length
    const result = await send(tool, { ...about('TX-1'), args: { to: 'x' } })
    expect(JSON.stringify(result.content)).toContain("Parameters not defined in function 'send_mail': to.")
    expect(ruled(await callRecord())).toEqual(['modify/reflected'])
    expect(model.questions).toHaveLength(before)
    await turn.answer(a2aAnswer('Done.'))
  })
})

describe.each(['open', 'closed'] as const)('the model is down, fail_policy: %s', (fail_policy) => {
  configured(() => chain({ fail_policy }))
  const passes = fail_policy === 'open'

  // req: sparc:service:decision_error, sparc:service:no_provider_text
  test.each([
    ['hangs up', 'hang-up'],
    ['refuses the key', { status: 401, body: JSON.stringify({ error: { message: CANARY } }) }],
    ['answers with prose', { content: CANARY }],
  ] as const)('it %s', async (_name, said) => {
    const { turn, tool } = await proposed('Write to my bank about TX-4711.', about('TX-4711'))
    model.judge(() => said)
    const [asked, before] = [model.questions.length, tools.called.length]
    if (passes) expect((await send(tool, about('TX-4711'))).isError).not.toBe(true)
    else await expect(send(tool, about('TX-4711'))).rejects.toThrow(/sparc\.reflector_unavailable/)
    expect(model.questions.length).toBeGreaterThan(asked)
    expect(tools.called).toHaveLength(before + (passes ? 1 : 0))
    const record = await callRecord()
    expect(record.statusCode).toBe(passes ? 200 : 503)
    expect(ruled(record)).toEqual([passes ? 'failed/reflector_unavailable' : 'deny/reflector_unavailable'])
    expect(JSON.stringify(record)).not.toContain(CANARY)
    await turn.answer(a2aAnswer('Done.'))
  })
})

describe('the service does not know the plugin’s bearer', () => {
  configured(() => chain({ reflector_bearer: 'another', fail_policy: 'closed' }))

  // req: sparc:service:bearer
  test('nothing passes that it did not see', async () => {
    const { turn, tool } = await proposed('Write to my bank about TX-4711.', about('TX-4711'))
    const before = tools.called.length
    await expect(send(tool, about('TX-4711'))).rejects.toThrow(/sparc\.reflector_unavailable/)
    expect(tools.called).toHaveLength(before)
    await turn.answer(a2aAnswer('Done.'))
  })
})
