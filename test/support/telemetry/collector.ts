import protobuf from 'protobufjs'
import type { Closable } from '../closing.ts'
import { startUpstream } from '../upstream.ts'
import type { Arrival } from '../upstream.ts'

export interface SeenSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly name: string
  readonly kind: number
  readonly status: number
  readonly attributes: Readonly<Record<string, unknown>>
  readonly service: unknown
}

/** An OpenTelemetry collector that takes all that it is sent. */
export interface Collector extends Closable {
  readonly url: string
  readonly spans: () => readonly SeenSpan[]
  readonly arrivals: readonly Arrival[]
}

export async function startCollector(): Promise<Collector> {
  const server = await startUpstream('h1', (_, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'application/json' })
    outgoing.end('{}')
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    arrivals: server.arrivals,
    spans: () => server.arrivals.flatMap(spansIn),
    close: () => server.close(),
  }
}

/** What we read of OTLP; numbers of fields are those of its definition. */
const OTLP = protobuf
  .parse(
    `
  syntax = "proto3";
  message Request { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { repeated Span spans = 2; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
    repeated KeyValue attributes = 9; Status status = 15;
  }
  message Status { int32 code = 3; }
  message KeyValue { string key = 1; Value value = 2; }
  message Value { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }
`,
  )
  .root.lookupType('Request')

interface Attribute {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly traceId: string | Uint8Array
        readonly spanId: string | Uint8Array
        readonly parentSpanId?: string | Uint8Array
        readonly name: string
        readonly kind: number
        readonly status?: { readonly code?: number }
        readonly attributes: readonly Attribute[]
      }[]
    }[]
  }[]
}

function spansIn({ headers, body }: Arrival): readonly SeenSpan[] {
  const json = headers.some(([name, value]) => name.toLowerCase() === 'content-type' && value === 'application/json')
  const sent = (json ? JSON.parse(body.toString()) : OTLP.toObject(OTLP.decode(body), { longs: Number })) as Sent
  return sent.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        traceId: hex(span.traceId),
        spanId: hex(span.spanId),
        parentSpanId: hex(span.parentSpanId ?? ''),
        name: span.name,
        kind: span.kind,
        status: span.status?.code ?? 0,
        attributes: values(span.attributes),
        service: values(resource.attributes)['service.name'],
      })),
    ),
  )
}

/** In JSON they are hex already. */
function hex(id: string | Uint8Array): string {
  return typeof id === 'string' ? id : Buffer.from(id).toString('hex')
}

function values(attributes: readonly Attribute[] = []): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}
