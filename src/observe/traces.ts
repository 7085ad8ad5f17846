import { type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace, type Tracer } from '@opentelemetry/api'
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base'
import type { Caller } from '../core/handler.ts'
import type { Head } from '../core/exchange.ts'
import type { ExchangeRecord, Invocation } from '../core/record.ts'
import { type Asked, type ExchangeWatch, NO_WATCH, type Outside } from '../core/telemetry.ts'
import { sumUp } from './outcome.ts'
import type { Tracing, TracingOptions } from './tracing.ts'

export interface TracesOptions extends Omit<TracingOptions, 'environment'> {
  readonly exporter: SpanExporter
}

/** How long a process that ends waits for its last spans to be taken. */
const FLUSH_MS = 2000

/** Decisions of one exchange that are told as events; an answer may propose many calls. */
const EVENTS = 64

/** One span for an exchange, and one below it for each question that left the process. */
export function createTraces({ exporter, version, warn }: TracesOptions): Tracing {
  const ids = createIds()
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'plumbline', 'service.version': version }))
    .merge(detectResources({ detectors: [envDetector] }))
  const provider = new BasicTracerProvider({
    resource,
    idGenerator: ids,
    spanProcessors: [new BatchSpanProcessor(tellingFailures(exporter, warn))],
  })
  const tracer = provider.getTracer('plumbline', version)
  return {
    telemetry: {
      begins: (caller, head, traceparent) => {
        const span = startExchange(tracer, ids, caller, head, traceparent)
        return span.isRecording() ? watching(tracer, span) : NO_WATCH
      },
    },
    stop: async () => {
      const flushed = provider.shutdown().catch(() => undefined)
      await Promise.race([flushed, new Promise((resolve) => setTimeout(resolve, FLUSH_MS).unref())])
    },
  }
}

// ---- where a span hangs ----

interface Ids extends IdGenerator {
  /** The next root span is the one of this traceparent. */
  take(traceparent: string): void
  release(): void
}

function createIds(): Ids {
  const random = new RandomIdGenerator()
  let given: readonly string[] | undefined
  return {
    take: (traceparent) => {
      given = traceparent.split('-')
    },
    release: () => {
      given = undefined
    },
    generateTraceId: () => given?.[1] ?? random.generateTraceId(),
    generateSpanId: () => given?.[2] ?? random.generateSpanId(),
  }
}

const PROPAGATOR = new W3CTraceContextPropagator()

/** The caller's context. One that is malformed, or there twice, is none. */
function parentIn(head: Head | undefined): Context {
  const parent = head?.headers.one('traceparent')
  if (head === undefined || parent === undefined) return ROOT_CONTEXT
  const carrier = { traceparent: parent, tracestate: head.headers.all('tracestate').join(',') }
  const getter = {
    keys: () => Object.keys(carrier),
    get: (_: unknown, name: string) => (name === 'traceparent' ? carrier.traceparent : carrier.tracestate),
  }
  return PROPAGATOR.extract(ROOT_CONTEXT, carrier, getter)
}

/**
 * Where the exchange goes on with a traceparent of our own making, its span is the one that is named there, so that what
 * the agent does hangs below it.
 */
function startExchange(
  tracer: Tracer,
  ids: Ids,
  caller: Caller | undefined,
  head: Head | undefined,
  traceparent: string | undefined,
): Span {
  const name = `${caller?.direction ?? 'unknown'} ${methodOf(head?.method ?? '')}`
  if (traceparent === undefined) return tracer.startSpan(name, { kind: SpanKind.SERVER }, parentIn(head))
  ids.take(traceparent)
  try {
    return tracer.startSpan(name, { kind: SpanKind.SERVER, root: true })
  } finally {
    ids.release()
  }
}

const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'CONNECT',
  'OPTIONS',
  'TRACE',
  'PATCH',
  'QUERY',
])

/** As the conventions have it: a client may invent methods without end. */
function methodOf(method: string): string {
  return METHODS.has(method) ? method : '_OTHER'
}

// ---- what a span says ----

