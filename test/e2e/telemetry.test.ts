import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { letOutCanaries, tellingHeaders } from '../support/canaries.ts'
import { judgedChains } from '../support/chains.ts'
import type { Got } from '../support/clients.ts'
import { useStage } from '../support/e2e.ts'
import { startJudge } from '../support/judge.ts'
import type { StubJudge } from '../support/judge.ts'
import { a2aAnswer, a2aSend, MCP_HEADERS, mcpCall } from '../support/messages.ts'
import { startProgram } from '../support/process.ts'
import { scratchFolder } from '../support/scratch.ts'
import { startCollector } from '../support/telemetry/collector.ts'
import type { Collector, SeenSpan } from '../support/telemetry/collector.ts'
import { until } from '../support/until.ts'

/*
 * What an operator sees of one call that was allowed and one that was blocked, through a real Envoy: numbers, spans below
 * the caller's own, and an explanation. And what nobody sees: words that stand for secrets.
 */

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const CALLERS = { allowed: ['1'.repeat(32), 'a'.repeat(16)], blocked: ['2'.repeat(32), 'b'.repeat(16)] } as const

describe.each(['http/json', 'http/protobuf'])('over %s', (protocol) => {
  const canaries = letOutCanaries()
  const { canary, seenIn } = canaries
  let judge: StubJudge
  let collector: Collector
  let folder: Awaited<ReturnType<typeof scratchFolder>>
  let tokenFile: string
  const token = canary('admin-token')
  const { stage } = useStage(async () => {
    judge = await startJudge(({ text }) =>
      text.includes('forbidden')
        ? { verdict: 'deny', reason: `nobody asked for ${canary('reason')}` }
        : { verdict: 'allow', reason: 'fits' },
    )
    collector = await startCollector()
    folder = await scratchFolder()
    tokenFile = join(folder.path, 'admin-token')
    await writeFile(tokenFile, token, { mode: 0o600 })
    return {
      config: {
        ...judgedChains({ judgeUrl: judge.url, ibac: { judge_bearer: canary('judge_bearer') } }),
        admin: { token_file: tokenFile },
      },
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_BSP_SCHEDULE_DELAY: '50',
        OTEL_SERVICE_NAME: 'gate-of-the-test',
      },
    }
  })
  afterAll(async () => {
    await judge.close()
    await collector.close()
    await folder.close()
  })

  const got: Partial<Record<keyof typeof CALLERS | 'inbound', Got>> = {}
  const idOf = (name: keyof typeof got): string => got[name]?.requestId ?? 'none'

  beforeAll(async () => {
    stage().agent.answer((_, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'application/json' })
      outgoing.end(a2aAnswer(`Done, ${canary('agent-answer')}.`))
    })
    const secrets = { ...MCP_HEADERS, ...tellingHeaders(canaries) }
    const inbound = { host: 'agent', headers: secrets, body: a2aSend(`The weather, ${canary('intent')}.`) }
    got.inbound = await stage().client('h1', 'inbound').send(inbound)
    const call = async (name: keyof typeof CALLERS, tool: string): Promise<Got> => {
      const [traceId, spanId] = CALLERS[name]
      return stage()
        .client('h1', 'outbound')
        .send({
          host: 'upstream.test',
          path: `/mcp?key=${canary('query')}`,
          headers: { ...secrets, traceparent: `00-${traceId}-${spanId}-01` },
          body: mcpCall(tool, { note: canary('argument') }),
        })
    }
    got.allowed = await call('allowed', 'get_weather')
    got.blocked = await call('blocked', 'forbidden')
    expect([got.inbound.status, got.allowed.status, got.blocked.status]).toEqual([200, 200, 403])
    for (const each of [got.inbound, got.allowed, got.blocked]) await stage().plumbline().record(each.requestId)
  })

  const admin = () => `127.0.0.1:${stage().adminPort}`
  const get = async (path: string, authorization = ''): Promise<{ status: number; text: string }> => {
    const response = await fetch(`http://${admin()}${path}`, authorization === '' ? {} : { headers: { authorization } })
    return { status: response.status, text: await response.text() }
  }
  const spansOf = (name: keyof typeof CALLERS): readonly SeenSpan[] =>
    collector.spans().filter(({ traceId }) => traceId === CALLERS[name][0])

  test('a scrape counts both, what the gate said, and what it asked', async () => {
    const lines = (await get('/metrics')).text.split('\n')
    expect(lines).toContain('plumbline_exchanges_total{direction="outbound",outcome="allowed"} 1')
    expect(lines).toContain('plumbline_exchanges_total{direction="outbound",outcome="refused"} 1')
    expect(lines).toContain(
      'plumbline_plugin_decisions_total{plugin="ibac",action="deny",reason="blocked",shadow="false"} 1',
    )
    expect(lines).toContain('plumbline_questions_total{to="judge",result="answered"} 2')
    expect(lines).toContain('plumbline_question_duration_seconds_count{to="judge"} 2')
    expect(lines).toContain('plumbline_verdict_duration_seconds_count{direction="outbound"} 2')
    expect(lines).toContain('plumbline_streams_total 3')
    expect(lines).toContain('plumbline_open_streams 0')
    expect(lines).toContain('plumbline_lost_connections_total 0')
    expect(lines).toContain('plumbline_sessions 1')
    expect(lines).toContain('plumbline_ready 1')
  })

  test.each([
    ['allowed', 'allow', { 'plumbline.outcome': 'allowed', 'http.response.status_code': 200 }],
    [
      'blocked',
      'deny',
      {
        'plumbline.outcome': 'refused',
        'plumbline.refusal.code': 'ibac.blocked',
        'plumbline.reason': 'blocked',
        'http.response.status_code': 403,
      },
    ],
  ] as const)(
    'a call that was %s is a span below its caller’s, with the question below it',
    async (name, verdict, facts) => {
      const [question, exchange] = await until(`the spans of ${name}`, () => {
        const spans = spansOf(name)
        return spans.length < 2 ? undefined : [...spans].sort((a, b) => b.kind - a.kind)
      })
      expect(exchange).toMatchObject({
        parentSpanId: CALLERS[name][1],
        name: 'outbound POST',
        service: 'gate-of-the-test',
        status: 0,
      })
      expect(exchange?.attributes).toMatchObject({
        ...facts,
        'plumbline.direction': 'outbound',
        'plumbline.workload': stage().workload,
        'plumbline.request_id': idOf(name),
        'server.address': 'upstream.test',
        'url.path': '/mcp',
      })
      expect(question).toMatchObject({ parentSpanId: exchange?.spanId, name: 'chat stub', kind: 3 })
      expect(question?.attributes).toMatchObject({
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'stub',
        'plumbline.verdict': verdict,
        'server.address': '127.0.0.1',
        'server.port': judge.port,
      })
      expect(spansOf(name)).toHaveLength(2)
    },
  )

  test('an inbound request without a trace has its span where the agent’s spans will hang', async () => {
    const seen = stage().agent.arrivals[0]?.headers.find(([name]) => name === 'traceparent')?.[1]
    const [, traceId, spanId] = seen?.split('-') ?? []
    const span = await until('the inbound span', () => collector.spans().find((each) => each.spanId === spanId))
    expect(span).toMatchObject({ traceId, parentSpanId: '', name: 'inbound POST' })
  })

  test('what goes upstream carries the caller’s trace as it came', () => {
    const [traceId, spanId] = CALLERS.allowed
    const headers = stage().upstream.arrivals[0]?.headers ?? []
    expect(headers.filter(([name]) => name === 'traceparent')).toEqual([['traceparent', `00-${traceId}-${spanId}-01`]])
  })

  test('explain says why, to who has the token', async () => {
    const run = async (...more: string[]) => {
      const program = startProgram(process.execPath, [MAIN, 'explain', idOf('blocked'), '--admin', admin(), ...more])
      const code = await program.ended
      return { code, out: program.stdout.join('\n'), err: program.stderr.join('\n') }
    }
    const told = await run('--token-file', tokenFile)
    expect([told.code, told.err]).toEqual([0, ''])
    expect(told.out).toMatch(/^Refused by ibac with 403 ibac\.blocked/)
    expect(told.out).toContain(`the judge said "nobody asked for ${canary('reason')}"`)
    const untold = await run()
    expect([untold.code, untold.out]).toEqual([1, ''])
    expect(untold.err).toContain('wants its token')
  })

  test.each(['/v1/exchanges', `/v1/exchanges/`])('%s wants the token', async (path) => {
    const whole = path.endsWith('/') ? path + idOf('blocked') : path
    for (const shown of ['', 'Bearer wrong']) expect((await get(whole, shown)).status).toBe(401)
    const { status, text } = await get(whole, `Bearer ${token}`)
    expect(status).toBe(200)
    expect(text).toContain(idOf('blocked'))
  })

  test('no secret is in numbers, in spans, or told without the token', async () => {
    await until('all spans', () => (collector.spans().length < 5 ? undefined : true))
    const sent = collector.arrivals.map(({ headers, body }) => JSON.stringify(headers) + body.toString('latin1'))
    const told = await Promise.all(['/metrics', '/readyz', `/v1/exchanges/${idOf('blocked')}`].map((path) => get(path)))
    const all = [...sent, ...told.map(({ text }) => text)].join('\n')
    // The search would find what is there.
    expect(all).toContain(idOf('blocked'))
    expect(seenIn(all, canaries.places())).toEqual([])
    // And who shows the token reads what the judge said, and no more of it.
    const { text } = await get(`/v1/exchanges/${idOf('blocked')}`, `Bearer ${token}`)
    expect(seenIn(text, canaries.places())).toEqual(['reason'])
  })
})
