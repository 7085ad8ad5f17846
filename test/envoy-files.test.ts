import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { messageTimeouts, verdictDeadlines } from '../src/config/deadlines.ts'
import { topSchema } from '../src/config/schema.ts'
import type { Chain, Gate } from '../src/core/plugin.ts'
import { MODE_PAIRS } from '../src/extproc/messages.ts'
import { ibacSchema } from '../src/gates/ibac/config.ts'

const MODE_NAMES = {
  none: 'NONE',
  streamed: 'STREAMED',
  buffered: 'BUFFERED',
  full_duplex: 'FULL_DUPLEX_STREAMED',
} as const

const defaults = topSchema.parse({ pipeline: {} })

interface Processor {
  readonly message_timeout: string
  readonly processing_mode: Record<string, string>
  readonly allowed_override_modes: readonly Record<string, string>[]
  readonly failure_mode_allow: boolean
  readonly grpc_service: { readonly initial_metadata: readonly { readonly key: string; readonly value: string }[] }
}

interface Manager {
  readonly http_filters: readonly { readonly name: string; readonly typed_config: Processor }[]
  readonly http2_protocol_options: { readonly initial_stream_window_size: number }
}

const config = parse(readFileSync('envoy/sidecar.yaml', 'utf8')) as {
  static_resources: {
    listeners: {
      name: string
      per_connection_buffer_limit_bytes: number
      filter_chains: { filters: { typed_config: Manager }[] }[]
    }[]
    clusters: { name: string; circuit_breakers?: { thresholds: { max_requests: number }[] } }[]
  }
}

const listeners = config.static_resources.listeners.map((listener) => {
  const manager = listener.filter_chains[0]?.filters[0]?.typed_config
  const first = manager?.http_filters[0]
  if (manager === undefined || first === undefined) throw new Error(`${listener.name} has no filters`)
  return { ...listener, manager, first }
})
const processors = listeners.map(({ name, first }) => [name, first.typed_config] as const)

test.each(listeners)('$name: the processor comes first: what a filter before it does, nobody judged', ({ first }) => {
  expect(first.name).toBe('envoy.filters.http.ext_proc')
})

test.each(processors)('%s: Envoy waits as long as Plumbline with its defaults may take', (_name, filter) => {
  const { timeout_ms: timeoutMs } = ibacSchema.parse({})
  const gate = { kind: 'gate', timeoutMs, points: ['request'] } as Partial<Gate> as Gate
  const chain: Chain = { plugins: [{ id: 'ibac', name: 'ibac', mode: 'enforce', plugin: gate }] }
  const { outbound } = messageTimeouts(verdictDeadlines({ inbound: chain, outbound: chain }, undefined))
  expect(filter.message_timeout).toBe(`${outbound / 1000}s`)
})

test.each(listeners)('$name: bodies end where ours do', (listener) => {
  const { max_body_bytes: limit } = defaults.listener
  expect(listener.per_connection_buffer_limit_bytes).toBe(limit)
  expect(listener.manager.http2_protocol_options.initial_stream_window_size).toBe(limit)
})

test('as many streams as we take', () => {
  const plumbline = config.static_resources.clusters.find(({ name }) => name === 'plumbline')
  expect(plumbline?.circuit_breakers?.thresholds[0]?.max_requests).toBe(defaults.listener.max_streams)
})

test.each(processors)(
  '%s: the overrides that Envoy allows are the ones that we send, and no other',
  (_name, filter) => {
    const allowed = filter.allowed_override_modes.map((mode) => ({ ...mode }))
    const sent = MODE_PAIRS.map((pair) => ({
      request_body_mode: MODE_NAMES[pair.request],
      response_body_mode: MODE_NAMES[pair.response],
      response_header_mode: 'SEND',
      request_trailer_mode: 'SEND',
      response_trailer_mode: 'SEND',
    }))
    expect(sorted(allowed)).toEqual(sorted(sent))
  },
)

test.each(processors)('%s: everything is shown unless we ask otherwise, and no verdict is a no', (_name, filter) => {
  expect(filter.failure_mode_allow).toBe(false)
  expect(filter.processing_mode).toEqual({
    request_header_mode: 'SEND',
    request_body_mode: 'BUFFERED',
    request_trailer_mode: 'SEND',
    response_header_mode: 'SEND',
    response_body_mode: 'BUFFERED',
    response_trailer_mode: 'SEND',
  })
})

test.each(processors)('%s: the filter says who speaks, in words of its own', (name, filter) => {
  const entries = filter.grpc_service.initial_metadata
  expect(entries).toContainEqual({ key: 'x-plumbline-direction', value: name })
  for (const { value } of entries) expect(value).not.toMatch(/%(REQ|RESP|PATH|QUERY)/)
})

function sorted(modes: readonly Record<string, string>[]): readonly string[] {
  return modes.map((mode) => JSON.stringify(Object.entries(mode).sort())).sort()
}
