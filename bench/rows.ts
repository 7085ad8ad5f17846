import type { PlumblineConfig } from '../test/support/plumbline.ts'
import { MODEL_HOST, TOOLS_HOST } from './loads.ts'
import type { Load } from './loads.ts'

/** What gates ask. */
export interface ServiceUrls {
  readonly judge: string
  readonly reflector: string
}

/** What stands beside Envoy. */
export type Processor =
  /** Nothing: the same Envoy configuration without the filter. */
  | { readonly kind: 'none' }
  /** A do-nothing server on the same gRPC library. */
  | { readonly kind: 'floor' }
  | { readonly kind: 'plumbline'; readonly config: (services: ServiceUrls) => PlumblineConfig }

export interface Row {
  readonly id: string
  readonly title: string
  readonly processor: Processor
  /** `plugin reason` of entries that the record of each load must have: a row that measures something else is void. */
  readonly proof: Readonly<Record<Load['id'], readonly string[]>>
}

const NO_PROOF = { 'tool-call': [], inference: [] }
const READ = { 'tool-call': ['mcp-parser read'], inference: ['inference-parser read'] }
const JUDGED = {
  'tool-call': [...READ['tool-call'], 'ibac aligned'],
  inference: [...READ.inference, 'ibac inference_bypass'],
}

const MCP = { name: 'mcp-parser', config: { hosts: [TOOLS_HOST] } }
const INFERENCE = { name: 'inference-parser', config: { hosts: [MODEL_HOST] } }

export const ROWS: readonly Row[] = [
  { id: 'envoy', title: 'Envoy alone', processor: { kind: 'none' }, proof: NO_PROOF },
  { id: 'floor', title: 'the floor', processor: { kind: 'floor' }, proof: NO_PROOF },
  { id: 'empty', title: 'empty chain', processor: plumbline([], []), proof: NO_PROOF },
  {
    id: 'parsers',
    title: 'parsers only',
    processor: plumbline(['a2a-parser'], [MCP, INFERENCE, 'a2a-parser']),
    proof: READ,
  },
  {
    id: 'judged',
    title: 'judge at 0 ms',
    processor: {
      kind: 'plumbline',
      config: ({ judge }) => chains(['a2a-parser'], [MCP, INFERENCE, ibac(judge, 0)]),
    },
    proof: JUDGED,
  },
  {
    id: 'cached',
    title: 'verdict from cache',
    processor: {
      kind: 'plumbline',
      config: ({ judge }) => chains(['a2a-parser'], [MCP, INFERENCE, ibac(judge, 60_000)]),
    },
    proof: JUDGED,
  },
]

type Plugins = NonNullable<PlumblineConfig['pipeline']['inbound']>['plugins']

function plumbline(inbound: Plugins, outbound: Plugins): Processor {
  return { kind: 'plumbline', config: () => chains(inbound, outbound) }
}

function chains(inbound: Plugins, outbound: Plugins): PlumblineConfig {
  return { pipeline: { inbound: { plugins: inbound }, outbound: { plugins: outbound } } }
}

function ibac(judge: string, cacheMs: number) {
  return {
    name: 'ibac',
    config: { judge_endpoint: judge, judge_model: 'stub', unclassified_policy: 'judge', cache_ttl_ms: cacheMs },
  }
}

/** The rows of the table of streams: what a client of a streamed completion with a tool call waits for. */
export const STREAM_ROWS: readonly Row[] = [
  { id: 'envoy', title: 'Envoy alone', processor: { kind: 'none' }, proof: NO_PROOF },
  { id: 'unwatched', title: 'parsers only', processor: plumbline([], [INFERENCE]), proof: NO_PROOF },
  {
    id: 'held',
    title: 'sparc, every call asked about',
    processor: { kind: 'plumbline', config: ({ reflector }) => chains([], [INFERENCE, sparc(reflector, 0)]) },
    proof: NO_PROOF,
  },
  {
    id: 'known',
    title: 'sparc, verdict from cache',
    processor: { kind: 'plumbline', config: ({ reflector }) => chains([], [INFERENCE, sparc(reflector, 600_000)]) },
    proof: NO_PROOF,
  },
]

function sparc(reflector: string, cacheMs: number) {
  return {
    name: 'sparc',
    config: { reflector_endpoint: reflector, enforcement: 'inference', cache_ttl_ms: cacheMs },
  }
}
