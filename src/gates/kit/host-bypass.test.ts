import { describe, expect, test } from 'vitest'
import { gateExchange } from '../../../test/support/gates/kit.ts'
import { BUILT_IN_BYPASS_HOSTS, compileHostBypass } from './host-bypass.ts'

function passes(host: string, globs = BUILT_IN_BYPASS_HOSTS, exact: readonly string[] = [], routesByHost = true) {
  return compileHostBypass(globs, exact)(gateExchange({ host, routesByHost }))
}

describe('the built-in hosts', () => {
  test.each([
    'keycloak',
    'keycloak:8080',
    'KEYCLOAK.auth',
    'keycloak.auth.svc.cluster.local',
    'keycloak.auth.svc.cluster.local.:8080',
    'spire-server.spire',
    'spire-agent.spire',
    'otel-collector.observability.svc',
    'jaeger.observability',
    'prometheus.monitoring.svc.cluster.local',
  ])('%s passes', (host) => {
    expect(passes(host)).toBe(true)
  })

  test.each([
    ['a registrable name', 'keycloak.evil.com'],
    ['the same with port and dot', 'keycloak.evil.com.:443'],
    ['a name under a private suffix', 'keycloak.evil.github.io'],
    ['a namespace that is a public suffix', 'keycloak.dev'],
    ['a label that nobody sells, below a registrable name', 'keycloak.-x.evil.com'],
    ['another', 'keycloak.x-.evil.com'],
    ['a label that is too long', `keycloak.${'a'.repeat(64)}.evil.com`],
    ['a name that begins differently', 'notkeycloak.auth'],
    ['a name that ends differently', 'otel-collectors.auth'],
    ['a bare name that is not listed', 'jaeger'],
    ['what is no host', 'keycloak.a/b'],
    ['nothing', ''],
  ])('%s is judged: %s', (_name, host) => {
    expect(passes(host)).toBe(false)
  })
})

describe('a list of one’s own', () => {
  test('replaces the built-in one', () => {
    expect(passes('keycloak', ['vault.*'])).toBe(false)
    expect(passes('vault.infra', ['vault.*'])).toBe(true)
    expect(passes('keycloak', [])).toBe(false)
  })

  test('matches as it is written, public or not', () => {
    expect(passes('api.vault.com', ['*.vault.com'])).toBe(true)
    expect(passes('auth.dev', ['auth.dev'])).toBe(true)
  })

  test.each(['keycloak.*', 'Keycloak.*', 'keycloak.*:8080', 'keycloak.*.'])(
    'keeps the guard of a built-in entry, however it is written: %s',
    (glob) => {
      expect(passes('keycloak.evil.com', [glob])).toBe(false)
      expect(passes('keycloak.auth', [glob])).toBe(true)
    },
  )
})

describe('exact names', () => {
  test('pass beside either list, whatever their port', () => {
    expect(passes('ollama.local:9', ['vault.*'], ['Ollama.local:11434'])).toBe(true)
    expect(passes('keycloak.auth', BUILT_IN_BYPASS_HOSTS, ['ollama.local'])).toBe(true)
    expect(passes('x.ollama.local', [], ['ollama.local'])).toBe(false)
  })
})

test('nothing passes by its host where the host does not decide where bytes go', () => {
  expect(passes('keycloak', BUILT_IN_BYPASS_HOSTS, ['keycloak'], false)).toBe(false)
})
