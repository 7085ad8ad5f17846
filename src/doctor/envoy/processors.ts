import type { Direction } from '../../core/exchange.ts'
import { addressText } from './build.ts'
import { forwardings, perRoute } from './routes.ts'
import type { HttpFilter, Listener, Manager, Processor, Setup } from './setup.ts'
import { at, enumAt, textAt, type Tree, treeOf, treesAt, typeName } from './tree.ts'

/**
 * Every ext_proc filter that leads to Plumbline, and once more for each set of overrides that a route gives it. Where no
 * filter looks like ours, every ext_proc filter is taken for it: then the names are what is wrong.
 */
export function processorsOf(setup: Setup): readonly Processor[] {
  const all = setup.listeners.flatMap((listener) =>
    listener.managers.flatMap((manager) =>
      manager.filters
        .filter(isExtProc)
        .flatMap((filter) => variants(listener, manager, filter).map((options) => processor(setup, options))),
    ),
  )
  const ours = all.filter(looksLikeOurs)
  return ours.length > 0 ? ours : all
}

export const isExtProc = (filter: HttpFilter): boolean => typeName(filter.options) === 'ExternalProcessor'

interface Variant {
  readonly where: string
  readonly listener: Listener
  readonly manager: Manager
  readonly filter: HttpFilter
  readonly options: Tree
}

function variants(listener: Listener, manager: Manager, filter: HttpFilter): readonly Variant[] {
  const variant = (where: string, options: Tree): Variant => ({ where, listener, manager, filter, options })
  const overridden = forwardings(manager).flatMap((forwarding) => {
    const said = perRoute(filter, forwarding)
    const changes = said.kind === 'on' && Object.keys(said.overrides).length > 0
    return changes ? [variant(forwarding.where, withOverrides(filter.options, said.overrides))] : []
  })
  return [variant(manager.where, filter.options), ...overridden]
}

/** As Envoy merges them: each member as a whole; metadata by its key. */
function withOverrides(options: Tree, overrides: Tree): Tree {
  const { grpc_initial_metadata: _, ...rest } = overrides
  const service = treeOf(rest['grpc_service'] ?? options['grpc_service'])
  const added = treesAt(overrides, 'grpc_initial_metadata')
  const kept = treesAt(service, 'initial_metadata').filter(({ key }) => !added.some((each) => each['key'] === key))
  return { ...options, ...rest, grpc_service: { ...service, initial_metadata: [...kept, ...added] } }
}

function processor(setup: Setup, variant: Variant): Processor {
  const { listener, manager, options } = variant
  const said = new Map<string, readonly string[]>()
  for (const entry of treesAt(options, 'grpc_service', 'initial_metadata')) {
    const key = (textAt(entry, 'key') ?? '').toLowerCase()
    said.set(key, [...(said.get(key) ?? []), textAt(entry, 'value') ?? ''])
  }
  const cluster = textAt(options, 'grpc_service', 'envoy_grpc', 'cluster_name')
  return { ...variant, cluster, said, expected: expectedDirection(setup, listener, manager) }
}

function looksLikeOurs({ cluster, said, options }: Processor): boolean {
  const names = [cluster ?? '', textAt(options, 'stat_prefix') ?? '', ...said.keys()]
  return names.some((name) => name.includes('plumbline'))
}

/** The listener says it best; then its name; then routes that go anywhere. */
function expectedDirection(setup: Setup, listener: Listener, manager: Manager): Direction | undefined {
  const traffic = enumAt(listener.options, ['UNSPECIFIED', 'INBOUND', 'OUTBOUND'], 'traffic_direction')
  if (traffic !== 'UNSPECIFIED') return traffic === 'INBOUND' ? 'inbound' : 'outbound'
  const named = /inbound|outbound|ingress|egress/i.exec(listener.name)?.[0].toLowerCase()
  if (named !== undefined) return named === 'inbound' || named === 'ingress' ? 'inbound' : 'outbound'
  const anywhere = forwardings(manager).some(({ clusters }) => clusters.some((name) => goesByHost(setup, name)))
  return anywhere ? 'outbound' : undefined
}

export const goesByHost = (setup: Setup, cluster: string): boolean =>
  textAt(setup.clusters.get(cluster), 'cluster_type', 'name') === 'envoy.clusters.dynamic_forward_proxy'

/** Addresses that a cluster leads to. */
export function endpointsOf(cluster: Tree | undefined): readonly string[] {
  return treesAt(cluster, 'load_assignment', 'endpoints').flatMap((group) =>
    treesAt(group, 'lb_endpoints').map((each) => addressText(at(each, 'endpoint', 'address'))),
  )
}

/** Listeners of this very Envoy that a cluster leads to. */
export function internalListeners(cluster: Tree | undefined): readonly string[] {
  return treesAt(cluster, 'load_assignment', 'endpoints').flatMap((group) =>
    treesAt(group, 'lb_endpoints').flatMap(
      (each) => textAt(each, 'endpoint', 'address', 'envoy_internal_address', 'server_listener_name') ?? [],
    ),
  )
}
