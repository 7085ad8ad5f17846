import { type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace-base'
import { describe, expect, test } from 'vitest'
import { requestHead } from '../http/headers.ts'
import type { Direction, Head, HeaderPair } from '../core/exchange.ts'
import type { ExchangeRecord } from '../core/record.ts'
import type { ExchangeWatch, Telemetry } from '../core/telemetry.ts'
import { createTraces } from './traces.ts'
import { openTracing, tracesWanted } from './tracing.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
const OTHER = '00f067aa0ba902b7'

function headWith(...headers: readonly HeaderPair[]): Head {
  const pairs: HeaderPair[] = [
    [':method', 'POST'],
    [':scheme', 'http'],
    [':authority', 'tools.test'],
    [':path', '/mcp?key=secret'],
    ...headers,
  ]
  return requestHead(pairs, true)
}

const RECORD: ExchangeRecord = {
  sessionId: 'pse_1',
  requestId: 'r-1',
  traceId: TRACE,
  workload: 'w',
  at: '',
  direction: 'outbound',
  phase: 'denied',
  host: 'tools.test',
  method: 'POST',
  path: '/mcp',
  statusCode: 403,
  refusal: { plugin: 'ibac', code: 'ibac.blocked' },
  durationMs: 1,
  session: { method: 'handle', certainty: 'exact' },
  invocations: [
    { plugin: 'mcp-parser', action: 'observe', phase: 'request', reason: 'read', details: { tool: 'canary' } },
    { plugin: 'ibac', action: 'deny', phase: 'request', reason: 'blocked', details: { llm_reason: 'canary' } },
  ],
}

const caller = (direction: Direction) => ({ direction, workload: 'w', routesByHost: true })

async function traced(
  use: (telemetry: Telemetry) => void,
  code = 0,
): Promise<{ spans: ReadableSpan[]; warned: unknown[] }> {
  const spans: ReadableSpan[] = []
  const warned: unknown[] = []
  const exporter: SpanExporter = {
    export: (batch, done) => {
      spans.push(...batch)
      done(code === 0 ? { code } : { code, error: new Error('no collector') })
    },
    shutdown: () => Promise.resolve(),
  }
  const tracing = createTraces({ exporter, version: '1.0.0', warn: (facts, message) => warned.push([facts, message]) })
  if (tracing.telemetry === undefined) throw new Error('off')
  use(tracing.telemetry)
  await tracing.stop()
  return { spans, warned }
}

function exchange(
  head: Head | undefined,
  during: (watch: ExchangeWatch) => void = () => undefined,
  over: Partial<ExchangeRecord> = {},
) {
  return async () => {
    const { spans } = await traced((telemetry) => {
      const watch = telemetry.begins(caller('outbound'), head)
      during(watch)
      watch.ends({ ...RECORD, ...over })
    })
    return spans
  }
}

const OUTSIDE = { what: 'judge', endpoint: new URL('https://judge.test/v1'), model: 'm-1' } as const

describe('the span of an exchange', () => {
  test('is a child of the caller’s, keeps its state, and says what became of it', async () => {
    const head = headWith(['traceparent', `00-${TRACE}-${PARENT}-01`], ['tracestate', 'a=1'], ['tracestate', 'b=2'])
    const [span] = await exchange(head)()
    expect(span?.spanContext()).toMatchObject({ traceId: TRACE })
    expect(span?.parentSpanContext?.spanId).toBe(PARENT)
    expect(span?.spanContext().traceState?.serialize()).toBe('a=1,b=2')
    expect([span?.name, span?.kind]).toEqual(['outbound POST', 1])
    expect(span?.attributes).toEqual({
      'plumbline.direction': 'outbound',
      'plumbline.workload': 'w',
      'plumbline.request_id': 'r-1',
      'plumbline.outcome': 'refused',
      'plumbline.session.certainty': 'exact',
      'plumbline.session.id': 'pse_1',
      'plumbline.reason': 'blocked',
      'plumbline.refusal.code': 'ibac.blocked',
      'plumbline.refusal.plugin': 'ibac',
      'http.request.method': 'POST',
      'http.response.status_code': 403,
      'server.address': 'tools.test',
      'url.path': '/mcp',
    })
    expect(span?.status.code).toBe(0)
    expect(span?.events.map(({ attributes }) => attributes)).toEqual([
      {
        'plumbline.plugin': 'ibac',
        'plumbline.action': 'deny',
        'plumbline.reason': 'blocked',
        'plumbline.phase': 'request',
      },
    ])
    expect(JSON.stringify([span?.attributes, span?.events])).not.toMatch(/canary|secret/)
    expect(span?.resource.attributes).toMatchObject({ 'service.name': 'plumbline', 'service.version': '1.0.0' })
  })

  test.each<[string, readonly HeaderPair[]]>([
    ['malformed', [['traceparent', `00-${TRACE}-${PARENT}`]]],
    ['of zeros', [['traceparent', `00-${'0'.repeat(32)}-${PARENT}-01`]]],
    [
      'sent twice',
      [
        ['traceparent', `00-${TRACE}-${PARENT}-01`],
        ['traceparent', `00-${TRACE}-${OTHER}-01`],
      ],
    ],
    ['absent', []],
  ])('is a root where the caller’s context is %s', async (_, headers) => {
    const [span] = await exchange(headWith(...headers))()
    expect(span?.parentSpanContext).toBeUndefined()
    expect(span?.spanContext().traceId).not.toBe(TRACE)
  })

  test('is not sent where the caller does not sample', async () => {
    const asks = (watch: ExchangeWatch) => {
      watch.asks(OUTSIDE)({ outcome: 'answered' })
    }
    expect(await exchange(headWith(['traceparent', `00-${TRACE}-${PARENT}-00`]), asks)()).toEqual([])
  })

  test('is the one that the traceparent of our making names, and no other is', async () => {
    const { spans } = await traced((telemetry) => {
      telemetry.begins(caller('inbound'), headWith(), `00-${TRACE}-${PARENT}-01`).ends(RECORD)
      telemetry.begins(caller('inbound'), headWith()).ends(RECORD)
    })
    const [first, second] = spans.map((span) => span.spanContext())
    expect(first).toMatchObject({ traceId: TRACE, spanId: PARENT })
    expect([second?.traceId, second?.spanId]).not.toContain(TRACE)
    expect(second?.spanId).not.toBe(PARENT)
  })

  test('fails from 500 on, by the code of the refusal', async () => {
    const refusal = { plugin: 'ibac', code: 'ibac.judge_unavailable' }
    const [span] = await exchange(headWith(), undefined, { statusCode: 503, refusal })()
    expect([span?.status.code, span?.attributes['error.type']]).toEqual([2, 'ibac.judge_unavailable'])
  })

  test('names no method that a client made up', async () => {
    const [span] = await exchange(undefined, undefined, { method: 'CANARY' })()
    expect([span?.name, span?.attributes['http.request.method']]).toEqual(['outbound _OTHER', '_OTHER'])
  })
})

describe('the span of a question', () => {
  test('is a child of the exchange’s, in the words for models', async () => {
    const spans = await exchange(headWith(['traceparent', `00-${TRACE}-${PARENT}-01`]), (watch) => {
      watch.asks(OUTSIDE)({ outcome: 'answered', verdict: 'deny', inputTokens: 10, outputTokens: 2 })
    })()
    const [question, whole] = spans
    expect(question?.parentSpanContext?.spanId).toBe(whole?.spanContext().spanId)
    expect([question?.name, question?.kind, question?.status.code]).toEqual(['chat m-1', 2, 0])
    expect(question?.attributes).toEqual({
      'plumbline.question': 'judge',
      'plumbline.verdict': 'deny',
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.output.type': 'json',
      'gen_ai.request.model': 'm-1',
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.output_tokens': 2,
      'server.address': 'judge.test',
      'server.port': 443,
    })
  })

  test('of a reflector is no model’s; a failure is an error', async () => {
    const [question] = await exchange(headWith(), (watch) => {
      const outside = { what: 'reflector', endpoint: new URL('http://[::1]:8090/reflect') } as const
      watch.asks(outside)({ outcome: 'failed', failure: 'timed_out' })
    })()
    expect([question?.name, question?.status.code]).toEqual(['reflect', 2])
    expect(question?.attributes).toEqual({
      'plumbline.question': 'reflector',
      'server.address': '::1',
      'server.port': 8090,
      'error.type': 'timed_out',
    })
  })
})

test('a collector that takes nothing is told of', async () => {
  const { warned } = await traced((telemetry) => {
    telemetry.begins(caller('outbound'), headWith()).ends(RECORD)
  }, 1)
  expect(warned).toEqual([[{ spans: 1, why: 'no collector' }, 'traces could not be sent']])
})

describe('the variables', () => {
  const AT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.test:4318' }
  test.each<[Readonly<Record<string, string>>, ReturnType<typeof tracesWanted>]>([
    [{}, 'off'],
    [{ OTEL_SERVICE_NAME: 'x' }, 'off'],
    [AT, 'http/protobuf'],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://c/v1/traces' }, 'http/protobuf'],
    [{ OTEL_TRACES_EXPORTER: 'otlp' }, 'http/protobuf'],
    [{ ...AT, OTEL_TRACES_EXPORTER: 'none' }, 'off'],
    [{ ...AT, OTEL_SDK_DISABLED: 'True' }, 'off'],
    [{ ...AT, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, 'http/json'],
    [{ ...AT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' }, 'http/json'],
    [{ ...AT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, { wrong: expect.stringContaining('"grpc"') as string }],
    [{ ...AT, OTEL_TRACES_EXPORTER: 'zipkin' }, { wrong: expect.stringContaining('"zipkin"') as string }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' }, { wrong: expect.stringContaining('must be a URL') as string }],
  ])('%j', (environment, wanted) => {
    expect(tracesWanted(environment)).toEqual(wanted)
  })

  test('that ask for nothing load nothing', async () => {
    const tracing = await openTracing({ environment: {}, version: '1', warn: () => undefined })
    expect(tracing).toMatchObject({ telemetry: undefined })
  })
})
