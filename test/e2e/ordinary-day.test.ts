import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { LegacyJsonRpcTransport } from '@a2a-js/sdk/compat/v0_3/client'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ExchangeRecord } from '../../src/core/record.ts'
import { Closing } from '../support/closing.ts'
import { useStage } from '../support/e2e.ts'
import { startJudge } from '../support/judge.ts'
import type { Judging, StubJudge } from '../support/judge.ts'
import { a2aAnswer, a2aSend, MCP_HEADERS } from '../support/messages.ts'
import { said } from '../support/plumbline.ts'
import type { PlumblineConfig } from '../support/plumbline.ts'
import { sayJson } from '../support/scripted-agent.ts'
import { connectAgent } from '../support/sdk/a2a-client.ts'
import { says, startA2aAgent } from '../support/sdk/a2a-agent.ts'
import type { A2aAgent, Work } from '../support/sdk/a2a-agent.ts'
import { directFetch, proxiedFetch } from '../support/sdk/fetch.ts'
import type { Fetched, WatchedFetch } from '../support/sdk/fetch.ts'
import { connectTools } from '../support/sdk/mcp-client.ts'
import type { ToolClient } from '../support/sdk/mcp-client.ts'
import { startToolServer } from '../support/sdk/mcp-server.ts'
import type { ToolServer } from '../support/sdk/mcp-server.ts'
import { startModelServer } from '../support/sdk/model-server.ts'
import type { Stage } from '../support/stage.ts'
import { until } from '../support/until.ts'
import { startUpstream } from '../support/upstream.ts'

/*
 * What agents do all day with the clients that everybody uses, unmodified and with their own time-outs, under both
 * policies. The judge allows what the user asked for and nothing else, so whatever is asked about in vain is refused,
 * and shows here.
 */

const WORDS = 'Summarize my mail, have the translator say it in French, and tell me the weather in Paris.'
const ASKED = [/"tool": "read_inbox"/, /"what": "resources\/read"/, /"what": "SendMessage"/, /weather\.test\/today/]
const asAsked: Judging = ({ text }) => ({ verdict: ASKED.some((part) => part.test(text)) ? 'allow' : 'deny' })

type Plugins = PlumblineConfig['pipeline']['outbound']

const ibac = (judgeUrl: string, policy: 'passthrough' | 'judge') => ({
  name: 'ibac',
  config: {
    ...{ judge_endpoint: judgeUrl, judge_model: 'stub', unclassified_policy: policy, cache_ttl_ms: 0 },
    agent_llm_host: 'model.test:11434',
  },
})

/** What the agent sends, and what the gate says of it under the one policy and under the other. */
const MECHANICS = 'skip/protocol_mechanics'
const DAY: readonly (readonly [what: string, passthrough: string, judge?: string])[] = [
  ['GET tools.test/.well-known/oauth-protected-resource/mcp', 'skip/path_bypass'],
  ['GET tools.test/.well-known/oauth-authorization-server', 'skip/path_bypass'],
  ['GET tools.test/healthz', 'skip/path_bypass'],
  ['POST tools.test/mcp initialize', MECHANICS],
  ['POST tools.test/mcp notifications/initialized', MECHANICS],
  ['POST tools.test/mcp tools/list', MECHANICS],
  ['POST tools.test/mcp prompts/list', MECHANICS],
  ['POST tools.test/mcp resources/list', MECHANICS],
  ['POST tools.test/mcp ping', MECHANICS],
  ['POST tools.test/mcp logging/setLevel', MECHANICS],
  ['POST tools.test/mcp response', MECHANICS],
  ['GET tools.test/mcp', MECHANICS],
  ['DELETE tools.test/mcp', MECHANICS],
  ['POST tools.test/mcp tools/call', 'allow/aligned'],
  ['POST tools.test/mcp resources/read', 'allow/aligned'],
  ['GET llm.test/v1/models', 'skip/unclassified', MECHANICS],
  ['POST llm.test/v1/chat/completions', 'skip/inference_bypass'],
  ['POST llm.test/v1/embeddings', 'skip/inference_bypass'],
  ['POST model.test:11434/v1/chat/completions', 'skip/host_bypass'],
  ['POST keycloak/realms/a/protocol/openid-connect/token', 'skip/host_bypass'],
  ['POST otel-collector.monitoring:4318/v1/traces', 'skip/host_bypass'],
  ['GET agents.test/.well-known/agent-card.json', 'skip/path_bypass'],
  ['POST agents.test/ SendMessage', 'allow/aligned'],
  ['POST agents.test/ GetTask', MECHANICS],
  ['GET weather.test/today', 'skip/unclassified', 'allow/aligned'],
  ['OPTIONS weather.test/today', 'skip/preflight', 'allow/aligned'],
]

