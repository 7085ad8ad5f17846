import { describe, expect, test } from 'vitest'
import { Substituted } from '../../config/substituted.ts'
import type { ChainFacts } from '../../config/plugin-type.ts'
import { ibacType } from './index.ts'

const llm = { judge_endpoint: 'http://judge.test:11434', judge_model: 'm' }
const chain = (...siblings: readonly (readonly [string, unknown])[]): ChainFacts => ({
  direction: 'outbound',
  lentHosts: [],
  siblings: siblings.map(([name, config]) => ({ name, mode: 'enforce', config })),
})

/** Every message about a configuration, by the field that it is about. */
function faults(config: object): Readonly<Record<string, string>> {
  const parsed = ibacType.schema.safeParse(config)
  const issues = parsed.success
    ? (ibacType.check?.(parsed.data, chain()) ?? [])
    : parsed.error.issues.map(({ path, message }) => ({ path, message }))
  return Object.fromEntries(issues.map(({ path, message }) => [path.join('.'), message]))
}

describe('defaults', () => {
  // req: ibac:default:system_prompt, ibac:default:timeout_ms, ibac:default:judge_inference, ibac:default:agent_llm_host
  // req: ibac:default:bypass_hosts, ibac:default:bypass_paths, ibac:default:no_intent_policy
  // req: ibac:default:unclassified_policy, ibac:default:judge_bearer
  test('are what the documents say', () => {
    expect(ibacType.schema.parse(llm)).toEqual({
      judge: 'llm',
      ...llm,
      judge_bearer: '',
      judge_max_tokens: 1024,
      judge_json_mode: true,
      judge_extra: {},
      system_prompt: '',
      timeout_ms: 5000,
      cache_ttl_ms: 60_000,
      judge_inference: false,
      judge_completions: false,
      agent_llm_host: '',
      bypass_hosts: [
        'keycloak.*',
        'keycloak',
        'spire-server.*',
        'spire-agent.*',
        'otel-collector.*',
        'jaeger.*',
        'prometheus.*',
      ],
      bypass_paths: ['/.well-known/*', '/healthz', '/readyz', '/livez'],
      no_intent_policy: 'allow',
      unclassified_policy: 'passthrough',
      intent_turns: 1,
      ambiguous_session_policy: 'any',
      max_candidates: 8,
      max_action_bytes: 16_384,
      oversize_action: 'judge',
      trusted_hosts: [],
      deny_at: 5,
      effects: {},
      delegation_phrases: [],
      max_results_bytes: 524_288,
      prefilter: 'off',
    })
  })
})

