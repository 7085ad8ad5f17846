import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { MODE_PAIRS } from '../src/extproc/messages.ts'

interface Processor {
  readonly processing_mode: Record<string, string>
  readonly allowed_override_modes: readonly Record<string, string>[]
  readonly failure_mode_allow: boolean
  readonly grpc_service: { readonly initial_metadata: readonly { readonly key: string; readonly value: string }[] }
}

const config = parse(readFileSync('envoy/sidecar.yaml', 'utf8')) as {
  static_resources: { listeners: { name: string; filter_chains: { filters: { typed_config: unknown }[] }[] }[] }
}

const processors = config.static_resources.listeners.map((listener) => {
  const manager = listener.filter_chains[0]?.filters[0]?.typed_config as {
    http_filters: { name: string; typed_config: Processor }[]
  }
  // It has to come first: what a filter before it does, nobody judged.
  expect(manager.http_filters[0]?.name).toBe('envoy.filters.http.ext_proc')
  return [listener.name, manager.http_filters[0]?.typed_config as Processor] as const
})

test.each(processors)(
  '%s: the overrides that Envoy allows are the ones that we send, and no other',
  (_name, filter) => {
    const allowed = filter.allowed_override_modes.map((mode) => ({ ...mode }))
    const sent = MODE_PAIRS.map((pair) => ({
      request_body_mode: pair.request.toUpperCase(),
      response_body_mode: pair.response.toUpperCase(),
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