function watching(tracer: Tracer, span: Span): ExchangeWatch {
  const below = trace.setSpan(ROOT_CONTEXT, span)
  return {
    asks: (outside) => {
      const question = tracer.startSpan(
        questionName(outside),
        { kind: SpanKind.CLIENT, attributes: questionAttributes(outside) },
        below,
      )
      return (how) => {
        endQuestion(question, how)
      }
    },
    recalls: (what, found) => {
      span.setAttribute(`plumbline.${what}.cached`, found)
    },
    decides: (ms) => {
      span.setAttribute('plumbline.verdict_ms', ms)
    },
    ends: (record) => {
      endExchange(span, record)
    },
  }
}

function questionName({ what, model }: Outside): string {
  if (what === 'reflector') return 'reflect'
  return model === undefined ? 'chat' : `chat ${model}`
}

function questionAttributes({ what, endpoint, model }: Outside): Readonly<Record<string, string | number>> {
  const chat = { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'openai', 'gen_ai.output.type': 'json' }
  return {
    'plumbline.question': what,
    'server.address': endpoint.hostname.replace(/^\[|\]$/g, ''),
    'server.port': Number(endpoint.port) || (endpoint.protocol === 'https:' ? 443 : 80),
    ...(what === 'judge' ? chat : {}),
    ...(model === undefined ? {} : { 'gen_ai.request.model': model }),
  }
}

function endQuestion(question: Span, { outcome, verdict, failure, inputTokens, outputTokens }: Asked): void {
  if (verdict !== undefined) question.setAttribute('plumbline.verdict', verdict)
  if (inputTokens !== undefined) question.setAttribute('gen_ai.usage.input_tokens', inputTokens)
  if (outputTokens !== undefined) question.setAttribute('gen_ai.usage.output_tokens', outputTokens)
  if (outcome === 'failed') {
    question.setAttribute('error.type', failure ?? '_OTHER')
    question.setStatus({ code: SpanStatusCode.ERROR })
  }
  question.end()
}

function endExchange(span: Span, record: ExchangeRecord): void {
  const { statusCode, refusal, sessionId, invocations } = record
  const method = methodOf(record.method)
  const no = invocations.find(({ action, shadow }) => shadow !== true && (action === 'deny' || action === 'modify'))
  span.setAttributes({
    'plumbline.direction': record.direction,
    'plumbline.workload': record.workload,
    'plumbline.request_id': record.requestId,
    'plumbline.outcome': sumUp(record).outcome,
    'plumbline.session.certainty': record.session.certainty,
    'http.request.method': method,
    'server.address': record.host,
    'url.path': record.path,
    ...(sessionId === undefined ? {} : { 'plumbline.session.id': sessionId }),
    ...(no === undefined ? {} : { 'plumbline.reason': no.reason }),
    ...(refusal === undefined
      ? {}
      : { 'plumbline.refusal.code': refusal.code, 'plumbline.refusal.plugin': refusal.plugin }),
    ...(statusCode === undefined ? {} : { 'http.response.status_code': statusCode }),
  })
  for (const each of invocations.filter(isDecision).slice(0, EVENTS))
    span.addEvent('plumbline.decision', decision(each))
  // A refusal with 403 is the gate at work. By the conventions, a server's span fails from 500 on.
  if (statusCode !== undefined && statusCode >= 500) {
    span.setAttribute('error.type', refusal?.code ?? String(statusCode))
    span.setStatus({ code: SpanStatusCode.ERROR })
  }
  span.end()
}

function isDecision({ action }: Invocation): boolean {
  return action !== 'skip' && action !== 'observe'
}

/** No details: they may quote. */
function decision({
  plugin,
  action,
  reason,
  phase,
  shadow,
  cached,
}: Invocation): Readonly<Record<string, string | boolean>> {
  return {
    'plumbline.plugin': plugin,
    'plumbline.action': action,
    'plumbline.reason': reason,
    'plumbline.phase': phase,
    ...(shadow === true ? { 'plumbline.shadow': true } : {}),
    ...(cached === true ? { 'plumbline.cached': true } : {}),
  }
}

// ---- sending ----

function tellingFailures(exporter: SpanExporter, warn: TracingOptions['warn']): SpanExporter {
  return {
    export: (spans, told) => {
      exporter.export(spans, (result) => {
        if (result.code !== ExportResultCode.SUCCESS)
          warn({ spans: spans.length, why: result.error?.message }, 'traces could not be sent')
        told(result)
      })
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  }
}