describe('what is refused at start', () => {
  test.each<[string, object, string, RegExp]>([
    // req: ibac:field:judge_endpoint, ibac:field:judge_model
    ['no endpoint', { judge_model: 'm' }, 'judge_endpoint', /required .*write the base URL/],
    ['an endpoint from an unset variable', { ...llm, judge_endpoint: '' }, 'judge_endpoint', /required/],
    ['no model', { judge_endpoint: 'http://j' }, 'judge_model', /required/],
    ['no URL', { ...llm, judge_endpoint: 'ollama' }, 'judge_endpoint', /must be a URL/],
    ['a host and port alone', { ...llm, judge_endpoint: 'ollama.local:11434' }, 'judge_endpoint', /http:\/\/ or https/],
    ['another scheme', { ...llm, judge_endpoint: 'ftp://j' }, 'judge_endpoint', /http:\/\/ or https/],
    ['a query', { ...llm, judge_endpoint: 'http://j?x=1' }, 'judge_endpoint', /no query/],
    [
      'an endpoint with its version',
      { ...llm, judge_endpoint: 'http://j/v1' },
      'judge_endpoint',
      /write "http:\/\/j"$/,
    ],
    ['the same with a slash', { ...llm, judge_endpoint: 'http://j/a/v1/' }, 'judge_endpoint', /write "http:\/\/j\/a"$/],
    [
      'the whole address',
      { ...llm, judge_endpoint: 'http://j/v1/chat/completions' },
      'judge_endpoint',
      /write "http:\/\/j"$/,
    ],
    // req: ibac:field:timeout_ms
    ['a time below 100', { ...llm, timeout_ms: 99 }, 'timeout_ms', /from 100 to/],
    ['no whole time', { ...llm, timeout_ms: 100.5 }, 'timeout_ms', /whole number/],
    // req: ibac:start:footgun, ibac:field:bypass_hosts, ibac:field:bypass_paths
    ['the host *', { ...llm, bypass_hosts: ['*'] }, 'bypass_hosts.0', /matches nearly everything.*name the hosts/],
    ['the host *.*', { ...llm, bypass_hosts: ['a', '*.*'] }, 'bypass_hosts.1', /matches nearly everything/],
    ['an empty host', { ...llm, bypass_hosts: [''] }, 'bypass_hosts.0', /is empty/],
    ['the path /*', { ...llm, bypass_paths: ['/*'] }, 'bypass_paths.0', /matches nearly everything.*name the paths/],
    ['an empty path', { ...llm, bypass_paths: [''] }, 'bypass_paths.0', /is empty/],
    ['a trusted host *', { ...llm, trusted_hosts: ['*'] }, 'trusted_hosts.0', /matches nearly everything/],
    ['an agent host that is a glob', { ...llm, agent_llm_host: '*.test' }, 'agent_llm_host', /must be one host/],
    ['an agent host that is a URL', { ...llm, agent_llm_host: 'http://a.test' }, 'agent_llm_host', /must be one host/],
    ['an unknown policy', { ...llm, no_intent_policy: 'pass' }, 'no_intent_policy', /one of allow, deny/],
    ['an unknown policy', { ...llm, unclassified_policy: 'deny' }, 'unclassified_policy', /one of passthrough, judge/],
    ['an extra that is no mapping', { ...llm, judge_extra: [1] }, 'judge_extra', /must be a mapping/],
    ['an extra model', { ...llm, judge_extra: { model: 'x' } }, 'judge_extra', /must not set model/],
    [
      'a bearer with a line break',
      { ...llm, judge_bearer: 'canary\n' },
      'judge_bearer',
      /^must be one word (?!.*canary)/,
    ],
    ['a cache for less than no time', { ...llm, cache_ttl_ms: -1 }, 'cache_ttl_ms', /from 0 to/],
    ['no candidates', { ...llm, max_candidates: 0 }, 'max_candidates', /from 1 to/],
    ['no intents', { ...llm, intent_turns: 0 }, 'intent_turns', /from 1 to/],
    ['a tiny description', { ...llm, max_action_bytes: 1023 }, 'max_action_bytes', /from 1024 to/],
    ['a threshold that denies everything', { ...llm, deny_at: 0 }, 'deny_at', /from 1 to/],
    ['an unknown effect', { ...llm, effects: { 'a_*': 'burn' } }, 'effects', /say of "a_\*" one of read, login/],
    ['an effect of every tool', { ...llm, effects: { '*': 'read' } }, 'effects', /matches nearly everything/],
    ['effects that are no mapping', { ...llm, effects: ['a'] }, 'effects', /must be a mapping/],
    ['a phrase of two letters', { ...llm, delegation_phrases: ['do'] }, 'delegation_phrases', /3 to 200 characters/],
    [
      'too many phrases',
      { ...llm, delegation_phrases: Array.from({ length: 101 }, () => 'abc') },
      'delegation_phrases',
      /at most 100/,
    ],
    ['no room for results', { ...llm, max_results_bytes: 1000 }, 'max_results_bytes', /from 16384 to/],
    ['an unknown prefilter', { ...llm, prefilter: 'llm' }, 'prefilter', /one of off, embedded/],
    ['an unknown key', { ...llm, judge_url: 'x' }, 'judge_url', /unknown/],
  ])('%s: %o', (_name, config, field, message) => {
    expect(faults(config)).toEqual({ [field]: expect.stringMatching(message) as string })
  })

  test('a password in the endpoint, without saying it', () => {
    const message = faults({ ...llm, judge_endpoint: 'http://u:canary@j' })['judge_endpoint']
    expect(message).toContain('judge_bearer')
    expect(message).not.toContain('canary')
  })

  test('all of it at once', () => {
    expect(Object.keys(faults({ timeout_ms: 1, judge_inference: 'yes', bypass_hosts: ['*'] }))).toEqual([
      'timeout_ms',
      'judge_inference',
      'bypass_hosts.0',
    ])
  })
})

