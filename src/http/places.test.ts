import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileGlobs, footgun, type GlobKind } from './globs.ts'
import { canonicalHost } from './hosts.ts'
import { canonicalPath, loosestPath } from './paths.ts'

describe('canonicalHost', () => {
  test.each([
    ['api.test', 'api.test'],
    ['API.Test', 'api.test'],
    ['api.test.', 'api.test'],
    ['api.test:443', 'api.test'],
    ['API.test.:443', 'api.test'],
    ['api.test:', 'api.test'],
    ['api.test..', 'api.test.'],
    ['10.0.0.1:80', '10.0.0.1'],
    ['[::1]:8080', '::1'],
    ['[FE80::1]', 'fe80::1'],
    ['::1', '::1'],
    ['user@api.test:80', 'user@api.test'],
    ['api.test:80x', 'api.test:80x'],
    ['', ''],
  ])('%s is %s', (authority, host) => {
    expect(canonicalHost(authority)).toBe(host)
  })
})

describe('canonicalPath', () => {
  test.each<[string, string | undefined]>([
    ['/', '/'],
    ['/mcp', '/mcp'],
    ['/mcp/', '/mcp/'],
    ['/v1/message:send', '/v1/message:send'],
    ['/v1/message%3Asend', '/v1/message:send'],
    ['//a///b', '/a/b'],
    ['/a/./b', '/a/b'],
    ['/x/../a', '/a'],
    ['/../../a', '/a'],
    ['/a/%2e%2E/b', '/b'],
    ['/a/b/..', '/a/'],
    ['/a/.', '/a/'],
    ['/.well-known/agent.json', '/.well-known/agent.json'],
    ['/a/..b/...', '/a/..b/...'],
    ['/caf%C3%A9', '/café'],
    ['/a%2Fb', undefined],
    ['/a%2fb', undefined],
    ['/a%5Cb', undefined],
    ['/a%00', undefined],
    ['/a/%252e%252e/b', undefined],
    ['/a%', undefined],
    ['/a%zz', undefined],
    ['/a\\b', undefined],
    ['/a;x=1', undefined],
    ['/a/..;/b', undefined],
    ['/a%3bx', undefined],
    ['/a%3Fb', undefined],
    ['/a#b', undefined],
    ['/a%0ab', undefined],
    ['/a%ff', undefined],
    ['/caf\u00c3\u00a9', undefined],
    ['/a b', undefined],
    ['a', undefined],
    ['', undefined],
    ['*', undefined],
    ['http://h/p', undefined],
  ])('%s is %s', (path, expected) => {
    expect(canonicalPath(path)).toBe(expected)
  })

  test('what it returns has no dots, no doubled slashes, and stays as it is', () => {
    const path = fc
      .array(fc.constantFrom('/', '.', '..', 'a', '%2e', '%41', ':', '%25', '-'), { maxLength: 12 })
      .map((parts) => `/${parts.join('')}`)
    fc.assert(
      fc.property(path, (raw) => {
        const canonical = canonicalPath(raw)
        if (canonical === undefined) return
        expect(canonical).toMatch(/^\/(?!\/)/)
        expect(canonical).not.toMatch(/\/\/|\/\.{1,2}(\/|$)/)
        expect(canonicalPath(canonical)).toBe(canonical)
      }),
      { numRuns: 500 },
    )
  })
})

test.each([
  ['/MCP', '/mcp'],
  ['/a%2fmcp', '/a/mcp'],
  ['/x/%252e%252e/mcp', '/mcp'],
  ['/x\\..\\mcp', '/mcp'],
  ['/mcp;a=b', '/mcp'],
  ['/x/..;/mcp', '/mcp'],
  ['//mcp/', '/mcp/'],
  ['/mcp%00.png', '/mcp'],
])('loosestPath: %s is %s', (path, expected) => {
  expect(loosestPath(path)).toBe(expected)
})

