import type { Home } from '../../core/action.ts'
import type { Exchange } from '../../core/exchange.ts'
import { compileGlobs } from '../../http/globs.ts'
import { mayStandOn, standsOn } from '../kit/claim.ts'
import { compileHome } from '../kit/home.ts'
import type { McpConfig } from './config.ts'
import { PROTOCOL_HEADERS } from './mirrored.ts'

/** Where a message stands: what of it, apart from its body, says that it is ours. */
export interface Ground {
  readonly home: Home
  /** Some server could take the path for one of the configured ones. */
  readonly nearPath: boolean
  /** Every server takes the path for one of them. */
  readonly onPath: boolean
  /** Near a path, or with a header of the protocol. A body that stands here is ours whatever it is. */
  readonly claimed: boolean
}

export function surveyor(config: McpConfig, lentHosts: readonly string[]): (x: Exchange) => Ground {
  const homeOf = compileHome(config.hosts, lentHosts)
  const isPath = compileGlobs(config.paths, 'path')
  return (x) => {
    const nearPath = mayStandOn(x, isPath)
    return {
      home: homeOf(x),
      nearPath,
      onPath: nearPath && standsOn(x, isPath),
      claimed: nearPath || PROTOCOL_HEADERS.some((name) => x.request.headers.has(name)),
    }
  }
}
