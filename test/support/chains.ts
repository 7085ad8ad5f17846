import type { PlumblineConfig, PluginList } from './plumbline.ts'

export interface IbacOptions {
  readonly judgeUrl: string
  readonly ibac?: Readonly<Record<string, unknown>>
  readonly mcp?: Readonly<Record<string, unknown>>
  readonly inference?: Readonly<Record<string, unknown>>
}

/** The reference's own chains: users come in by A2A, and each action of the agent is judged. */
export function judgedChains({ judgeUrl, ibac, mcp, inference }: IbacOptions): PlumblineConfig {
  // A test counts its questions, and changes the judge's mind.
  const judge = { judge_endpoint: judgeUrl, judge_model: 'stub', unclassified_policy: 'judge', cache_ttl_ms: 0 }
  return {
    pipeline: {
      inbound: { plugins: ['a2a-parser'] },
      outbound: {
        plugins: [
          plugin('mcp-parser', mcp),
          plugin('inference-parser', inference),
          { name: 'ibac', on_error: 'enforce', config: { ...judge, ...ibac } },
        ],
      },
    },
  }
}

function plugin(name: string, config: Readonly<Record<string, unknown>> | undefined) {
  return config === undefined ? name : { name, config }
}

/** The ids under which a chain's plugins stand in a record. */
export function pluginIds(list: PluginList | undefined): readonly string[] {
  return (list?.plugins ?? []).map((entry) =>
    typeof entry === 'string' ? entry : String(entry['id'] ?? entry['name']),
  )
}