const POLICIES = [
  {
    policy: 'passthrough' as const,
    chain: (judgeUrl: string): Plugins => ({
      plugins: ['mcp-parser', 'a2a-parser', 'inference-parser', ibac(judgeUrl, 'passthrough')],
    }),
  },
  {
    policy: 'judge' as const,
    chain: (judgeUrl: string): Plugins => ({
      plugins: [
        { name: 'mcp-parser', config: { hosts: ['tools.test'] } },
        { name: 'a2a-parser', config: { hosts: ['agents.test'] } },
        { name: 'inference-parser', config: { hosts: ['llm.test'] } },
        ibac(judgeUrl, 'judge'),
      ],
    }),
  },
]

describe.each(POLICIES)('unclassified_policy: $policy', ({ policy, chain }) => {
  const world = new Closing()
  let judge: StubJudge
  let tools: ToolServer
  let agent: A2aAgent
  let work: Work = () => Promise.resolve('')
  let outward: WatchedFetch
  const inward = world.add(directFetch())

  const { stage } = useStage(async () => {
    judge = world.add(await startJudge(asAsked))
    tools = world.add(await startToolServer())
    agent = world.add(await startA2aAgent((words) => work(words)))
    const translator = world.add(await startA2aAgent((words) => Promise.resolve(`en français : ${words}`)))
    translator.standsAt('http://agents.test/')
    const models = world.add(await startModelServer())
    const others = world.add(await startUpstream())
    const collector = world.add(await startUpstream('h2'))
    return {
      config: { pipeline: { inbound: { plugins: ['a2a-parser'] }, outbound: chain(judge.url) ?? { plugins: [] } } },
      agentPort: agent.port,
      names: {
        ...{ 'tools.test': tools.port, 'agents.test': translator.port },
        ...{ 'llm.test': models.port, 'model.test': models.port },
        ...{ keycloak: others.port, 'otel-collector.monitoring': others.port, 'weather.test': others.port },
        'otel-collector.grpc': collector.port,
      },
    }
  })
  beforeAll(() => {
    outward = world.add(proxiedFetch(stage().envoy.outboundPort))
  })
  afterAll(() => world.close())

  /** Before any user is there. */
  async function getUp(): Promise<ToolClient> {
    await outward.fetch('http://tools.test/.well-known/oauth-protected-resource/mcp')
    await outward.fetch('http://tools.test/.well-known/oauth-authorization-server')
    await outward.fetch('http://tools.test/healthz')
    const connected = await connectTools('http://tools.test/mcp', outward.fetch)
    await connected.client.listTools()
    return connected
  }

  /** What the user asked for, and what that takes. */
  async function summarize({ client }: ToolClient): Promise<string> {
    await talkToModels()
    await client.setLoggingLevel('info')
    await client.ping()
    await client.listPrompts()
    await client.listResources()
    const read = await client.callTool({ name: 'read_inbox', arguments: { about: 'lunch' } })
    expect(read).toEqual({ content: [{ type: 'text', text: 'Two messages about lunch' }] })
    expect(await client.readResource({ uri: 'mail:inbox' })).toMatchObject({ contents: [{ text: 'mail' }] })
    await hearFromServer(client)
    const weather = await outward.fetch('http://weather.test/today?city=Paris')
    expect(await weather.text()).toBe('hello from upstream')
    await keepHouse()
    return askTranslator('Two messages.')
  }

  async function talkToModels(): Promise<void> {
    const llm = new OpenAI({ baseURL: 'http://llm.test/v1', apiKey: 'k', fetch: outward.fetch })
    const messages = [{ role: 'user' as const, content: WORDS }]
    expect((await llm.models.list()).data).toHaveLength(1)
    const answer = await llm.chat.completions.create({ model: 'm', messages })
    expect(answer.choices[0]?.message.content).toBe('Two messages.')
    expect((await llm.embeddings.create({ model: 'm', input: 'lunch' })).data).toHaveLength(1)
    const own = new OpenAI({ baseURL: 'http://model.test:11434/v1', apiKey: 'k', fetch: outward.fetch })
    for (const one of [llm, own]) {
      let text = ''
      const stream = await one.chat.completions.create({ model: 'm', messages, stream: true })
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
      expect(text).toBe('Two messages.')
    }
  }

  /** On the stream that the client holds open. */
  async function hearFromServer(client: ToolClient['client']): Promise<void> {
    const isOpen = ({ method, url, answer }: Fetched) =>
      method === 'GET' && url.endsWith('/mcp') && answer?.status === 200
    await until('the stream of the server', () => (outward.fetched.some(isOpen) ? true : undefined))
    const heard = new Promise<void>((done) =>
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => done()),
    )
    tools.tellOfTools()
    await heard
    await tools.pingClients()
  }

  async function keepHouse(): Promise<void> {
    const post = (url: string, type: string, body: string | Uint8Array<ArrayBuffer>) =>
      outward.fetch(url, { method: 'POST', headers: { 'content-type': type }, body })
    const form = 'grant_type=client_credentials&client_id=agent'
    await post('http://keycloak/realms/a/protocol/openid-connect/token', 'application/x-www-form-urlencoded', form)
    const spans = new Uint8Array([10, 2, 8, 1])
    await post('http://otel-collector.monitoring:4318/v1/traces', 'application/x-protobuf', spans)
    const headers = { origin: 'http://ui.test', 'access-control-request-method': 'GET' }
    await outward.fetch('http://weather.test/today', { method: 'OPTIONS', headers })
  }

  async function askTranslator(words: string): Promise<string> {
    const translator = await connectAgent('http://agents.test', outward.fetch)
    const task = await translator.sendMessage(toAgent(words))
    if (!('status' in task)) throw new Error('The translator answers with a task.')
    expect((await translator.getTask({ tenant: '', id: task.id })).id).toBe(task.id)
    const [part] = task.status?.message?.parts ?? []
    return part?.content?.$case === 'text' ? part.content.value : ''
  }

  /** What was sent, with what the gate said of it, each once. */
  async function ruledOn({ fetched }: WatchedFetch): Promise<readonly string[]> {
    const lines = fetched.map(async (one) => {
      expect(one.answer?.status, `${one.method} ${one.url}`).toBeLessThan(400)
      const record = await stage()
        .plumbline()
        .record(one.answer?.requestId ?? '')
      return `${lineOf(one)} → ${rulings(record)}`
    })
    return [...new Set(await Promise.all(lines))].sort()
  }

  test('an agent’s day: nothing is refused, and only what acts is asked about', async () => {
    const connected = await getUp()
    let failure: unknown
    work = async (words) => {
      if (words !== WORDS) return 'You are welcome.'
      return summarize(connected).catch((error: unknown) => {
        failure = error
        return 'failed'
      })
    }
    const here = `http://127.0.0.1:${stage().envoy.inboundPort}/`
    agent.standsAt(here)

    const user = await connectAgent(here, inward.fetch)
    const task = await user.sendMessage(toAgent(WORDS))
    expect(failure).toBeUndefined()
    expect(JSON.stringify(task)).toContain('en français : Two messages.')
    if (!('status' in task)) throw new Error('The agent answers with a task.')
    expect((await user.getTask({ tenant: '', id: task.id })).id).toBe(task.id)
    const events: string[] = []
    for await (const event of user.sendMessageStream(toAgent('Thank you.', task.contextId))) {
      events.push(JSON.stringify(event))
    }
    expect(events.at(-1)).toContain('You are welcome.')
    const older = new LegacyJsonRpcTransport({ endpoint: here, fetchImpl: inward.fetch })
    const other = await older.sendMessage(toAgent('Good evening.'))
    if (!('status' in other)) throw new Error('The agent answers with a task.')
    expect((await older.getTask({ tenant: '', id: other.id })).id).toBe(other.id)

    await connected.transport.terminateSession()
    await connected.client.close()

    const rows = DAY.map(([what, passthrough, judged = passthrough]) => [
      what,
      policy === 'judge' ? judged : passthrough,
    ])
    expect(await ruledOn(outward)).toEqual(rows.map((row) => row.join(' → ')).sort())
    const asked = rows.filter(([, ruled]) => ruled === 'allow/aligned')
    expect(judge.questions).toHaveLength(asked.length)
    expect(tools.called).toEqual(['read_inbox'])
    const inbound = inward.fetched.map((one) => [lineOf(one).split('/').pop(), one.answer?.status])
    expect(inbound).toEqual([
      ['agent-card.json', 200],
      [' SendMessage', 200],
      [' GetTask', 200],
      [' SendStreamingMessage', 200],
      ['send', 200],
      ['get', 200],
    ])
  })

  test('telemetry by gRPC passes unread', async () => {
    const got = await stage()
      .client('h2', 'outbound')
      .send({
        host: 'otel-collector.grpc:4317',
        path: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
        headers: { 'content-type': 'application/grpc', te: 'trailers' },
        body: Buffer.from([0, 0, 0, 0, 2, 10, 0]),
      })
    expect([got.status, got.text]).toEqual([200, 'hello from upstream'])
    expect(rulings(await stage().plumbline().record(got.requestId))).toBe('skip/host_bypass')
  })

  test('the hosts are those that the start asks for', () => {
    const log = said(stage().plumbline().program)
    expect(log).not.toContain('has no hosts')
    expect(log).not.toContain('agent_llm_host is missing')
  })
})

