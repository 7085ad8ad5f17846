import { choice, flag, globs, integer, secret, strictObject, text, type Field } from '../../config/fields.ts'
import type { ChainFacts } from '../../config/plugin-type.ts'
import { isHost, canonicalHost } from '../../http/hosts.ts'
import { RESERVED_MEMBERS } from '../../llm/chat.ts'
import { BUILT_IN_BYPASS_HOSTS } from '../kit/host-bypass.ts'
import { jsonMembers } from '../kit/json-members.ts'
import { BUILT_IN_BYPASS_PATHS } from '../kit/path-bypass.ts'

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
  readonly judge_inference: boolean
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

export const ibacSchema: Field<IbacConfig> = strictObject({
  judge: choice(['llm', 'embedded']).default('llm'),
  judge_endpoint: checked(text(), endpointFault).default(''),
  judge_model: text().default(''),
  judge_bearer: checked(secret(), bearerFault).default(''),
  judge_max_tokens: integer(0, 1_000_000).default(1024),
  judge_json_mode: flag().default(true),
  judge_extra: checked(jsonMembers(), extraFault).default({}),
  system_prompt: text().default(''),
  timeout_ms: integer(100, 600_000).default(5000),
  judge_inference: flag().default(false),
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

/** A field with a further demand; `fault` says what is wrong and what would be right. */
function checked<T>(field: Field<T>, fault: (value: T) => string | undefined): Field<T> {
  return field.check((context) => {
    const message = fault(context.value)
    if (message !== undefined) context.issues.push({ code: 'custom', message, input: context.value })
  })
}

const ENDPOINT_HELP = 'write the base URL, such as "http://ollama.local:11434"'

/** Says nothing of the value but what is safe: it may hold a password. */
function endpointFault(endpoint: string): string | undefined {
  // Whether it may be empty depends on `judge`.
  if (endpoint === '') return undefined
  if (!URL.canParse(endpoint)) return `must be a URL; ${ENDPOINT_HELP}`
  const url = new URL(endpoint)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return `must begin with http:// or https://; ${ENDPOINT_HELP}`
  if (url.username !== '' || url.password !== '') return 'must not hold a password; use judge_bearer'
  if (url.search !== '' || url.hash !== '') return `must have no query and no fragment; ${ENDPOINT_HELP}`
  const versioned = /\/v1(\/chat\/completions)?\/*$/u
  if (!versioned.test(url.pathname)) return undefined
  const base = `${url.origin}${url.pathname.replace(versioned, '')}`
  return `must not end in ${versioned.exec(url.pathname)?.[0] ?? ''}, which is added to it; write "${base}"`
}

/** A header cannot carry anything else; a line break from a file is the usual guest. */
function bearerFault(bearer: string): string | undefined {
  return /^[!-~]*$/u.test(bearer) ? undefined : 'must be one word of visible ASCII characters, without line break'
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
  judge_endpoint: ENDPOINT_HELP,
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
  const inference = chain.siblings.find(({ name }) => name === 'inference-parser')
  const modelKnown = config.agent_llm_host !== '' || listIn(inference?.config, 'hosts').length > 0
  return config.unclassified_policy === 'judge' && !modelKnown ? [MODEL_WARNING] : []
}

const MODEL_WARNING =
  "unclassified_policy: judge, and agent_llm_host is missing: the agent's own questions to its model are judged. " +
  'Name its host, or add it to the hosts of inference-parser:\n- name: ibac\n  config:\n    agent_llm_host: "name.of.the.host"'

/** A list of texts in a sibling's configuration. The sibling's own schema has checked it. */
export function listIn(config: unknown, key: string): readonly string[] {
  const value: unknown = typeof config === 'object' && config !== null ? Reflect.get(config, key) : undefined
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}
