import { checked, choice, flag, globs, integer, secret, strictObject, text, type Field } from '../../config/fields.ts'
import type { ChainFacts } from '../../config/plugin-type.ts'
import { isHost, canonicalHost } from '../../http/hosts.ts'
import { RESERVED_MEMBERS } from '../../llm/chat.ts'
import { bearerFault, endpointFault, endpointHelp, type EndpointRules } from '../kit/endpoint.ts'
import { BUILT_IN_BYPASS_HOSTS } from '../kit/host-bypass.ts'
import { jsonMembers } from '../kit/json-members.ts'
import { BUILT_IN_BYPASS_PATHS } from '../kit/path-bypass.ts'
import { configOfSibling, listIn, standsIn } from '../kit/siblings.ts'

export interface IbacConfig {
  readonly judge: 'llm' | 'embedded'
  readonly judge_endpoint: string
  readonly judge_model: string
  readonly judge_bearer: string
  readonly judge_max_tokens: number
  readonly judge_json_mode: boolean
  readonly judge_extra: Readonly<Record<string, unknown>>
  readonly system_prompt: string
  readonly timeout_ms: number
  readonly cache_ttl_ms: number
  readonly judge_inference: boolean
  readonly judge_completions: boolean
  readonly agent_llm_host: string
  readonly bypass_hosts: readonly string[]
  readonly bypass_paths: readonly string[]
  readonly no_intent_policy: 'allow' | 'deny'
  readonly unclassified_policy: 'passthrough' | 'judge'
  readonly intent_turns: number
  readonly ambiguous_session_policy: 'any' | 'deny'
  readonly max_candidates: number
  readonly max_action_bytes: number
  readonly oversize_action: 'judge' | 'deny'
  readonly trusted_hosts: readonly string[]
}

const ENDPOINT: EndpointRules = {
  example: 'http://ollama.local:11434',
  bearerField: 'judge_bearer',
  added: /\/v1(\/chat\/completions)?\/*$/u,
}

export const ibacSchema: Field<IbacConfig> = strictObject({
  judge: choice(['llm', 'embedded']).default('llm'),
  judge_endpoint: checked(text(), (endpoint) => endpointFault(endpoint, ENDPOINT)).default(''),
  judge_model: text().default(''),
  judge_bearer: checked(secret(), bearerFault).default(''),
  judge_max_tokens: integer(0, 1_000_000).default(1024),
  judge_json_mode: flag().default(true),
  judge_extra: checked(jsonMembers(), extraFault).default({}),
  system_prompt: text().default(''),
  timeout_ms: integer(100, 600_000).default(5000),
  cache_ttl_ms: integer(0, 86_400_000).default(60_000),
  judge_inference: flag().default(false),
  judge_completions: flag().default(false),
  agent_llm_host: checked(text(), agentHostFault).default(''),
  bypass_hosts: globs('host').default([...BUILT_IN_BYPASS_HOSTS]),
  bypass_paths: globs('path').default([...BUILT_IN_BYPASS_PATHS]),
  no_intent_policy: choice(['allow', 'deny']).default('allow'),
  unclassified_policy: choice(['passthrough', 'judge']).default('passthrough'),
  intent_turns: integer(1, 100).default(1),
  ambiguous_session_policy: choice(['any', 'deny']).default('any'),
  max_candidates: integer(1, 64).default(8),
  max_action_bytes: integer(1024, 1_048_576).default(16_384),
  oversize_action: choice(['judge', 'deny']).default('judge'),
  trusted_hosts: globs('host').default([]),
})

function extraFault(extra: Readonly<Record<string, unknown>>): string | undefined {
  const reserved = RESERVED_MEMBERS.filter((name) => name in extra)
  return reserved.length === 0 ? undefined : `must not set ${reserved.join(', ')}: these are the question itself`
}

function agentHostFault(host: string): string | undefined {
  if (host === '' || isHost(canonicalHost(host))) return undefined
  return 'must be one host, with or without port, such as "ollama.local:11434"; for globs use bypass_hosts'
}

interface Problem {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** What one field alone cannot say. */
export function checkIbac(config: IbacConfig): readonly Problem[] {
  if (config.judge !== 'llm') return []
  const missing = (['judge_endpoint', 'judge_model'] as const).filter((name) => config[name] === '')
  return missing.map((name) => ({
    path: [name],
    message: `is required with judge: llm, and empty; ${HELP_FOR_MISSING[name]}, or write judge: embedded`,
  }))
}

const HELP_FOR_MISSING = {
  judge_endpoint: endpointHelp(ENDPOINT),
  judge_model: 'write the name of a model that the endpoint serves, such as "llama3.2:3b"',
} as const

export function failsOpen(config: IbacConfig): readonly string[] {
  return [
    ...(config.no_intent_policy === 'allow'
      ? ['no_intent_policy: allow (an action without a known user intent passes unjudged)']
      : []),
    ...(config.unclassified_policy === 'passthrough'
      ? ['unclassified_policy: passthrough (traffic that no parser understands passes unjudged)']
      : []),
  ]
}

/** That a parser has no hosts is the parser's own warning. */
export function warnIbac(config: IbacConfig, chain: ChainFacts): readonly string[] {
  const inference = configOfSibling(chain, 'inference-parser')
  const modelKnown = config.agent_llm_host !== '' || listIn(inference, 'hosts').length > 0
  return [
    ...(config.unclassified_policy === 'judge' && !modelKnown ? [MODEL_WARNING] : []),
    ...(config.judge_completions && !standsIn(chain, 'inference-parser') ? [COMPLETIONS_WARNING] : []),
  ]
}

const COMPLETIONS_WARNING =
  'judge_completions: true, and nothing in this chain reads the answers of models, so no proposed call is seen. ' +
  'Add to its plugins:\n- inference-parser'

const MODEL_WARNING =
  "unclassified_policy: judge, and agent_llm_host is missing: the agent's own questions to its model are judged. " +
  'Name its host, or add it to the hosts of inference-parser:\n- name: ibac\n  config:\n    agent_llm_host: "name.of.the.host"'
