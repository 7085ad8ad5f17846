import type { Telemetry } from '../core/telemetry.ts'

/** Exchanges as spans, sent to a collector. */
export interface Tracing {
  /** Undefined: nobody asked for traces. */
  readonly telemetry: Telemetry | undefined
  /** Sends what is not sent yet, or gives up on it. Never rejects. */
  stop(): Promise<void>
}

export interface TracingOptions {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly version: string
  /** Hears of each batch that could not be sent. */
  readonly warn: (facts: Readonly<Record<string, unknown>>, message: string) => void
}

const OFF: Tracing = { telemetry: undefined, stop: () => Promise.resolve() }

const PROTOCOLS = ['http/protobuf', 'http/json'] as const

type Protocol = (typeof PROTOCOLS)[number]

/** Traces, where the standard variables ask for them. The libraries are loaded only then. */
export async function openTracing(options: TracingOptions): Promise<Tracing | { readonly wrong: string }> {
  const wish = tracesWanted(options.environment)
  if (wish === 'off') return OFF
  if (typeof wish === 'object') return wish
  const { createTraces } = await import('./traces.ts')
  const { OTLPTraceExporter } =
    wish === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto')
  return createTraces({ ...options, exporter: new OTLPTraceExporter() })
}

/** What the variables of OpenTelemetry's specification say; those that it leaves to exporters are read there. */
export function tracesWanted(
  environment: TracingOptions['environment'],
): 'off' | Protocol | { readonly wrong: string } {
  const value = (name: string): string => environment[name]?.trim() ?? ''
  const exporter = value('OTEL_TRACES_EXPORTER')
  const endpoints = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'].filter(
    (name) => value(name) !== '',
  )
  if (value('OTEL_SDK_DISABLED').toLowerCase() === 'true' || exporter === 'none') return 'off'
  if (exporter !== '' && exporter !== 'otlp')
    return { wrong: `OTEL_TRACES_EXPORTER is "${exporter}"; it may be otlp or none` }
  if (exporter === '' && endpoints.length === 0) return 'off'
  for (const name of endpoints) {
    if (!/^https?:\/\/[^/]/.test(value(name)))
      return { wrong: `${name} must be a URL that begins with http:// or https://` }
  }
  const protocol = value('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') || value('OTEL_EXPORTER_OTLP_PROTOCOL') || PROTOCOLS[0]
  const known = PROTOCOLS.find((each) => each === protocol)
  return (
    known ?? {
      wrong: `the OTLP protocol "${protocol}" is not supported; set OTEL_EXPORTER_OTLP_PROTOCOL to ${PROTOCOLS.join(' or ')}`,
    }
  )
}
