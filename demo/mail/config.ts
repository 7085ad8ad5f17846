import type { PlumblineConfig } from '../../test/support/plumbline.ts'
import type { GateOptions } from './options.ts'
import type { Story } from './story.ts'

/** Parsers only: what every other check would have let through. */
export function withoutGate(story: Story): PlumblineConfig {
  return { pipeline: { inbound: { plugins: ['a2a-parser'] }, outbound: { plugins: parsers(story) } } }
}

/** The gate as a user would set it up: what is the agent's own is named, everything else is judged. */
export function withGate(story: Story, options: GateOptions): PlumblineConfig {
  if (options.withoutIbac) return withoutGate(story)
  const judge = options.judge
    ? { judge: 'llm', judge_endpoint: options.judge.endpoint, judge_model: options.judge.model }
    : { judge: 'embedded' }
  return gated(story, judge, options.observe)
}

/** A judge where nobody answers. */
export function withJudgeDown(story: Story, deadPort: number, options: GateOptions): PlumblineConfig {
  if (options.withoutIbac) return withoutGate(story)
  const judge = { judge: 'llm', judge_endpoint: `http://127.0.0.1:${deadPort}`, judge_model: 'none' }
  return gated(story, judge, options.observe)
}

function gated(story: Story, judge: object, observe: boolean): PlumblineConfig {
  const ibac = {
    name: 'ibac',
    on_error: observe ? 'observe' : 'enforce',
    config: {
      ...judge,
      unclassified_policy: 'judge',
      no_intent_policy: 'deny',
      agent_llm_host: story.modelHost,
      trusted_hosts: [story.mailHost],
    },
  }
  const { pipeline } = withoutGate(story)
  return { pipeline: { ...pipeline, outbound: { plugins: [...parsers(story), ibac] } } }
}

function parsers({ mailHost, modelHost }: Story) {
  return [
    { name: 'mcp-parser', config: { hosts: [mailHost] } },
    { name: 'inference-parser', config: { hosts: [modelHost] } },
  ]
}
