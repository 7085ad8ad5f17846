import { describe, expect, test } from 'vitest'
import { HTTP, SPARC_CHAIN } from '../../../test/support/gates/sparc.ts'
import type { ChainFacts } from '../../config/plugin-type.ts'
import { Substituted } from '../../config/substituted.ts'
import { sparcType } from './index.ts'

const chain = (...names: readonly string[]): ChainFacts => ({
  ...SPARC_CHAIN,
  siblings: names.map((name) => ({ name, mode: 'enforce', config: {} })),
})

/** Every message about a configuration, by the field that it is about. */
function faults(config: object, facts: ChainFacts = SPARC_CHAIN): Readonly<Record<string, string>> {
  const parsed = sparcType.schema.safeParse(config)
  const issues = parsed.success
    ? (sparcType.check?.(parsed.data, facts) ?? [])
    : parsed.error.issues.map(({ path, message }) => ({ path, message }))
  return Object.fromEntries(issues.map(({ path, message }) => [path.join('.'), message]))
}

// req: sparc:default:reflector_bearer, sparc:default:enforcement, sparc:default:track, sparc:default:on_reject_action
// req: sparc:default:deny_score_threshold, sparc:default:fail_policy, sparc:default:timeout_ms
// req: sparc:default:skip_tools, sparc:default:reflect_tools, sparc:default:bypass_hosts, sparc:default:bypass_paths
test('defaults are what the documents say', () => {
  expect(sparcType.schema.parse(HTTP)).toEqual({
    reflector: 'http',
    ...HTTP,
    reflector_bearer: '',
    enforcement: 'mcp',
    track: 'fast_track',
    embedded_policy: 'default',
    on_reject_action: 'reflect',
    deny_score_threshold: 0,
    fail_policy: 'open',
    timeout_ms: 30_000,
    cache_ttl_ms: 60_000,
    skip_tools: [],
    reflect_tools: [],
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
  })
})

describe('the track', () => {
  // req: sparc:field:track
  test.each(['fast_track', 'slow_track', 'syntax', 'spec_free', 'transformations_only'])(
    'of a service may be %s',
    (track) => {
      expect(faults({ ...HTTP, track })).toEqual({})
      expect(sparcType.schema.parse({ ...HTTP, track }).track).toBe(track)
    },
  )

  test.each([
    [{}, 'embedded'],
    [{ track: 'syntax' }, 'syntax'],
  ])('of the embedded reflector, with %j, is %s', (config, track) => {
    expect(faults({ reflector: 'embedded', ...config })).toEqual({})
    expect(sparcType.schema.parse({ reflector: 'embedded', ...config }).track).toBe(track)
  })

  test.each(['fast_track', 'slow_track', 'spec_free', 'transformations_only'])('%s needs a model', (track) => {
    expect(faults({ reflector: 'embedded', track })).toEqual({
      track: expect.stringMatching(/needs a language model.*leave it out.*syntax.*reflector: http/) as string,
    })
  })
})

