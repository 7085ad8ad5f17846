import { checked, choice, globs, integer, number, secret, strictObject, text, type Field } from '../../config/fields.ts'
import type { ChainFacts } from '../../config/plugin-type.ts'
import {
  BEARER_DEMAND,
  bearerFault,
  ENDPOINT_DEMAND,
  endpointFault,
  endpointHelp,
  type EndpointRules,
} from '../kit/endpoint.ts'
import { BUILT_IN_BYPASS_HOSTS } from '../kit/host-bypass.ts'
import { BUILT_IN_BYPASS_PATHS } from '../kit/path-bypass.ts'
import { standsIn } from '../kit/siblings.ts'

const TRACKS = ['fast_track', 'slow_track', 'syntax', 'spec_free', 'transformations_only'] as const

export interface SparcConfig {
  readonly reflector: 'http' | 'embedded'
  readonly reflector_endpoint: string
  readonly reflector_bearer: string
  readonly enforcement: 'mcp' | 'inference'
  /** `embedded`: all that the embedded reflector checks. */
  readonly track: (typeof TRACKS)[number] | 'embedded'
  readonly embedded_policy: 'default' | 'balanced' | 'strict'
  readonly on_reject_action: 'observe' | 'reflect' | 'deny'
  readonly deny_score_threshold: number
  readonly fail_policy: 'open' | 'closed'
  readonly timeout_ms: number
  readonly cache_ttl_ms: number
  readonly skip_tools: readonly string[]
  readonly reflect_tools: readonly string[]
  readonly bypass_hosts: readonly string[]
  readonly bypass_paths: readonly string[]
}

