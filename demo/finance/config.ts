import type { PlumblineConfig } from '../../test/support/plumbline.ts'
import type { JudgeOption } from '../stage/options.ts'
import type { Options } from './options.ts'
import type { Story } from './story.ts'

/** Where sparc looks. */
export type Enforcement = 'mcp' | 'inference'

/** ibac alone: it knows what the user wants, and not whether the agent knows enough to do it. */
export function withoutSparc(story: Story, judge: JudgeOption): PlumblineConfig {
  return configOf([...parsers(story), ibac(story, judge)])
}

export function withSparc(
  story: Story,
  judge: JudgeOption,
  enforcement: Enforcement,
  options: Options,
): PlumblineConfig {
  if (options.withoutSparc) return withoutSparc(story, judge)
  return configOf([...parsers(story), ibac(story, judge), sparc(enforcement, options)])
}

/** Envoy has to wait for the slowest verdict of the two gates, and a little longer. */
export const MESSAGE_TIMEOUT_MS = 37_500

function configOf(plugins: readonly Readonly<Record<string, unknown>>[]): PlumblineConfig {
  return { pipeline: { inbound: { plugins: ['a2a-parser'] }, outbound: { plugins } } }
}

function parsers({ bankHost, modelHost }: Story) {
  return [
    { name: 'mcp-parser', config: { hosts: [bankHost] } },
    { name: 'inference-parser', config: { hosts: [modelHost] } },
  ]
}

function ibac({ modelHost }: Story, judge: JudgeOption) {
  return {
    name: 'ibac',
    on_error: 'enforce',
    config: {
      judge_endpoint: judge.endpoint,
      judge_model: judge.model,
      unclassified_policy: 'judge',
      no_intent_policy: 'deny',
      agent_llm_host: modelHost,
    },
  }
}

function sparc(enforcement: Enforcement, { observe, reflectorEndpoint }: Options) {
  const reflector =
    reflectorEndpoint === undefined ? { reflector: 'embedded' } : { reflector_endpoint: reflectorEndpoint }
  return {
    name: 'sparc',
    on_error: observe ? 'observe' : 'enforce',
    config: { ...reflector, enforcement, fail_policy: 'closed' },
  }
}
