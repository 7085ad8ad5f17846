import { managerOf } from './proxy.ts'
import type { Cluster, Direction, Listener, Node, Proxy } from './proxy.ts'

/** Where things are in a test. */
export interface Places {
  readonly admin: string
  readonly ports: Readonly<Record<Direction, number>>
  /** What lies behind the proxy. */
  readonly upstreams: Readonly<Record<Direction, number>>
  readonly plumbline: { readonly socket: string } | { readonly ports: Readonly<Record<Direction, number>> }
  /** In place of the files that clusters name. */
  readonly files: Readonly<Record<string, string>>
}

/** A configuration with the listeners, filters and clusters of the proxies; only addresses, routes and files are the test's. */
export function bootstrapOf(proxies: readonly Proxy[], places: Places): string {
  const config = {
    admin: { address: { pipe: { path: places.admin, mode: 384 } } },
    static_resources: {
      listeners: proxies.map((proxy) => listenerAt(proxy, places)),
      clusters: [
        ...once(
          proxies.flatMap(({ clusters, direction }) =>
            clusters.map((cluster) => clusterAt(cluster, direction, places)),
          ),
        ),
        ...proxies.map(({ direction }) => upstream(direction, places.upstreams[direction])),
      ],
    },
  }
  const text = JSON.stringify(config, undefined, 1)
  return Object.entries(places.files).reduce(
    (all, [from, to]) => all.replaceAll(JSON.stringify(from), JSON.stringify(to)),
    text,
  )
}

function listenerAt({ direction, listener, perRoute }: Proxy, places: Places): Listener {
  const placed = structuredClone(listener)
  // Two gateways' listeners, which have the same name, are in one Envoy here.
  placed.name = `${direction} ${listener.name}`
  placed['address'] = { socket_address: { address: '127.0.0.1', port_value: places.ports[direction] } }
  const manager = managerOf(placed)
  const perFilter = perRoute === undefined ? {} : { typed_per_filter_config: perRoute }
  manager['route_config'] = {
    virtual_hosts: [
      {
        name: 'all',
        domains: ['*'],
        routes: [{ match: { prefix: '/' }, route: { cluster: `upstream_${direction}`, timeout: '0s' }, ...perFilter }],
      },
    ],
  }
  // A look-up of names is not what is tested, and has no place to go to.
  manager.http_filters = manager.http_filters.filter(({ name }) => !LOOK_UPS.includes(name))
  manager['access_log'] = ACCESS_LOG
  manager['always_set_request_id_in_response'] = true
  return placed
}

const LOOK_UPS = ['envoy.filters.http.dynamic_forward_proxy']

const ACCESS_LOG = [
  {
    name: 'envoy.access_loggers.stdout',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.access_loggers.stream.v3.StdoutAccessLog',
      log_format: {
        json_format: {
          requestId: '%REQ(X-REQUEST-ID)%',
          status: '%RESPONSE_CODE%',
          details: '%RESPONSE_CODE_DETAILS%',
          flags: '%RESPONSE_FLAGS%',
        },
      },
    },
  },
]

function clusterAt(cluster: Cluster, direction: Direction, { plumbline }: Places): Cluster {
  const address =
    'socket' in plumbline
      ? { pipe: { path: plumbline.socket } }
      : { socket_address: { address: '127.0.0.1', port_value: plumbline.ports[direction] } }
  return { ...cluster, type: 'STATIC', load_assignment: endpoint(cluster.name, address) }
}

function upstream(direction: Direction, port: number): Cluster {
  const name = `upstream_${direction}`
  const address = { socket_address: { address: '127.0.0.1', port_value: port } }
  return { name, type: 'STATIC', connect_timeout: '5s', load_assignment: endpoint(name, address) }
}

function endpoint(name: string, address: Node): Node {
  return { cluster_name: name, endpoints: [{ lb_endpoints: [{ endpoint: { address } }] }] }
}

/** Both directions may share a cluster. */
function once(clusters: readonly Cluster[]): readonly Cluster[] {
  return [...new Map(clusters.map((cluster) => [cluster.name, cluster])).values()]
}