describe('what is refused at start', () => {
  test.each<[string, object, string, RegExp]>([
    // req: sparc:field:reflector_endpoint
    ['no endpoint', {}, 'reflector_endpoint', /required with reflector: http.*write the base URL.*embedded/],
    ['an endpoint from an unset variable', { reflector_endpoint: '' }, 'reflector_endpoint', /required/],
    ['no URL', { reflector_endpoint: 'sparc' }, 'reflector_endpoint', /must be a URL/],
    ['a host and port alone', { reflector_endpoint: 'sparc:8090' }, 'reflector_endpoint', /http:\/\/ or https/],
    ['a query', { reflector_endpoint: 'http://s?x=1' }, 'reflector_endpoint', /no query/],
    [
      'the whole address',
      { reflector_endpoint: 'http://s/a/reflect/' },
      'reflector_endpoint',
      /write "http:\/\/s\/a"$/,
    ],
    // req: sparc:field:reflector_bearer
    [
      'a bearer with a line break',
      { ...HTTP, reflector_bearer: 'canary\n' },
      'reflector_bearer',
      /^must be one word (?!.*canary)/,
    ],
    ['another reflector', { ...HTTP, reflector: 'llm' }, 'reflector', /one of http, embedded/],
    // req: sparc:field:enforcement, sparc:field:on_reject_action, sparc:field:fail_policy
    ['another enforcement', { ...HTTP, enforcement: 'a2a' }, 'enforcement', /one of mcp, inference/],
    ['another track', { ...HTTP, track: 'fast' }, 'track', /one of fast_track, slow_track, syntax, spec_free, transf/],
    ['a track of our own', { ...HTTP, track: 'embedded' }, 'track', /one of fast_track/],
    ['another action', { ...HTTP, on_reject_action: 'block' }, 'on_reject_action', /one of observe, reflect, deny/],
    ['another policy', { ...HTTP, fail_policy: 'half' }, 'fail_policy', /one of open, closed/],
    // req: sparc:field:deny_score_threshold
    ['a threshold above 1', { ...HTTP, deny_score_threshold: 2 }, 'deny_score_threshold', /from 0 to 1/],
    ['a threshold below 0', { ...HTTP, deny_score_threshold: -0.1 }, 'deny_score_threshold', /from 0 to 1/],
    // req: sparc:field:timeout_ms
    ['a time below 100', { ...HTTP, timeout_ms: 99 }, 'timeout_ms', /from 100 to/],
    ['a cache for less than no time', { ...HTTP, cache_ttl_ms: -1 }, 'cache_ttl_ms', /from 0 to/],
    // req: sparc:field:skip_tools, sparc:field:bypass_hosts, sparc:field:bypass_paths
    ['every tool skipped', { ...HTTP, skip_tools: ['*'] }, 'skip_tools.0', /matches nearly everything.*name the tools/],
    ['an empty glob', { ...HTTP, reflect_tools: [''] }, 'reflect_tools.0', /is empty/],
    ['tools that are no list', { ...HTTP, reflect_tools: 'refund' }, 'reflect_tools', /must be a list/],
    ['the host *', { ...HTTP, bypass_hosts: ['*'] }, 'bypass_hosts.0', /matches nearly everything/],
    ['the path /*', { ...HTTP, bypass_paths: ['/*'] }, 'bypass_paths.0', /matches nearly everything/],
    ['an unknown key', { ...HTTP, endpoint: 'x' }, 'endpoint', /unknown/],
  ])('%s: %o', (_name, config, field, message) => {
    expect(faults(config)).toEqual({ [field]: expect.stringMatching(message) as string })
  })

  test('a password in the endpoint, without saying it', () => {
    const message = faults({ reflector_endpoint: 'http://u:canary@s' })['reflector_endpoint']
    expect(message).toContain('reflector_bearer')
    expect(message).not.toContain('canary')
  })

  test('all of it at once', () => {
    expect(Object.keys(faults({ timeout_ms: 1, fail_policy: 'x', skip_tools: ['*'] }))).toEqual([
      'fail_policy',
      'timeout_ms',
      'skip_tools.0',
    ])
    expect(Object.keys(faults({ enforcement: 'inference' }, chain('mcp-parser')))).toEqual([
      'reflector_endpoint',
      'enforcement',
    ])
  })

  // req: sparc:field:enforcement
  test('enforcement where nothing reads what a model proposes', () => {
    const config = { ...HTTP, enforcement: 'inference' }
    expect(faults(config, chain('mcp-parser'))).toEqual({
      enforcement: expect.stringContaining('add "- inference-parser"') as string,
    })
    expect(faults(config, chain('inference-parser'))).toEqual({})
  })
})