describe('globs', () => {
  const matches = (pattern: string, kind: GlobKind, subject: string) => compileGlobs([pattern], kind)(subject)

  test.each<[string, string, boolean]>([
    ['keycloak', 'keycloak', true],
    ['Keycloak.*', 'keycloak.infra', true],
    ['keycloak.*', 'keycloak.a.b', true],
    ['keycloak.*', 'keycloak', false],
    ['keycloak.*', 'xkeycloak.a', false],
    ['ollama.local:11434', 'OLLAMA.local.:11434', true],
    ['ollama.local:11434', 'ollama.local', true],
    ['ollama.local.', 'ollama.local', true],
    ['mcp-?.svc', 'mcp-1.svc', true],
    ['mcp-[12].svc', 'mcp-2.svc', true],
    ['mcp-[12].svc', 'mcp-3.svc', false],
    ['[::1]', '[::1]:80', true],
    ['[::1]:80', '::1', true],
    ['{a,b}.svc', 'a.svc', false],
    ['!a.svc', 'b.svc', false],
    ['+(a).svc', 'aa.svc', false],
    ['#a.svc', 'a.svc', false],
    // Nothing that is no host is trusted, whatever the glob.
    ['keycloak.*', 'keycloak.a@evil.test', false],
    ['keycloak.*', 'keycloak.a/evil', false],
    ['keycloak.*', 'keycloak.a evil', false],
    ['keycloak.*', 'keycloak.\u00e9', false],
    ['*.svc', 'a..svc', false],
    ['*.svc', '.svc', false],
    ['*.svc', '', false],
  ])('host %s on %s: %s', (pattern, host, expected) => {
    expect(matches(pattern, 'host', host)).toBe(expected)
  })

  test.each<[string, string, boolean]>([
    ['/healthz', '/healthz', true],
    ['/healthz', '/Healthz', false],
    ['/.well-known/*', '/.well-known/agent.json', true],
    ['/.well-known/*', '/.well-known/a/b', false],
    ['/status/*', '/status/.hidden', true],
    ['/status/*/x', '/status/a/x', true],
    ['/status/**', '/status/a/b', false],
    ['/{a,b}', '/a', false],
    ['/@(a)', '/a', false],
    ['/a', '/b/a', false],
  ])('path %s on %s: %s', (pattern, path, expected) => {
    expect(matches(pattern, 'path', path)).toBe(expected)
  })

  test.each<[string, GlobKind]>([
    ['', 'host'],
    [' ', 'host'],
    ['*', 'host'],
    ['**', 'host'],
    ['*.*', 'host'],
    ['*.example', 'host'],
    ['?', 'host'],
    ['[a-z]', 'host'],
    ['*.*.*.*', 'host'],
    ['*:80', 'host'],
    ['*.', 'host'],
    ['1*', 'host'],
    ['*.test', 'host'],
    ['https://a.test', 'host'],
    ['x'.repeat(300), 'host'],
    ['/*', 'path'],
    ['/**', 'path'],
    ['/*/*', 'path'],
    ['/?7', 'path'],
    ['*', 'path'],
    ['healthz', 'path'],
    ['', 'path'],
  ])('%s is refused as a %s glob', (pattern, kind) => {
    expect(footgun(pattern, kind)).toMatch(/name the|leave out/)
  })

  test.each<[string, GlobKind]>([
    ['[a', 'tool'],
    ['[]', 'tool'],
    ['list_[a]_[b', 'tool'],
    ['/[a/b]', 'path'],
    ['[a.test', 'host'],
  ])('%s has an open set, so it would match nothing, as a %s glob', (pattern, kind) => {
    expect(footgun(pattern, kind)).toMatch(/has a "\[" without its "\]"/)
  })

  test.each<[string, GlobKind]>([
    ['keycloak.*', 'host'],
    ['*.svc.cluster.local', 'host'],
    ['10.1.*', 'host'],
    ['[::1]', 'host'],
    ['list_[a-z]', 'tool'],
    ['list_[]a]', 'tool'],
    ['list_[!]a]', 'tool'],
    ['list_[[:alpha:]]', 'tool'],
    ['list_\\[', 'tool'],
    ['/.well-known/*', 'path'],
    ['/', 'path'],
    ['/status/*', 'path'],
  ])('%s is fine as a %s glob', (pattern, kind) => {
    expect(footgun(pattern, kind)).toBeUndefined()
  })
})
