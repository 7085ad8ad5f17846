import type { KubeObject } from '../../charts/helm.ts'
import { clientTls, grpcCluster, listenerWith, managerOf, pick, typed } from './proxy.ts'
import type { Cluster, Direction, Filter, Listener, Manager, Node, Proxy } from './proxy.ts'

/*
 * What istiod makes of our objects, as its source does it (pilot/pkg/networking/core, June 2026): listeners of the three kinds of
 * proxy with what matters here, and EnvoyFilter's patches applied one after the other.
 */

interface Match {
  readonly context: string
  readonly listener?: {
    readonly name?: string
    readonly filterChain?: {
      readonly filter: { readonly name: string; readonly subFilter?: { readonly name: string } }
    }
  }
}

interface Patch {
  readonly applyTo: string
  readonly match: Match
  readonly patch: { readonly operation: string; readonly value?: Node }
}

interface EnvoyFilter {
  readonly workloadSelector?: object
  readonly targetRefs?: readonly { readonly kind: string; readonly name: string }[]
  readonly configPatches: readonly Patch[]
}

interface DestinationRule {
  readonly host: string
  readonly trafficPolicy: {
    readonly connectionPool: {
      readonly http: {
        readonly maxRequestsPerConnection: number
        readonly http2MaxRequests: number
        readonly http1MaxPendingRequests: number
      }
    }
    readonly tls: { readonly mode: string; readonly sni: string; readonly subjectAltNames: readonly string[] }
  }
}

/** A listener, and the context in which istiod patches it. */
interface Place {
  readonly context: string
  readonly listener: Listener
}

/** An agent's sidecar: what arrives, tunnels of ambient mesh included, and what leaves. */
export function istioSidecar(objects: readonly KubeObject[]): readonly Proxy[] {
  const filter = pick<EnvoyFilter>(objects, 'EnvoyFilter')
  const places = [
    { context: 'SIDECAR_INBOUND', listener: listenerOf('virtualInbound') },
    { context: 'SIDECAR_INBOUND', listener: tunnelEnd() },
    { context: 'SIDECAR_OUTBOUND', listener: listenerOf('0.0.0.0_80') },
  ]
  const [inbound, , outbound] = patched(places, filter)
  const clusters = clustersOf(objects, filter, undefined)
  return [
    { direction: 'inbound', listener: gated(inbound), clusters },
    { direction: 'outbound', listener: gated(outbound), clusters },
  ]
}

/** Each EnvoyFilter is for a gateway of its own. */
export function istioGateways(objects: readonly KubeObject[]): readonly Proxy[] {
  return each(objects, (filter) => patched([{ context: 'GATEWAY', listener: listenerOf('0.0.0.0_8080') }], filter)[0])
}

/** A waypoint has a listener where tunnels end, and one behind it with the services' chains. */
export function istioWaypoints(objects: readonly KubeObject[]): readonly Proxy[] {
  return each(objects, (filter) => {
    const places = [
      { context: 'SIDECAR_INBOUND', listener: tunnelEnd() },
      { context: 'SIDECAR_INBOUND', listener: listenerOf('main_internal') },
    ]
    return patched(places, filter)[1]
  })
}

/** The listeners that nothing of ours may have got into. */
export function tunnelEndAfter(objects: readonly KubeObject[]): readonly Listener[] {
  const filters = objects.filter(({ kind }) => kind === 'EnvoyFilter').map((object) => object['spec'] as EnvoyFilter)
  return filters.flatMap((filter) => patched([{ context: 'SIDECAR_INBOUND', listener: tunnelEnd() }], filter))
}

function each(
  objects: readonly KubeObject[],
  listener: (filter: EnvoyFilter) => Listener | undefined,
): readonly Proxy[] {
  return objects
    .filter(({ kind }) => kind === 'EnvoyFilter')
    .map((object) => {
      const spec = object['spec'] as EnvoyFilter
      const found = gated(listener(spec))
      return { direction: saidDirection(found), listener: found, clusters: clustersOf(objects, spec, object) }
    })
}

/** Only what istiod sets and a patch could be at odds with. */
function listenerOf(name: string): Listener {
  return listenerWith(
    name,
    { normalize_path: true, upgrade_configs: [{ upgrade_type: 'websocket' }], stream_idle_timeout: '0s' },
    // Authorization stands before us.
    [{ name: 'envoy.filters.http.rbac', typed_config: typed('extensions.filters.http.rbac.v3.RBAC') }],
  )
}

function tunnelEnd(): Listener {
  return listenerWith('connect_terminate', { upgrade_configs: [{ upgrade_type: 'CONNECT' }] }, [])
}

function patched(places: readonly Place[], { configPatches }: EnvoyFilter): readonly Listener[] {
  for (const { context, listener } of places) {
    for (const patch of configPatches) if (matches(patch.match, context, listener)) apply(patch, listener)
  }
  return places.map(({ listener }) => listener)
}