describe('what is accepted', () => {
  test.each<[string, object]>([
    ['a service', HTTP],
    ['the embedded reflector, which needs none', { reflector: 'embedded' }],
    ['the shortest time', { ...HTTP, timeout_ms: 100 }],
    ['the ends of the range', { ...HTTP, deny_score_threshold: 1 }],
    ['a threshold inside it', { ...HTTP, deny_score_threshold: 0.35 }],
    ['globs', { ...HTTP, skip_tools: ['list_*', 'get_?'], reflect_tools: ['*_refund'] }],
    ['a path before the name', { reflector_endpoint: 'https://s/reflect/v2' }],
  ])('%s', (_name, config) => {
    expect(faults(config)).toEqual({})
  })

  test('variables, each as the type of its field', () => {
    const variable = (text: string) => new Substituted(text, '${X}')
    const config = {
      reflector_endpoint: variable('http://s'),
      reflector_bearer: variable('b'),
      deny_score_threshold: variable('0.5'),
      track: variable('syntax'),
      skip_tools: [variable('list_*')],
    }
    expect(sparcType.schema.parse(config)).toMatchObject({
      reflector_endpoint: 'http://s',
      reflector_bearer: 'b',
      deny_score_threshold: 0.5,
      track: 'syntax',
      skip_tools: ['list_*'],
    })
  })
})

describe('where it may stand', () => {
  // req: sparc:start:requires_any, sparc:start:outbound
  test('in the outbound chain, behind a parser', () => {
    expect(sparcType.directions).toEqual(['outbound'])
    expect(sparcType.requiresAny).toEqual(['inference-parser', 'mcp-parser'])
    expect(sparcType.requires).toEqual([])
  })
})

describe('warnings', () => {
  const warnings = (config: object, facts: ChainFacts) =>
    sparcType.warn?.(sparcType.schema.parse({ ...HTTP, ...config }), facts) ?? []

  test.each<[string, object, ChainFacts, readonly RegExp[]]>([
    ['nothing with both parsers', {}, SPARC_CHAIN, []],
    [
      'no calls',
      {},
      chain('inference-parser'),
      [/no tool call is seen[^]*\n- mcp-parser\n[^]*enforcement: inference$/],
    ],
    ['no conversation', {}, chain('mcp-parser'), [/no_inference_context[^]*\n- inference-parser$/]],
    ['nothing in inference mode', { enforcement: 'inference' }, chain('inference-parser'), []],
    ['a service that is not asked', { reflector: 'embedded' }, SPARC_CHAIN, [/is never asked.*reflector: http$/]],
  ])('%s', (_name, config, facts, expected) => {
    expect(warnings(config, facts)).toEqual(expected.map((message) => expect.stringMatching(message) as string))
  })
})

test('fail-open settings are listed, each by its name', () => {
  const open = (config: object) => sparcType.failsOpen?.(sparcType.schema.parse({ ...HTTP, ...config })) ?? []
  const names = (config: object) => open(config).map((line) => line.replace(/ \(.*/, ''))
  expect(names({})).toEqual(['fail_policy: open'])
  expect(names({ fail_policy: 'closed' })).toEqual([])
  const all = { on_reject_action: 'observe', skip_tools: ['a'], reflect_tools: ['b'] }
  expect(names(all)).toEqual(['fail_policy: open', 'on_reject_action: observe', 'skip_tools', 'reflect_tools'])
  expect(open({})).toEqual([expect.not.stringContaining('answer')])
  expect(open({ enforcement: 'inference' })).toEqual([expect.stringContaining('the answer cannot be read') as string])
})

// req: sparc:reason:reflected, sparc:reason:blocked, sparc:reason:reflector_unavailable, sparc:reason:no_inference_context
test('every code has its status', () => {
  expect(Object.entries(sparcType.codes).map(([code, { status }]) => `${code} ${status}`)).toEqual([
    'sparc.reflected 403',
    'sparc.blocked 403',
    'sparc.reflector_unavailable 503',
    'sparc.no_inference_context 503',
  ])
})
