import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ExchangeRecord } from '../../src/core/record.ts'
import { Closing } from '../support/closing.ts'
import { answerWith } from '../support/completions/dialects.ts'
import type { Call, Turn } from '../support/completions/dialects.ts'
import { chat } from '../support/completions/chat.ts'
import { useStage } from '../support/e2e.ts'
import { allow, deny, startJudge } from '../support/judge.ts'
import type { StubJudge } from '../support/judge.ts'
import { a2aAnswer, a2aSend, MCP_HEADERS, mcpCall } from '../support/messages.ts'
import type { PlumblineConfig } from '../support/plumbline.ts'
import { approve, reject, startReflector, UNGROUNDED } from '../support/reflector.ts'
import type { StubReflector } from '../support/reflector.ts'
import { scriptAgent } from '../support/scripted-agent.ts'
import type { OpenTurn, ScriptedAgent } from '../support/scripted-agent.ts'
import { proxiedFetch } from '../support/sdk/fetch.ts'
import type { WatchedFetch } from '../support/sdk/fetch.ts'
import { connectTools } from '../support/sdk/mcp-client.ts'
import type { ToolClient } from '../support/sdk/mcp-client.ts'
import { startToolServer } from '../support/sdk/mcp-server.ts'
import type { ToolServer } from '../support/sdk/mcp-server.ts'
import { openAiClient } from '../support/sdk/model-clients.ts'
import type { Line } from '../support/sdk/model-clients.ts'
import { until } from '../support/until.ts'

/*
 * Tool calls on their way to an MCP server, held against the conversation that the model had: the official MCP client
 * and server, the official client of the model, and a real Envoy between them.
 */

const world = new Closing()
let reflector: StubReflector
let judge: StubJudge
let tools: ToolServer
let outward: WatchedFetch
let script: ScriptedAgent

const chain = (
  sparc: Readonly<Record<string, unknown>> = {},
  more: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {},
): PlumblineConfig => ({
  // Each test is a user of its own; without a handle one that lingers could be meant as well.
  session: { linger: '0s' },
  pipeline: {
    inbound: { plugins: ['a2a-parser'] },
    outbound: {
      plugins: [
        'inference-parser',
        { name: 'mcp-parser', config: { hosts: ['tools.test'], ...more['mcp-parser'] } },
        { name: 'ibac', config: { judge_endpoint: judge.url, judge_model: 'stub', cache_ttl_ms: 0 } },
        { name: 'sparc', config: { reflector_endpoint: reflector.url, cache_ttl_ms: 0, ...sparc } },
      ],
    },
  },
})

const { stage } = useStage(async () => {
  reflector = world.add(await startReflector())
  judge = world.add(await startJudge())
  tools = world.add(await startToolServer())
  return {
    config: chain(),
    names: { 'tools.test': tools.port, [new URL(reflector.url).host]: Number(new URL(reflector.url).port) },
    messageTimeoutMs: 40_000,
  }
})

beforeAll(() => {
  outward = world.add(proxiedFetch(stage().envoy.outboundPort))
  script = scriptAgent(stage(), judge)
})
beforeEach(() => {
  reflector.reflect(approve)
  judge.judge(allow)
})
afterEach(() => script.hangUp())
afterAll(() => world.close())

function configured(config: () => PlumblineConfig): void {
  beforeAll(() => stage().restartPlumbline(config()))
}

const TOOLS = [
  { name: 'send_mail', parameter: 'about' },
  { name: 'read_inbox', parameter: 'about' },
]
const SEND: Call = { id: 'call_1', name: 'send_mail', args: { about: 'TX-31337' } }

/** A user's turn that is open, and a client of the tools. */
async function working(): Promise<{ readonly turn: OpenTurn; readonly tool: ToolClient }> {
  const turn = await script.open({ body: a2aSend('Write to my bank.') })
  const tool = await connectTools('http://tools.test/mcp', outward.fetch)
  return { turn, tool }
}

/** The agent asks its model, which answers with this turn. */
async function think(lines: readonly Line[], turn: Turn, stream = false) {
  stage().upstream.answer(answerWith(chat, () => turn))
  return openAiClient('http://upstream.test', outward.fetch, TOOLS).ask(lines, stream)
}

const call = (tool: ToolClient, { name, args }: Call = SEND) => tool.client.callTool({ name, arguments: args })

/** The record of the newest tool call. */
async function callRecord(): Promise<ExchangeRecord> {
  const last = outward.fetched.filter((each) => each.call === 'tools/call').at(-1)
  const requestId = await until('the answer to the call', () => last?.answer?.requestId)
  return stage().plumbline().record(requestId)
}

const ruled = (record: ExchangeRecord, plugin = 'sparc') =>
  record.invocations.filter((entry) => entry.plugin === plugin).map((entry) => `${entry.action}/${entry.reason}`)

