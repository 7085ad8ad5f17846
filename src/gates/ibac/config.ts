import {
  checked,
  choice,
  flag,
  globs,
  integer,
  list,
  number,
  secret,
  strictObject,
  text,
  type Field,
} from '../../config/fields.ts'
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
import { effectsField, type NamedEffects } from './effects-field.ts'

/** `max_results_bytes`, where nothing is said. */
export const RESULTS_BYTES = 524_288

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
  readonly deny_at: number
  readonly effects: NamedEffects
  readonly delegation_phrases: readonly string[]
  readonly max_results_bytes: number
  readonly prefilter: 'off' | 'embedded'
}

const ENDPOINT: EndpointRules = {
  example: 'http://ollama.local:11434',
  bearerField: 'judge_bearer',
  added: /\/v1(\/chat\/completions)?\/*$/u,
}

const PHRASES = 100
const PHRASE_SHORTEST = 3
const PHRASE_LONGEST = 200

export const ibacSchema: Field<IbacConfig> = strictObject({
  judge: choice(['llm', 'embedded'])
    .default('llm')
    .describe('`llm`: a model. `embedded`: built-in rules, without one; a heuristic.'),
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
  deny_at: number(1, 20)
    .default(5)
    .describe(
      'The score at which the embedded judge denies. `7.5` is the quiet setting: about a fifth of the false alarms, ' +
        'and up to half of what is stopped at 5 passes.',
    ),
  effects: effectsField()
    .default({})
    .describe(
      'What tools do, by globs of their names, for the embedded judge; the first that matches counts. Where none ' +
        'does, it guesses by the name.',
    ),
  delegation_phrases: checked(list(text({ nonEmpty: true })), phrasesFault, {
    schema: { maxItems: PHRASES, items: { type: 'string', minLength: PHRASE_SHORTEST, maxLength: PHRASE_LONGEST } },
  })
    .default([])
    .describe(
      'What your users say when they hand over to what a text says, beside what the embedded judge knows. Plain words: ' +
        '`work off my list`.',
    ),
  max_results_bytes: integer(16_384, 16_777_216)
    .default(RESULTS_BYTES)
    .describe(
      'How much of what tools answered in one session the embedded judge holds, newest first. What it does not hold ' +
        'counts as unknown.',
    ),
  prefilter: choice(['off', 'embedded'])
    .default('off')
    .describe(
      'With `judge: llm`. `embedded`: what the embedded judge finds clearly aligned is allowed without a question, all ' +
        'else is asked.',
    ),
}).describe('ibac: is this action what the user asked for?')

function phrasesFault(phrases: readonly string[]): string | undefined {
  if (phrases.length > PHRASES) return `must have at most ${PHRASES} phrases`
  const fits = phrases.every(({ length }) => length >= PHRASE_SHORTEST && length <= PHRASE_LONGEST)
  return fits ? undefined : `must be phrases of ${PHRASE_SHORTEST} to ${PHRASE_LONGEST} characters each`
}

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
    ...(config.judge === 'embedded' && config.prefilter === 'embedded' ? [PREFILTER_WARNING] : []),
    ...(config.judge_completions && !standsIn(chain, 'inference-parser') ? [COMPLETIONS_WARNING] : []),
  ]
}

const PREFILTER_WARNING =
  'prefilter: embedded has no effect with judge: embedded, which decides all by itself. Leave it out, or write judge: llm ' +
  'with judge_endpoint and judge_model.'

const COMPLETIONS_WARNING =
  'judge_completions: true, and nothing in this chain reads the answers of models, so no proposed call is seen. ' +
  'Add to its plugins:\n- inference-parser'

const MODEL_WARNING =
  "unclassified_policy: judge, and agent_llm_host is missing: the agent's own questions to its model are judged. " +
  'Name its host, or add it to the hosts of inference-parser:\n- name: ibac\n  config:\n    agent_llm_host: "name.of.the.host"'
