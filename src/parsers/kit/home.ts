import type { Home } from '../../core/action.ts'
import type { Exchange } from '../../core/exchange.ts'

/** Where a message goes, as seen by a parser with these hosts; `hosts` is undefined for a parser that has none. */
export function homeOf(x: Exchange, hosts: ((host: string) => boolean) | undefined): Home {
  // Where the Host header does not decide where bytes go, it proves nothing.
  if (hosts === undefined || !x.routesByHost) return 'unstated'
  return hosts(x.request.host) ? 'own' : 'foreign'
}