const USER: readonly Line[] = [{ kind: 'user', text: 'Write to my bank.' }]

describe('reflect', () => {
  configured(() => chain())

  // req: sparc:end_to_end:grounded, sparc:end_to_end:robust_to_streaming
  test.each([false, true])('a grounded call reaches its tool; answers streamed: %s', async (stream) => {
    const { turn, tool } = await working()
    const before = tools.called.length
    const { calls } = await think(USER, { calls: [SEND] }, stream)
    const result = await call(tool, calls[0])
    expect(result.isError).not.toBe(true)
    expect(tools.called.slice(before)).toEqual(['send_mail'])
    const record = await callRecord()
    expect(ruled(record)).toEqual(['allow/approved'])
    expect(reflector.questions.at(-1)?.body.messages.at(-1)).toMatchObject({
      role: 'user',
      content: 'Write to my bank.',
    })
    await turn.answer(a2aAnswer('Done.'))
  })

  // req: sparc:end_to_end:latest_context
  test('the conversation is that of the exchange which proposed this very call', async () => {
    const { turn, tool } = await working()
    await think([...USER, { kind: 'assistant', text: 'First.', calls: [] }, { kind: 'user', text: 'The first.' }], {
      calls: [SEND],
    })
    await think([{ kind: 'user', text: 'The second.' }], { text: 'I only talk.' })
    await call(tool)
    expect(reflector.questions.at(-1)?.body.messages.at(-1)?.content).toBe('The first.')
    await call(tool, { ...SEND, args: { about: 'something else' } })
    expect(reflector.questions.at(-1)?.body.messages.at(-1)?.content).toBe('The second.')
    await turn.answer(a2aAnswer('Done.'))
  })

  test.each([0, 2])('with %d users at once and no handle, by the very call that a model proposed', async (users) => {
    const turns: OpenTurn[] = []
    for (let user = 0; user < users; user += 1) turns.push(await script.open({ body: a2aSend('Write to my bank.') }))
    const tool = await connectTools('http://tools.test/mcp', outward.fetch)
    const marker = `about-${users}`
    const proposed = { ...SEND, args: { about: marker } }
    await think([{ kind: 'user', text: 'Mine.' }], { calls: [proposed] })
    await think([{ kind: 'user', text: 'Of somebody else.' }], { calls: [{ ...SEND, args: { about: 'else' } }] })
    await call(tool, proposed)
    expect(reflector.questions.at(-1)?.body.messages.at(-1)?.content).toBe('Mine.')
    expect(ruled(await callRecord())).toEqual(['allow/approved'])
    const questions = reflector.questions.length
    await call(tool, { ...SEND, args: { about: 'nobody proposed this' } })
    expect(reflector.questions).toHaveLength(questions)
    expect(ruled(await callRecord())).toEqual(['skip/no_inference_context'])
    for (const turn of turns) await turn.answer(a2aAnswer('Done.'))
  })

  // req: sparc:end_to_end:reflected_result, sparc:end_to_end:event, sparc:reason:reflected, sparc:record:reflected
  test('a rejected call comes back as a tool result, and the connection goes on', async () => {
    reflector.reflect(reject())
    const { turn, tool } = await working()
    const before = tools.called.length
    await think(USER, { calls: [SEND] })
    const result = await call(tool)
    expect(result.isError).toBe(true)
    expect(JSON.stringify(result.content)).toContain(UNGROUNDED)
    expect(JSON.stringify(result._meta)).toContain('sparc.reflected')
    expect(tools.called).toHaveLength(before)
    const record = await callRecord()
    expect(record).toMatchObject({ phase: 'denied', statusCode: 200 })
    expect(ruled(record)).toEqual(['modify/reflected'])
    expect(record.plugins?.['sparc']).toEqual([
      expect.objectContaining({ decision: 'reject', score: 0.2, track: 'fast_track', enforcement: 'mcp' }),
    ])

    reflector.reflect(approve)
    expect((await call(tool)).isError).not.toBe(true)
    expect(tools.called).toHaveLength(before + 1)
    await turn.answer(a2aAnswer('Done.'))
  })

  // req: sparc:end_to_end:asks_its_user
  test('an agent loop ends: the model reads the clarification and asks', async () => {
    reflector.reflect(reject())
    const { turn, tool } = await working()
    const model = openAiClient('http://upstream.test', outward.fetch, TOOLS)
    stage().upstream.answer(
      answerWith(chat, ({ messages }) =>
        messages.at(-1)?.role === 'tool' ? { text: 'Which one do you mean?' } : { calls: [SEND] },
      ),
    )
    const lines: Line[] = [...USER]
    let said = ''
    for (let round = 0; said === ''; round += 1) {
      expect(round).toBeLessThan(3)
      const heard = await model.ask(lines, true)
      lines.push({ kind: 'assistant', text: heard.text, calls: heard.calls })
      for (const each of heard.calls) {
        lines.push({ kind: 'result', callId: each.id, text: JSON.stringify((await call(tool, each)).content) })
      }
      if (heard.calls.length === 0) said = heard.text
    }
    expect(said).toBe('Which one do you mean?')
    await turn.answer(a2aAnswer(said))
  })

  // req: sparc:end_to_end:after_ibac
  test('a call that ibac denied is not reflected on', async () => {
    const { turn, tool } = await working()
    await think(USER, { calls: [SEND] })
    judge.judge(deny)
    const questions = reflector.questions.length
    await expect(call(tool)).rejects.toThrow()
    expect(reflector.questions).toHaveLength(questions)
    expect(ruled(await callRecord())).toEqual(['skip/not_reached'])
    await turn.answer(a2aAnswer('Done.'))
  })

  test('a call that starts a task gets an error, since no result is waited for', async () => {
    reflector.reflect(reject())
    const { turn } = await working()
    await think(USER, { calls: [SEND] })
    const body = {
      jsonrpc: '2.0',
      id: 'x-1',
      method: 'tools/call',
      params: { name: 'send_mail', arguments: SEND.args, task: {} },
    }
    const got = await stage()
      .client('h1', 'outbound')
      .send({ host: 'tools.test', path: '/mcp', body: JSON.stringify(body), headers: MCP_HEADERS })
    expect(got.status).toBe(200)
    expect(JSON.parse(got.text)).toMatchObject({
      id: 'x-1',
      error: { code: -31403, data: { reason: 'sparc.reflected' } },
    })
    await turn.answer(a2aAnswer('Done.'))
  })

  // req: sparc:end_to_end:sentinel, sparc:sentinel:honoured
  test('its own calls are left alone, on the way to the reflector and nowhere else', async () => {
    const { turn } = await working()
    await think(USER, { calls: [SEND] })
    const agent = stage().client('h1', 'outbound')
    const sent = {
      path: '/reflect',
      body: mcpCall('send_mail', SEND.args),
      headers: { ...MCP_HEADERS, 'x-sparc-reflect': '1' },
    }
    reflector.reflect(reject())
    const ruledFor = async (host: string) => {
      const { requestId } = await agent.send({ ...sent, host })
      return ruled(await stage().plumbline().record(requestId))
    }
    expect(await ruledFor(new URL(reflector.url).host)).toEqual(['skip/own_call'])
    expect(await ruledFor('tools.test')).toEqual(['modify/reflected'])
    await turn.answer(a2aAnswer('Done.'))
  })

  // req: sparc:policy:without_identity
  test('neither the session’s handle nor a credential reaches the reflector', async () => {
    const { turn } = await working()
    const canary = 'canary-9f1e'
    const agent = stage().client('h1', 'outbound')
    const headers = {
      ...MCP_HEADERS,
      'x-plumbline-session': turn.handle ?? '',
      authorization: `Bearer ${canary}`,
      cookie: canary,
    }
    await think(USER, { calls: [SEND] })
    await agent.send({ host: 'tools.test', path: '/mcp', body: mcpCall('send_mail', SEND.args), headers })
    const seen = reflector.questions
      .map(({ arrival }) => `${JSON.stringify(arrival.headers)} ${arrival.body.toString()}`)
      .join()
    expect(turn.handle).toMatch(/^pls_/)
    expect(seen).not.toContain(turn.handle)
    expect(seen).not.toContain(canary)
    await turn.answer(a2aAnswer('Done.'))
  })
})