describe('what is accepted', () => {
  test.each<[string, object]>([
    ['an LLM', llm],
    ['the shortest time', { ...llm, timeout_ms: 100 }],
    ['a path before the version', { ...llm, judge_endpoint: 'https://j/v1beta' }],
    ['the embedded judge, which needs no endpoint', { judge: 'embedded' }],
    ['the agent’s model with its port', { ...llm, agent_llm_host: 'ollama.local:11434' }],
    ['globs', { ...llm, bypass_hosts: ['auth0.*', 'keycloak'], bypass_paths: ['/status/*'] }],
    ['an empty list', { ...llm, bypass_hosts: [] }],
    ['extra members', { ...llm, judge_extra: { temperature: 0, nested: { a: [1] } } }],
  ])('%s', (_name, config) => {
    expect(faults(config)).toEqual({})
  })

  test('variables, each as the type of its field', () => {
    const variable = (text: string) => new Substituted(text, '${X}')
    const config = ibacType.schema.parse({
      judge_endpoint: variable('http://j'),
      judge_model: variable('m'),
      judge_bearer: variable('b'),
      timeout_ms: variable('250'),
      judge_inference: variable('true'),
      judge_extra: { a: [variable('x')], b: { c: variable('y') } },
    })
    expect(config).toMatchObject({
      judge_endpoint: 'http://j',
      judge_bearer: 'b',
      timeout_ms: 250,
      judge_inference: true,
      judge_extra: { a: ['x'], b: { c: 'y' } },
    })
  })
})

describe('where it may stand', () => {
  // req: ibac:start:outbound
  test('in the outbound chain only', () => {
    expect(ibacType.directions).toEqual(['outbound'])
  })

  // req: ibac:start:requires_any, ibac:start:a2a_not_required
  test('behind a parser of actions', () => {
    expect(ibacType.requiresAny).toEqual(['mcp-parser', 'inference-parser'])
    expect(ibacType.requires).toEqual([])
  })
})

describe('fail-open settings', () => {
  const open = (config: object) => ibacType.failsOpen?.(ibacType.schema.parse({ ...llm, ...config })) ?? []
  test('are listed, each by its name', () => {
    expect(open({})).toEqual([
      expect.stringContaining('no_intent_policy: allow'),
      expect.stringContaining('unclassified_policy: passthrough'),
    ])
    expect(open({ no_intent_policy: 'deny', unclassified_policy: 'judge' })).toEqual([])
  })
})

describe('warnings', () => {
  const warnings = (config: object, facts: ChainFacts) =>
    ibacType.warn?.(ibacType.schema.parse({ ...llm, ...config }), facts) ?? []
  const judging = { unclassified_policy: 'judge' }

  test.each<[string, object, ChainFacts, readonly RegExp[]]>([
    ['nothing under passthrough', {}, chain(), []],
    ['no model host', judging, chain(), [/agent_llm_host is missing[^]*- name: ibac/]],
    ['no host though the parser is there', judging, chain(['inference-parser', { hosts: [] }]), [/agent_llm_host/]],
    [
      'a prefilter of nothing',
      { judge: 'embedded', prefilter: 'embedded' },
      chain(),
      [/no effect with judge: embedded/],
    ],
    ['nothing where it is named', { ...judging, agent_llm_host: 'a.test' }, chain(), []],
    [
      'completions that nothing reads',
      { judge_completions: true },
      chain(),
      [/proposed call[^]*\n- inference-parser$/],
    ],
    ['nothing where they are read', { judge_completions: true }, chain(['inference-parser', { hosts: [] }]), []],
    ['nothing where the parser knows it', judging, chain(['inference-parser', { hosts: ['a.test'] }]), []],
  ])('%s', (_name, config, facts, expected) => {
    expect(warnings(config, facts)).toEqual(expected.map((message) => expect.stringMatching(message) as string))
  })
})

// req: ibac:field:agent_llm_host
test('the host of the agent’s model is lent to the parser of its questions, without its port', () => {
  const lent = (agent_llm_host: string) => ibacType.lendsHosts?.(ibacType.schema.parse({ ...llm, agent_llm_host }))
  expect(lent('Ollama.local:11434')).toEqual({ 'inference-parser': ['ollama.local'] })
  expect(lent('')).toEqual({})
})

test('every code has its status, and a message that says nothing of the case', () => {
  expect(Object.entries(ibacType.codes).map(([code, { status }]) => `${code} ${status}`)).toEqual([
    'ibac.blocked 403',
    'ibac.judge_uncertain 403',
    'ibac.judge_unavailable 503',
    'ibac.no_intent 403',
    'ibac.no_session 403',
    'ibac.ambiguous_session 403',
  ])
})