function matches({ context, listener }: Match, of: string, candidate: Listener): boolean {
  return context === of && (listener?.name === undefined || listener.name === candidate.name)
}

function apply({ applyTo, match, patch }: Patch, listener: Listener): void {
  const manager = managerOf(listener)
  switch (`${applyTo} ${patch.operation}`) {
    case 'HTTP_FILTER INSERT_BEFORE':
      manager.http_filters.splice(indexOf(manager, match), 0, structuredClone(patch.value) as Filter)
      return
    case 'HTTP_FILTER REMOVE':
      manager.http_filters = manager.http_filters.filter(({ name }) => name !== subFilter(match))
      return
    case 'NETWORK_FILTER MERGE':
      merge(manager, patch.value?.['typed_config'] as Node)
      return
    case 'LISTENER MERGE':
      merge(listener, patch.value ?? {})
      return
    // Clusters are no part of a listener.
    case 'CLUSTER ADD':
      return
    default:
      throw new Error(`This does not know ${applyTo} ${patch.operation}.`)
  }
}

function subFilter(match: Match): string | undefined {
  return match.listener?.filterChain?.filter.subFilter?.name
}

function indexOf(manager: Manager, match: Match): number {
  const index = manager.http_filters.findIndex(({ name }) => name === subFilter(match))
  if (index < 0) throw new Error('No filter matches: Istio would say nothing either.')
  return index
}

/** As protobuf merges messages: scalars are replaced, messages go on inside, lists grow. */
function merge(into: Node, from: Node): void {
  for (const [key, value] of Object.entries(from)) {
    const present = into[key]
    if (Array.isArray(present) && Array.isArray(value)) into[key] = [...(present as unknown[]), ...(value as unknown[])]
    else if (isNode(present) && isNode(value)) merge(present, value)
    else into[key] = structuredClone(value)
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The listener, if a processor stands in it where it should: last before the router. */
function gated(listener: Listener | undefined): Listener {
  if (listener === undefined) throw new Error('no such listener')
  const names = managerOf(listener).http_filters.map(({ name }) => name)
  const expected = ['envoy.filters.http.rbac', 'envoy.filters.http.ext_proc', 'envoy.filters.http.router']
  if (names.join() !== expected.join()) throw new Error(`${listener.name}: ${names.join()}`)
  return listener
}

function saidDirection(listener: Listener): Direction {
  const filter = managerOf(listener).http_filters.find(({ name }) => name === 'envoy.filters.http.ext_proc')
  const service = filter?.typed_config?.['grpc_service'] as { initial_metadata: { key: string; value: string }[] }
  return service.initial_metadata.find(({ key }) => key === 'x-plumbline-direction')?.value as Direction
}

function clustersOf(
  objects: readonly KubeObject[],
  { configPatches }: EnvoyFilter,
  filter: KubeObject | undefined,
): readonly Cluster[] {
  const added = configPatches.filter(({ applyTo }) => applyTo === 'CLUSTER').map(({ patch }) => patch.value as Cluster)
  if (added.length > 0) return structuredClone(added)
  const same = ({ metadata }: KubeObject) =>
    filter === undefined ||
    `${metadata.namespace}/${metadata.name}` === `${filter.metadata.namespace}/${filter.metadata.name}`
  return [serviceCluster(pick<DestinationRule>(objects, 'DestinationRule', same), configPatches)]
}

/** The cluster that istiod makes of a Service with gRPC on its port, for the proxies that the rule selects. */
function serviceCluster({ host, trafficPolicy: { connectionPool, tls } }: DestinationRule, patches: readonly Patch[]) {
  if (tls.mode !== 'MUTUAL') throw new Error(`${tls.mode} is no mutual TLS`)
  const name = clusterName(patches)
  if (!name.endsWith(`||${host}`)) throw new Error(`${name} does not lead to ${host}`)
  const {
    maxRequestsPerConnection,
    http2MaxRequests: maxRequests,
    http1MaxPendingRequests: maxPending,
  } = connectionPool.http
  return grpcCluster(
    name,
    { maxRequestsPerConnection, maxRequests, maxPending },
    {
      transport_socket: clientTls({ sni: tls.sni, names: tls.subjectAltNames, alpn: ['h2'] }),
    },
  )
}

function clusterName(patches: readonly Patch[]): string {
  const names = patches.flatMap(({ patch }) => {
    const service = (patch.value?.['typed_config'] as Node | undefined)?.['grpc_service']
    return service === undefined ? [] : [(service as { envoy_grpc: { cluster_name: string } }).envoy_grpc.cluster_name]
  })
  const [only, ...others] = [...new Set(names)]
  if (only === undefined || others.length > 0) throw new Error(`One cluster was expected: ${names.join()}`)
  return only
}
