import { checked, choice, flag, globs, integer, secret, strictObject, text, type Field } from '../../config/fields.ts'
import type { ChainFacts } from '../../config/plugin-type.ts'
import { isHost, canonicalHost } from '../../http/hosts.ts'
import { RESERVED_MEMBERS } from '../../llm/chat.ts'
import {
  BEARER_DEMAND,
  bearerFault,
  ENDPOINT_DEMAND,
  endpointFault,
  endpointHelp,
  type EndpointRules,
} from '../kit/endpoint.ts'
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
  judge: choice(['llm', 'embedded']).default('llm').describe('`llm`: a model. `embedded`: simple rules, without one.'),
  judge_endpoint: checked(text(), (endpoint) => endpointFault(endpoint, ENDPOINT), ENDPOINT_DEMAND)
    .default('')
    .describe(
      'Base URL of any OpenAI-compatible server, required for `llm`. Questions go to ' +
        '`{judge_endpoint}/v1/chat/completions`, so it must not end in `/v1` itself.',
    ),
  judge_model: text().default('').describe('The model that the question names; required for `llm`.'),
  judge_bearer: checked(secret(), bearerFault, BEARER_DEMAND)
    .default('')
    .describe('Bearer token for the judge. Empty: no Authorization header.'),
  judge_max_tokens: integer(0, 1_000_000)
    .default(1024)
    .describe('`max_tokens` of the question. `0` leaves it out, for servers that know it by another name.'),
  judge_json_mode: flag()
    .default(true)
    .describe('Asks for one JSON object (`response_format`). `false` leaves it out.'),
  judge_extra: checked(jsonMembers(), extraFault, { schema: { propertyNames: { not: { enum: RESERVED_MEMBERS } } } })
    .default({})
    .describe(
      "Further members of the question's body, such as `temperature: 0`. They win over `max_tokens` and " +
        '`response_format`; `model`, `messages` and `stream` cannot be set.',
    ),
  system_prompt: text()
    .default('')
    .describe(
      'Replaces the built-in prompt. It must ask for `{"verdict":"allow"|"deny","reason":"…"}`. The question itself ' +
        'repeats that, and says which part is data.',
    ),
  timeout_ms: integer(100, 600_000)
    .default(5000)
    .describe(
      'Time for a verdict. It runs from the moment the gate is asked: waiting for a turn and all candidates are ' +
        'inside it.',
    ),
  cache_ttl_ms: integer(0, 86_400_000)
    .default(60_000)
    .describe('How long a verdict holds for equal questions, up to a day. `0`: every question is asked.'),
  judge_inference: flag().default(false).describe("Also judges the agent's own questions to its model."),
  judge_completions: flag()
    .default(false)
    .describe('Also judges the tool calls that a model proposes, before the agent sees them.'),
  agent_llm_host: checked(text(), agentHostFault)
    .default('')
    .describe(
      "Host of the agent's own model, with or without port. Its traffic is not judged whatever `judge_inference` " +
        'says, and inference-parser takes the host for its own.',
    ),
  bypass_hosts: globs('host')
    .default([...BUILT_IN_BYPASS_HOSTS])
    .describe('Host globs that are not judged. A list that is set replaces the built-in one.'),
  bypass_paths: globs('path')
    .default([...BUILT_IN_BYPASS_PATHS])
    .describe('Path globs that are not judged. A list that is set replaces the built-in one.'),
  no_intent_policy: choice(['allow', 'deny'])
    .default('allow')
    .describe('An action without known user intent: `allow` skips it, `deny` refuses it.'),
  unclassified_policy: choice(['passthrough', 'judge'])
    .default('passthrough')
    .describe('Traffic that no parser claimed: `passthrough` lets it pass, `judge` judges it.'),
  intent_turns: integer(1, 100).default(1).describe("How many of the user's intents are shown, newest first."),
  ambiguous_session_policy: choice(['any', 'deny'])
    .default('any')
    .describe(
      'The action could belong to several sessions: `any` asks about each, and one allow allows; `deny` refuses.',
    ),
  max_candidates: integer(1, 64).default(8).describe('How many different intents are asked about then, all at once.'),
  max_action_bytes: integer(1024, 1_048_576)
    .default(16_384)
    .describe('The most that is shown of an action, after shortening.'),
  oversize_action: choice(['judge', 'deny'])
    .default('judge')
    .describe(
      'What cannot be shown whole (longer than that, no text, not read): `judge` shows what can be shown and says ' +
        'that it is not all, `deny` refuses.',
    ),
  trusted_hosts: globs('host').default([]).describe('Host globs that the embedded judge trusts.'),
}).describe('ibac: is this action what the user asked for?')

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
