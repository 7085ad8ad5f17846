import type { ChainFacts } from '../../config/plugin-type.ts'
import type { Exchange } from '../../core/exchange.ts'
import { compileHostBypass } from './host-bypass.ts'
import { ownCalls } from './own-call.ts'
import { compilePathBypass } from './path-bypass.ts'
import { configOfSibling, listIn } from './siblings.ts'

export type Exemption = 'own_call' | 'path_bypass' | 'host_bypass'

export interface ExemptionOptions {
  /** Where the gate asks, and the header that marks its questions. Undefined: it asks nobody. */
  readonly asks: { readonly url: URL; readonly header: string } | undefined
  readonly paths: readonly string[]
  readonly hosts: readonly string[]
  /** Names of hosts, no globs. */
  readonly exactHosts: readonly string[]
}

/** What the head alone tells a gate not to look at, in the order in which it is tried. */
export function compileExemptions(
  options: ExemptionOptions,
  chain: ChainFacts,
): (x: Exchange) => Exemption | undefined {
  const { asks } = options
  const ownCall = asks === undefined ? () => false : ownCalls(asks.url, asks.header)
  const byPath = compilePathBypass(options.paths, listIn(configOfSibling(chain, 'mcp-parser'), 'paths'))
  const byHost = compileHostBypass(options.hosts, options.exactHosts)
  return (x) => {
    if (ownCall(x)) return 'own_call'
    if (byPath(x.request)) return 'path_bypass'
    return byHost(x) ? 'host_bypass' : undefined
  }
}
