import type { PlumblineConfig } from '../test/support/plumbline.ts'
import { MODEL_HOST, TOOLS_HOST } from './loads.ts'
import type { Load } from './loads.ts'

/** What stands beside Envoy. */
export type Processor =
  /** Nothing: the same Envoy configuration without the filter. */
  | { readonly kind: 'none' }
  /** A do-nothing server on the same gRPC library. */
  | { readonly kind: 'floor' }
  | { readonly kind: 'plumbline'; readonly config: (judgeUrl: string) => PlumblineConfig }

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
      config: (judgeUrl) => chains(['a2a-parser'], [MCP, INFERENCE, ibac(judgeUrl)]),
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

function ibac(judgeUrl: string) {
  return { name: 'ibac', config: { judge_endpoint: judgeUrl, judge_model: 'stub', unclassified_policy: 'judge' } }
}
