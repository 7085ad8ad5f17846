import type { Head } from '../../core/exchange.ts'
import { compileGlobs } from '../../http/globs.ts'
import { isPlainlyAddressed } from '../../http/overrides.ts'

const WELL_KNOWN = '/.well-known/*'

/** What health checks and discovery ask for. */
export const BUILT_IN_BYPASS_PATHS: readonly string[] = [WELL_KNOWN, '/healthz', '/readyz', '/livez']

/** The documents that discovery is about. Any other name below `/.well-known/` could carry what somebody stole. */
const WELL_KNOWN_DOCUMENTS: readonly string[] = [
  'agent.json',
  'agent-card.json',
  'jwks.json',
  'openid-configuration',
  'oauth-protected-resource',
  'oauth-authorization-server',
]

/**
 * A list of paths that a gate does not look at. `resourcePaths`: where protected resources stand, since their metadata
 * stands at the well-known name followed by that path (RFC 9728).
 */
export function compilePathBypass(globs: readonly string[], resourcePaths: readonly string[]): (head: Head) => boolean {
  const guarded = new Set(globs.filter(isBuiltIn).flatMap((glob) => builtInPaths(glob, resourcePaths)))
  const asWritten = compileGlobs(
    globs.filter((glob) => !isBuiltIn(glob)),
    'path',
  )
  return (head) => {
    const { path, canonicalPath } = head
    if (canonicalPath === undefined || !isPlainlyAddressed(head.headers)) return false
    // Both readings of the path must be on the list: the upstream may take either.
    if (asWritten(path) && asWritten(canonicalPath)) return true
    return carriesNothing(head) && guarded.has(path) && guarded.has(canonicalPath)
  }
}

function isBuiltIn(glob: string): boolean {
  return BUILT_IN_BYPASS_PATHS.includes(glob)
}

function builtInPaths(glob: string, resourcePaths: readonly string[]): readonly string[] {
  if (glob !== WELL_KNOWN) return [glob]
  return WELL_KNOWN_DOCUMENTS.flatMap((name) => ['', ...resourcePaths].map((suffix) => `/.well-known/${name}${suffix}`))
}

/** A request that has no room for anything but its path. */
function carriesNothing(head: Head): boolean {
  return (head.method === 'GET' || head.method === 'HEAD') && head.bodyless && head.query === ''
}
