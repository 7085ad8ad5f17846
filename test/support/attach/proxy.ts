import type { KubeObject } from '../../charts/helm.ts'

/** Envoy's configuration as plain objects; only what these helpers touch is named. */
export type Node = { [key: string]: unknown }

export interface Filter extends Node {
  name: string
  typed_config?: Node
  disabled?: boolean
}

export interface Manager extends Node {
  stat_prefix: string
  http_filters: Filter[]
}

export interface Listener extends Node {
  name: string
  filter_chains: { filters: { name: string; typed_config: Manager }[] }[]
}

export interface Cluster extends Node {
  name: string
}

/** What a proxy of some environment has once a manifest was applied. */
export interface Proxy {
  readonly direction: Direction
  /** The listener that the traffic passes; address and upstream are put in by the test. */
  readonly listener: Listener
  /** Its clusters that lead to Plumbline. */
  readonly clusters: readonly Cluster[]
  /** `typed_per_filter_config` of its routes. */
  readonly perRoute?: Node
}

export type Direction = 'inbound' | 'outbound'

export const MANAGER = 'envoy.filters.network.http_connection_manager'
export const ROUTER: Filter = {
  name: 'envoy.filters.http.router',
  typed_config: typed('extensions.filters.http.router.v3.Router'),
}

export function typed(type: string, config: Node = {}): Node {
  return { '@type': `type.googleapis.com/envoy.${type}`, ...config }
}

/** A listener as every control plane makes them: a connection manager with filters and the router at their end. */
export function listenerWith(name: string, manager: Node, filters: readonly Filter[], more: Node = {}): Listener {
  const typedManager = {
    ...typed('extensions.filters.network.http_connection_manager.v3.HttpConnectionManager'),
    // The counters of processors without a prefix of their own are found by it.
    stat_prefix: 'plumbline',
    codec_type: 'AUTO',
    http_filters: structuredClone([...filters, ROUTER]),
    ...manager,
  }
  return { name, ...more, filter_chains: [{ filters: [{ name: MANAGER, typed_config: typedManager }] }] }
}

export function managerOf(listener: Listener): Manager {
  const filter = listener.filter_chains[0]?.filters[0]
  if (filter === undefined) throw new Error(`${listener.name} has no connection manager`)
  return filter.typed_config
}

export interface ClientTls {
  readonly sni: string
  readonly names: readonly string[]
  readonly alpn: readonly string[]
  /** As Envoy Gateway does it: the name that is asked for is the one that has to be in the certificate. */
  readonly bySni?: boolean
}

/** Where the test's own certificate and authority come in, whatever Secret the environment takes them from. */
export const CLIENT_FILES = {
  cert: '/etc/plumbline-client/tls.crt',
  key: '/etc/plumbline-client/tls.key',
  ca: '/etc/plumbline-client/ca.crt',
} as const

export function clientTls({ sni, names, alpn, bySni = false }: ClientTls): Node {
  return {
    name: 'envoy.transport_sockets.tls',
    typed_config: typed('extensions.transport_sockets.tls.v3.UpstreamTlsContext', {
      sni,
      ...(bySni ? { auto_sni_san_validation: true } : {}),
      common_tls_context: {
        alpn_protocols: alpn,
        tls_certificates: [
          { certificate_chain: { filename: CLIENT_FILES.cert }, private_key: { filename: CLIENT_FILES.key } },
        ],
        validation_context: {
          trusted_ca: { filename: CLIENT_FILES.ca },
          match_typed_subject_alt_names: names.map((exact) => ({ san_type: 'DNS', matcher: { exact } })),
        },
      },
    }),
  }
}

export interface Pool {
  readonly maxRequestsPerConnection: number
  readonly maxRequests: number
  readonly maxPending: number
}

/** A cluster that speaks HTTP/2 to Plumbline. Its address is the test's. */
export function grpcCluster(name: string, pool: Pool, more: Node = {}): Cluster {
  return {
    name,
    connect_timeout: '5s',
    circuit_breakers: { thresholds: [{ max_requests: pool.maxRequests, max_pending_requests: pool.maxPending }] },
    typed_extension_protocol_options: {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': typed(
        'extensions.upstreams.http.v3.HttpProtocolOptions',
        {
          common_http_protocol_options: { max_requests_per_connection: pool.maxRequestsPerConnection },
          explicit_http_config: { http2_protocol_options: {} },
        },
      ),
    },
    ...more,
  }
}

/** The one object of a kind that is meant. */
export function pick<Spec>(objects: readonly KubeObject[], kind: string, which?: (object: KubeObject) => boolean) {
  const found = objects.filter((object) => object.kind === kind && (which === undefined || which(object)))
  const [only] = found
  if (only === undefined || found.length > 1) throw new Error(`There are ${found.length} of ${kind}.`)
  return only['spec'] as Spec
}

/** By the workload, the port or the words of a manifest: what its object is for. */
export function directionOf(text: string): Direction {
  const said = (['inbound', 'outbound'] as const).filter((direction) => text.includes(direction))
  const [only] = said
  if (only === undefined || said.length > 1) throw new Error(`One direction was expected: ${text}`)
  return only
}