describe('deny', () => {
  configured(() => chain({ on_reject_action: 'deny' }))
  // req: sparc:end_to_end:blocked, sparc:reason:blocked
  test('a rejected call is 403, and quotes nothing', async () => {
    reflector.reflect(reject())
    const { turn, tool } = await working()
    await think(USER, { calls: [SEND] })
    await expect(call(tool)).rejects.toThrow(/sparc\.blocked/)
    const record = await callRecord()
    expect(record).toMatchObject({ statusCode: 403 })
    expect(ruled(record)).toEqual(['deny/blocked'])
    await turn.answer(a2aAnswer('Done.'))
  })
})

describe('deny, as a tool result', () => {
  configured(() => chain({ on_reject_action: 'deny' }, { 'mcp-parser': { denial: 'tool_result' } }))
  test('the client gets a result that says so', async () => {
    reflector.reflect(reject())
    const { turn, tool } = await working()
    await think(USER, { calls: [SEND] })
    const result = await call(tool)
    expect(result.isError).toBe(true)
    expect(JSON.stringify(result.content)).toContain('sparc.blocked')
    expect(JSON.stringify(result.content)).not.toContain(UNGROUNDED)
    await turn.answer(a2aAnswer('Done.'))
  })
})

describe('observe', () => {
  configured(() => chain({ on_reject_action: 'observe' }))
  // req: sparc:end_to_end:observed, sparc:record:reject_observed
  test('a rejected call reaches its tool, and is recorded', async () => {
    reflector.reflect(reject())
    const { turn, tool } = await working()
    const before = tools.called.length
    await think(USER, { calls: [SEND] })
    expect((await call(tool)).isError).not.toBe(true)
    expect(tools.called).toHaveLength(before + 1)
    expect(ruled(await callRecord())).toEqual(['observe/reject_observed'])
    await turn.answer(a2aAnswer('Done.'))
  })
})