function toAgent(words: string, contextId = '') {
  return { tenant: '', message: { ...says(words), contextId }, configuration: undefined, metadata: undefined }
}

function lineOf({ method, url, call }: Fetched): string {
  const { host, pathname } = new URL(url)
  return `${method} ${host}${pathname}${call === undefined ? '' : ` ${call}`}`
}

function rulings({ invocations }: ExchangeRecord): string {
  const own = invocations.filter(({ plugin }) => plugin === 'ibac')
  return own.map(({ action, reason }) => `${action}/${reason}`).join(', ')
}

describe('a client whose call is refused', () => {
  const world = new Closing()
  let judge: StubJudge
  let tools: ToolServer

  const config = (denial: string): PlumblineConfig => ({
    pipeline: {
      inbound: { plugins: ['a2a-parser'] },
      outbound: {
        plugins: [{ name: 'mcp-parser', config: { hosts: ['tools.test'], denial } }, ibac(judge.url, 'judge')],
      },
    },
  })
  const { stage } = useStage(async () => {
    judge = world.add(await startJudge(asAsked))
    tools = world.add(await startToolServer())
    return { config: config('http_status'), names: { 'tools.test': tools.port } }
  })
  afterAll(() => world.close())

  async function userAsks(on: Stage): Promise<void> {
    on.agent.answer(sayJson(a2aAnswer('Working on it.')))
    const user = on.client('h1', 'inbound')
    expect((await user.send({ host: 'agent', body: a2aSend(WORDS), headers: MCP_HEADERS })).status).toBe(200)
  }

  const REFUSED = { name: 'send_mail', arguments: { about: 'X7B-92K' } }
  const ALLOWED = { name: 'read_inbox', arguments: { about: 'lunch' } }

  test.each<readonly [string, (call: Promise<unknown>) => Promise<unknown>]>([
    ['http_status', (call) => expect(call).rejects.toMatchObject({ code: 403 })],
    ['jsonrpc_error', (call) => expect(call).rejects.toMatchObject({ code: -31403 })],
    ['tool_result', (call) => expect(call).resolves.toMatchObject({ isError: true })],
  ])('denial: %s: the official client is told, and goes on in the same session', async (denial, expectTold) => {
    await stage().restartPlumbline(config(denial))
    await userAsks(stage())
    const outward = proxiedFetch(stage().envoy.outboundPort)
    const { client, transport } = await connectTools('http://tools.test/mcp', outward.fetch)
    await client.listTools()
    const session = transport.sessionId
    const before = tools.called.length
    for (let round = 0; round < 2; round += 1) {
      await expectTold(client.callTool(REFUSED))
      expect(await client.callTool(ALLOWED)).toEqual({ content: [{ type: 'text', text: 'Two messages about lunch' }] })
    }
    expect(tools.called.slice(before)).toEqual(['read_inbox', 'read_inbox'])
    expect(transport.sessionId).toBe(session)
    expect(outward.fetched.filter(({ call }) => call === 'initialize')).toHaveLength(1)
    await transport.terminateSession()
    await client.close()
    await outward.close()
  })
})
