/** A listener with the filter in one setting. */
export interface StdListener {
  readonly port: number
  /** Over the filter's usual settings. */
  readonly filter?: Readonly<Record<string, unknown>>
  /** Over the connection manager's usual settings. */
  readonly http?: Readonly<Record<string, unknown>>
  readonly bufferLimitBytes?: number
}

export interface StdEnvoy {
  readonly adminSocket: string
  readonly processorSocket: string
  readonly upstreamPort: number
  readonly listeners: readonly StdListener[]
}

export const BOTH_BUFFERED = {
  request_header_mode: 'SEND',
  request_body_mode: 'BUFFERED',
  request_trailer_mode: 'SEND',
  response_header_mode: 'SEND',
  response_body_mode: 'BUFFERED',
  response_trailer_mode: 'SEND',
} as const

/**
 * The plainest filter that fails closed, which is not enough: no mutation rules, no pinned overrides, no cures of the
 * reset flood. It is the ground on which a misbehaving server shows what opens.
 */
export function stdEnvoyConfig({ adminSocket, processorSocket, upstreamPort, listeners }: StdEnvoy): string {
  return JSON.stringify({
    admin: { address: { pipe: { path: adminSocket } } },
    static_resources: {
      listeners: listeners.map(listener),
      clusters: [
        cluster('gate', { pipe: { path: processorSocket } }, { http2_protocol_options: {} }),
        cluster('upstream', loopback(upstreamPort), { http_protocol_options: {} }),
      ],
    },
  })
}

function listener({ port, filter, http, bufferLimitBytes = 1_048_576 }: StdListener): object {
  return {
    name: `std${port}`,
    address: loopback(port),
    per_connection_buffer_limit_bytes: bufferLimitBytes,
    filter_chains: [
      {
        filters: [
          typed('envoy.filters.network.http_connection_manager', HTTP_MANAGER, {
            stat_prefix: 'std',
            http_filters: [
              typed('envoy.filters.http.ext_proc', EXT_PROC, { ...STD_FILTER, ...filter }),
              typed('envoy.filters.http.router', ROUTER, {}),
            ],
            route_config: {
              virtual_hosts: [
                {
                  name: 'all',
                  domains: ['*'],
                  routes: [{ match: { prefix: '/' }, route: { cluster: 'upstream', timeout: '0s' } }],
                },
              ],
            },
            ...http,
          }),
        ],
      },
    ],
  }
}

const STD_FILTER = {
  stat_prefix: 'plumbline',
  failure_mode_allow: false,
  allow_mode_override: true,
  message_timeout: '2s',
  status_on_error: { code: 'ServiceUnavailable' },
  processing_mode: BOTH_BUFFERED,
  grpc_service: { envoy_grpc: { cluster_name: 'gate' } },
}

const EXTENSIONS = 'type.googleapis.com/envoy.extensions'
const HTTP_MANAGER = `${EXTENSIONS}.filters.network.http_connection_manager.v3.HttpConnectionManager`
const EXT_PROC = `${EXTENSIONS}.filters.http.ext_proc.v3.ExternalProcessor`
const ROUTER = `${EXTENSIONS}.filters.http.router.v3.Router`
const HTTP_OPTIONS = `${EXTENSIONS}.upstreams.http.v3.HttpProtocolOptions`

function typed(name: string, type: string, config: object): object {
  return { name, typed_config: { '@type': type, ...config } }
}

function cluster(name: string, address: object, protocol: object): object {
  return {
    name,
    type: 'STATIC',
    connect_timeout: '5s',
    load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: [{ endpoint: { address } }] }] },
    typed_extension_protocol_options: {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
        '@type': HTTP_OPTIONS,
        explicit_http_config: protocol,
      },
    },
  }
}

function loopback(port: number): object {
  return { socket_address: { address: '127.0.0.1', port_value: port } }
}
