import { describe, expect, test } from 'vitest'
import { gateExchange, type GateGiven } from '../../../test/support/gates/kit.ts'
import { BUILT_IN_BYPASS_PATHS, compilePathBypass } from './path-bypass.ts'

function passes(given: GateGiven, globs = BUILT_IN_BYPASS_PATHS, resources: readonly string[] = ['/mcp']) {
  return compilePathBypass(globs, resources)(gateExchange(given).request)
}

describe('the built-in paths', () => {
  test.each([
    '/healthz',
    '/readyz',
    '/livez',
    '/.well-known/agent.json',
    '/.well-known/agent-card.json',
    '/.well-known/jwks.json',
    '/.well-known/openid-configuration',
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-authorization-server/mcp',
  ])('GET and HEAD of %s pass', (path) => {
    expect(passes({ path })).toBe(true)
    expect(passes({ path, method: 'HEAD' })).toBe(true)
  })

  const judged: readonly [string, GateGiven][] = [
    ['another method', { path: '/healthz', method: 'POST' }],
    ['a body', { path: '/healthz', method: 'GET', body: 'x' }],
    ['a body that the head does not rule out', { path: '/healthz', head: { bodyless: false } }],
    ['a query', { path: '/healthz?code=X7B' }],
    ['another name below well-known', { path: '/.well-known/X7B-92K' }],
    ['a document followed by another path', { path: '/.well-known/oauth-protected-resource/X7B' }],
    ['a header with another path', { path: '/healthz', headers: { 'x-original-url': '/collect?code=X7B' } }],
    ['a header with another method', { path: '/healthz', headers: { 'x-http-method-override': 'DELETE' } }],
    ['a trailing slash', { path: '/healthz/' }],
    ['a longer name', { path: '/healthz2' }],
    ['a name in capitals', { path: '/HEALTHZ' }],
    ['dots that lead elsewhere', { path: '/healthz/../collect' }],
    ['dots that lead there', { path: '/collect/../healthz' }],
    ['encoded dots', { path: '/collect/%2e%2e/healthz' }],
    ['two slashes', { path: '//healthz' }],
    ['an encoded letter', { path: '/%68ealthz' }],
    ['an encoded slash', { path: '/.well-known%2fagent.json' }],
    ['a path parameter', { path: '/healthz;x=1' }],
  ]
  test.each(judged)('%s is judged', (_name, given) => {
    expect(passes(given)).toBe(false)
  })
})

describe('a list of one’s own', () => {
  test('replaces the built-in one', () => {
    expect(passes({ path: '/healthz' }, ['/status/*'])).toBe(false)
    expect(passes({ path: '/status/live' }, ['/status/*'])).toBe(true)
  })

  test('matches as it is written, with method, query and body as they are', () => {
    expect(passes({ path: '/status/live?full=1', body: 'x' }, ['/status/*'])).toBe(true)
  })

  test.each([
    '/status/../collect',
    '/status/%2e%2e/collect',
    '/collect/../status/live',
    '/status/a%2fb',
    '/status/a/b',
  ])('does not match a path that some server reads as another: %s', (path) => {
    expect(passes({ path }, ['/status/*'])).toBe(false)
  })

  test('keeps the guards of the entries that are built in', () => {
    const list = ['/.well-known/*', '/healthz', '/status']
    expect(passes({ path: '/healthz?x=1' }, list)).toBe(false)
    expect(passes({ path: '/.well-known/other' }, list)).toBe(false)
    expect(passes({ path: '/.well-known/jwks.json' }, list)).toBe(true)
    expect(passes({ path: '/status?x=1' }, list)).toBe(true)
  })

  test('that is empty lets nothing pass', () => {
    expect(passes({ path: '/healthz' }, [])).toBe(false)
  })
})
