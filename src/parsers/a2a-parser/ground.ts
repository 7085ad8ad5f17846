import type { Home } from '../../core/action.ts'
import type { Exchange, Head } from '../../core/exchange.ts'
import { compileGlobs } from '../../http/globs.ts'
import { loosestPath } from '../../http/paths.ts'
import { mayStandOn } from '../kit/claim.ts'
import { compileHome } from '../kit/home.ts'
import type { A2aConfig } from './config.ts'
import { restPath, type RestPath } from './rest.ts'

/** Where a message stands: what of it, apart from its body, says that it is ours. */
export interface Ground {
  readonly home: Home
  /** On a configured path, or with a header of the protocol. A body that stands here is ours whatever it is. */
  readonly claimed: boolean
  /** The operation that the path names in the HTTP binding. */
  readonly rest: RestPath | undefined
  /** Servers could take the path for another one. */
  readonly oddPath: boolean
}

export const NOTIFICATION_HEADER = 'x-a2a-notification-token'
const VERSION_HEADER = 'a2a-version'
const HEADERS = [VERSION_HEADER, 'a2a-extensions', 'x-a2a-extensions', NOTIFICATION_HEADER]

export function surveyor(config: A2aConfig): (x: Exchange) => Ground {
  const homeOf = compileHome(config.hosts)
  const isPath = compileGlobs(config.paths, 'path')
  return (x) => {
    const { canonicalPath, path, method, headers } = x.request
    const rest = restPath(method, canonicalPath ?? loosestPath(path))
    const onPath = mayStandOn(x, isPath) || (rest !== undefined && isPath(rest.base))
    return {
      home: homeOf(x),
      claimed: onPath || HEADERS.some((name) => headers.has(name)),
      rest,
      oddPath: canonicalPath === undefined,
    }
  }
}

/** The same body means different things to different versions, so there can be only one version. */
export function versionsDiffer(head: Head): boolean {
  const asked = new URLSearchParams(head.query)
  const inQuery = [...asked].filter(([key]) => key.toLowerCase() === VERSION_HEADER).map(([, value]) => value)
  const versions = [...head.headers.all(VERSION_HEADER), ...inQuery]
  return new Set(versions.map((version) => version.trim())).size > 1
}