const ENDPOINT: EndpointRules = {
  example: 'http://sparc-service.tools.svc:8090',
  bearerField: 'reflector_bearer',
  added: /\/reflect\/*$/u,
}

const fields = strictObject({
  reflector: choice(['http', 'embedded'])
    .default('http')
    .describe('`http`: the reflection service. `embedded`: built-in rules, without service or model.'),
  reflector_endpoint: checked(text(), (endpoint) => endpointFault(endpoint, ENDPOINT), ENDPOINT_DEMAND)
    .default('')
    .describe(
      'Base URL of the service, required for `http`. Questions go to `{reflector_endpoint}/reflect`, so it must not ' +
        'end in `/reflect` itself.',
    ),
  reflector_bearer: checked(secret(), bearerFault, BEARER_DEMAND)
    .default('')
    .describe('Bearer token for the service. Empty: no Authorization header.'),
  enforcement: choice(['mcp', 'inference'])
    .default('mcp')
    .describe(
      "Where the call is stopped. `mcp`: on its way to its server. `inference`: in the model's answer, before the " +
        'agent sees it.',
    ),
  track: choice(TRACKS)
    .optional()
    .describe(
      'What is checked. With `http`, by default `fast_track` (invented values, wrong tool). With `embedded`, left out ' +
        'for all that it checks, or `syntax` for the tool specifications alone; others need a model.',
    ),
  embedded_policy: choice(['default', 'balanced', 'strict'])
    .default('default')
    .describe(
      'With `reflector: embedded`, how much it takes to reject: `default`, `balanced` (a required option that nobody named is ' +
        'enough), `strict` (any finding is), meant for tools whose calls cannot be undone.',
    ),
  on_reject_action: choice(['observe', 'reflect', 'deny'])
    .default('reflect')
    .describe(
      'What becomes of a rejected call: `observe` lets it through and records it, `reflect` answers with a ' +
        'clarification, `deny` refuses it.',
    ),
  deny_score_threshold: number(0, 1)
    .default(0)
    .describe(
      'A reject whose score is this or lower is refused like under `deny`, also under `observe`. `0`: no score does ' +
        'that.',
    ),
  fail_policy: choice(['open', 'closed'])
    .default('open')
    .describe(
      'Without a verdict (the service is away, slow or undecided) and without the conversation: `open` lets the call ' +
        'through and records it, `closed` refuses it.',
    ),
  timeout_ms: integer(100, 600_000).default(30_000).describe('Time for a verdict, waiting for a turn included.'),
  cache_ttl_ms: integer(0, 86_400_000)
    .default(60_000)
    .describe('How long a verdict holds for equal questions, up to a day. `0`: every question is asked.'),
  skip_tools: globs('tool')
    .default([])
    .describe('Globs of tools that are not reflected on, such as those that only read. It wins over `reflect_tools`.'),
  reflect_tools: globs('tool')
    .default([])
    .describe('Where it is not empty: globs of the only tools that are reflected on.'),
  bypass_hosts: globs('host')
    .default([...BUILT_IN_BYPASS_HOSTS])
    .describe('Host globs that are not looked at. A list that is set replaces the built-in one.'),
  bypass_paths: globs('path')
    .default([...BUILT_IN_BYPASS_PATHS])
    .describe('Path globs that are not looked at. A list that is set replaces the built-in one.'),
}).describe('sparc: is this tool call supported by the conversation?')

export const sparcSchema: Field<SparcConfig> = fields.transform((config) => ({
  ...config,
  track: config.track ?? (config.reflector === 'http' ? 'fast_track' : 'embedded'),
}))

/** Where questions are asked; only with `reflector: http`. */
export function reflectUrl({ reflector_endpoint }: SparcConfig): URL {
  return new URL(`${reflector_endpoint.replace(/\/+$/u, '')}/reflect`)
}

interface Problem {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** What one field alone cannot say. */
export function checkSparc(config: SparcConfig, chain: ChainFacts): readonly Problem[] {
  const problems: Problem[] = []
  if (config.reflector === 'http' && config.reflector_endpoint === '') {
    const message = `is required with reflector: http, and empty; ${endpointHelp(ENDPOINT)}, or write reflector: embedded`
    problems.push({ path: ['reflector_endpoint'], message })
  }
  if (embeddedTrack(config) === undefined && config.reflector === 'embedded') {
    const message =
      `${config.track} needs a language model, and reflector: embedded has none; leave it out for all that is checked ` +
      'without one, write syntax for the tool specifications alone, or reflector: http'
    problems.push({ path: ['track'], message })
  }
  if (config.enforcement === 'inference' && !standsIn(chain, 'inference-parser')) {
    const message =
      'inference needs inference-parser in the same chain: nothing else sees the calls that a model proposes; ' +
      'add "- inference-parser" to its plugins'
    problems.push({ path: ['enforcement'], message })
  }
  return problems
}

/** The track of the embedded reflector, where it has the one that is configured. */
export function embeddedTrack({ track }: SparcConfig): 'syntax' | 'embedded' | undefined {
  return track === 'syntax' || track === 'embedded' ? track : undefined
}

export function warnSparc(config: SparcConfig, chain: ChainFacts): readonly string[] {
  const mcp = config.enforcement === 'mcp'
  return [
    ...(config.reflector === 'embedded' && config.reflector_endpoint !== '' ? [NOT_ASKED] : []),
    ...(mcp && !standsIn(chain, 'mcp-parser') ? [NO_CALLS] : []),
    ...(mcp && !standsIn(chain, 'inference-parser') ? [NO_CONTEXT] : []),
  ]
}

const NOT_ASKED =
  'reflector: embedded, and reflector_endpoint is set: that service is never asked. Take the endpoint out, or write ' +
  'reflector: http'

const NO_CALLS =
  'enforcement: mcp, and mcp-parser is missing: no tool call is seen, so none is checked. Add to the plugins of this ' +
  'chain:\n- mcp-parser\nor check what the model proposes:\n- name: sparc\n  config:\n    enforcement: inference'
const NO_CONTEXT =
  'enforcement: mcp, and inference-parser is missing: the conversation is never known, so no tool call is checked ' +
  '(no_inference_context). Add to the plugins of this chain:\n- inference-parser'

/** When a call passes under `fail_policy: open`. */
const UNCHECKED: Readonly<Record<SparcConfig['enforcement'], string>> = {
  mcp: 'when the reflector or the conversation is missing',
  inference: 'when the reflector or the conversation is missing, or the answer cannot be read or held back',
}

export function failsOpen(config: SparcConfig): readonly string[] {
  return [
    ...(config.fail_policy === 'open'
      ? [`fail_policy: open (a tool call passes unchecked ${UNCHECKED[config.enforcement]})`]
      : []),
    ...(config.on_reject_action === 'observe'
      ? ['on_reject_action: observe (a tool call that is rejected passes, unless its score escalates it)']
      : []),
    ...(config.skip_tools.length > 0 ? ['skip_tools (calls of these tools pass unchecked)'] : []),
    ...(config.reflect_tools.length > 0 ? ['reflect_tools (calls of all other tools pass unchecked)'] : []),
  ]
}
