import type { Home } from '../../core/action.ts'
import type { Exchange } from '../../core/exchange.ts'
import { compileGlobs } from '../../http/globs.ts'

/**
 * Tells where a message goes, as seen by a parser with these hosts. What a gate lends is home as well, but only a list
 * of the parser's own says that every other host is foreign.
 */
export function compileHome(hosts: readonly string[], lentHosts: readonly string[] = []): (x: Exchange) => Home {
  const isHome = compileGlobs([...hosts, ...lentHosts], 'host')
  const elsewhere = hosts.length > 0 ? 'foreign' : 'unstated'
  return (x) => {
    // Where the Host header does not decide where bytes go, it proves nothing.
    if (!x.routesByHost) return 'unstated'
    return isHome(x.request.host) ? 'own' : elsewhere
  }
}
