import type { Exchange } from '../../core/exchange.ts'
import { compileGlobs } from '../../http/globs.ts'
import { canonicalHost } from '../../http/hosts.ts'
import { kindOfHost } from './public-suffix.ts'

/** The control plane that agents talk to of their own accord. */
export const BUILT_IN_BYPASS_HOSTS: readonly string[] = [
  'keycloak.*',
  'keycloak',
  'spire-server.*',
  'spire-agent.*',
  'otel-collector.*',
  'jaeger.*',
  'prometheus.*',
]

/** A list of hosts that a gate does not look at. `exact` are names, not globs. */
export function compileHostBypass(globs: readonly string[], exact: readonly string[]): (x: Exchange) => boolean {
  const guarded = compileGlobs(globs.filter(isBuiltIn), 'host')
  const asWritten = compileGlobs(
    globs.filter((glob) => !isBuiltIn(glob)),
    'host',
  )
  const names = new Set(exact.map(canonicalHost))
  return (x) => {
    // A name in a header says nothing about where bytes go unless the gateway routes by it.
    if (!x.routesByHost) return false
    const { host } = x.request
    // `keycloak.evil.com` looks like a Keycloak and is not.
    return names.has(host) || asWritten(host) || (guarded(host) && !kindOfHost(host).isPublic)
  }
}

/** Whoever wrote it: a built-in glob is written for names inside a cluster. */
function isBuiltIn(glob: string): boolean {
  return BUILT_IN_BYPASS_HOSTS.includes(canonicalHost(glob))
}
