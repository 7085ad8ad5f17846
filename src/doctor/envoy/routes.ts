import type { HttpFilter, Manager } from './setup.ts'
import { at, isOn, isTree, textAt, type Tree, treeOf, treesAt, typeName } from './tree.ts'

/** A route that sends a request on. */
export interface Forwarding {
  readonly where: string
  readonly domains: readonly string[]
  readonly route: Tree
  readonly host: Tree
  readonly clusters: readonly string[]
  /** From the most specific to the least. */
  readonly scopes: readonly Tree[]
  readonly connect: boolean
}

export function forwardings(manager: Manager): readonly Forwarding[] {
  return treesAt(manager.routes, 'virtual_hosts').flatMap((host) =>
    treesAt(host, 'routes')
      .filter((route) => isTree(route['route']))
      .map((route, index) => {
        const weighted = treesAt(route, 'route', 'weighted_clusters', 'clusters')
        const domains = host['domains']
        return {
          where: `${manager.where}, virtual host ${textAt(host, 'name') ?? '?'}, ${routeName(route, index)}`,
          domains: Array.isArray(domains) ? domains.map(String) : [],
          route,
          host,
          clusters: [textAt(route, 'route', 'cluster'), ...weighted.map((each) => textAt(each, 'name'))].filter(
            (name) => name !== undefined,
          ),
          scopes: [...weighted, route, host, manager.routes],
          connect: at(route, 'match', 'connect_matcher') !== undefined,
        }
      }),
  )
}

function routeName(route: Tree, index: number): string {
  const match = textAt(route, 'match', 'path') ?? textAt(route, 'match', 'prefix')
  return `route ${textAt(route, 'name') ?? match ?? index + 1}`
}

/** What the most specific scope says of a filter: nothing, off, or other options. */
export type PerRoute =
  { readonly kind: 'as-it-is' } | { readonly kind: 'off' } | { readonly kind: 'on'; readonly overrides: Tree }

export function perRoute(filter: HttpFilter, { scopes }: Forwarding): PerRoute {
  const said = scopes
    .map((scope) => at(scope['typed_per_filter_config'], filter.name))
    .find((each) => each !== undefined)
  if (said === undefined) return filter.disabled ? { kind: 'off' } : { kind: 'as-it-is' }
  return effect(treeOf(said))
}

function effect(config: Tree): PerRoute {
  if (isOn(config, 'disabled')) return { kind: 'off' }
  if (typeName(config) === 'FilterConfig') return effect(treeOf(config['config']))
  return { kind: 'on', overrides: treeOf(config['overrides']) }
}