describe.each([
  ['open', 'skip/no_inference_context', 'failed/reflector_unavailable'],
  ['closed', 'deny/no_inference_context', 'deny/reflector_unavailable'],
] as const)('fail_policy: %s', (fail_policy, withoutContext, unavailable) => {
  configured(() => chain({ fail_policy, timeout_ms: 300 }))
  const passes = fail_policy === 'open'

  // req: sparc:end_to_end:no_context_open, sparc:end_to_end:no_context_closed, sparc:reason:no_inference_context
  // req: sparc:record:no_inference_context
  test('without a conversation', async () => {
    const { turn, tool } = await working()
    const before = tools.called.length
    if (passes) await call(tool)
    else await expect(call(tool)).rejects.toThrow(/sparc\.no_inference_context/)
    expect(tools.called).toHaveLength(before + (passes ? 1 : 0))
    const record = await callRecord()
    expect(record.statusCode).toBe(passes ? 200 : 503)
    expect(ruled(record)).toEqual([withoutContext])
    await turn.answer(a2aAnswer('Done.'))
  })

  // req: sparc:end_to_end:unavailable_open, sparc:end_to_end:unavailable_closed, sparc:reason:reflector_unavailable
  test.each(['silence', 'error'] as const)('the reflector answers with %s', async (fault) => {
    reflector.reflect(() =>
      fault === 'silence'
        ? 'silence'
        : { decision: 'error', issues: [], overall_avg_score: null, execution_time_ms: 0 },
    )
    const { turn, tool } = await working()
    await think(USER, { calls: [SEND] })
    const before = tools.called.length
    if (passes) await call(tool)
    else await expect(call(tool)).rejects.toThrow(/sparc\.reflector_unavailable/)
    expect(tools.called).toHaveLength(before + (passes ? 1 : 0))
    expect(ruled(await callRecord())).toEqual([unavailable])
    await turn.answer(a2aAnswer('Done.'))
  })
})

describe('embedded', () => {
  configured(() => ({
    session: { linger: '0s' },
    pipeline: {
      inbound: { plugins: ['a2a-parser'] },
      outbound: {
        plugins: [
          'inference-parser',
          { name: 'mcp-parser', config: { hosts: ['tools.test'] } },
          { name: 'sparc', config: { reflector: 'embedded' } },
        ],
      },
    },
  }))
  test('a value that stands nowhere is rejected, one that the user gave is not', async () => {
    const { turn, tool } = await working()
    await think(USER, { calls: [SEND] })
    const invented = await call(tool)
    expect(invented.isError).toBe(true)
    const said: readonly Line[] = [{ kind: 'user', text: 'Write to my bank about TX-31337.' }]
    await think(said, { calls: [SEND] })
    expect((await call(tool)).isError).not.toBe(true)
    await turn.answer(a2aAnswer('Done.'))
  })

  test('a model that repeats its call is stopped each time, until its user gives the value', async () => {
    const { turn, tool } = await working()
    const before = tools.called.length
    const lines: Line[] = [...USER]
    /** One step of an agent: the model calls, and reads what came back. Whether the tool ran. */
    const step = async (at: number): Promise<boolean> => {
      const { text, calls } = await think(lines, {
        text: 'I write about TX-31337.',
        calls: [{ ...SEND, id: `call_${at}` }],
      })
      const result = await call(tool, calls[0])
      lines.push({ kind: 'assistant', text, calls })
      lines.push({ kind: 'result', callId: `call_${at}`, text: JSON.stringify(result.content) })
      return result.isError !== true
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      expect(await step(round)).toBe(false)
      expect(ruled(await callRecord())).toEqual(['modify/reflected'])
      if (round === 1) lines.push({ kind: 'user', text: 'Just go on, please.' })
    }
    expect(tools.called).toHaveLength(before)
    lines.push({ kind: 'user', text: 'It is about TX-31337.' })
    expect(await step(ROUNDS)).toBe(true)
    expect(ruled(await callRecord())).toEqual(['allow/approved'])
    expect(tools.called.slice(before)).toEqual(['send_mail'])
    await turn.answer(a2aAnswer('Done.'))
  })
})

/** How often this agent asks its model before it gives up. */
const ROUNDS = 4
