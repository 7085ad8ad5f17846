import type { KubeObject } from '../../charts/helm.ts'
import { clientTls, grpcCluster, listenerWith, pick, typed } from './proxy.ts'
import type { Direction, Node, Proxy } from './proxy.ts'
import { milliseconds } from './duration.ts'

/* What Envoy Gateway 1.9 makes of our objects, as its source does it (internal/xds/translator). */

interface ExtensionPolicy {
  readonly targetRefs: readonly { readonly kind: string; readonly name: string }[]
  readonly extProc: readonly [ExtProc]
}

interface ExtProc {
  readonly backendRefs: readonly [{ readonly name: string; readonly port: number }]
  readonly failOpen: boolean
  readonly statusOnError?: number
  readonly messageTimeout: string
  readonly processingMode: {
    readonly request?: { readonly body?: string }
    readonly response?: { readonly body?: string }
    readonly allowModeOverride?: boolean
  }
  readonly backendSettings: {
    readonly circuitBreaker: {
      readonly maxRequestsPerConnection: number
      readonly maxParallelRequests: number
      readonly maxPendingRequests: number
    }
  }
}

interface ClientTrafficPolicy {
  readonly connection: { readonly bufferLimit: number }
  readonly http2: { readonly initialStreamWindowSize: number }
  readonly path: { readonly escapedSlashesAction: 'RejectRequest'; readonly disableMergeSlashes: boolean }
  readonly headers: { readonly withUnderscoresAction: 'RejectRequest' }
  readonly timeout: { readonly http: { readonly streamIdleTimeout: string } }
}

interface BackendTlsPolicy {
  readonly validation: { readonly hostname: string }
}

interface EnvoyProxy {
  readonly backendTLS: { readonly alpnProtocols: readonly string[] }
}

/** What it takes where nothing is said. */
const WINDOW = 64 * 1024
const CONNECTION_WINDOW = 1024 * 1024
const CLUSTER_BUFFER = 32 * 1024

export function envoyGateways(objects: readonly KubeObject[]): readonly Proxy[] {
  return objects
    .filter(({ kind }) => kind === 'EnvoyExtensionPolicy')
    .map((object) => {
      const { namespace, name } = object.metadata
      const policy = object['spec'] as ExtensionPolicy
      const same = ({ metadata }: KubeObject) => metadata.namespace === namespace && metadata.name === name
      const filter = `envoy.filters.http.ext_proc/envoyextensionpolicy/${namespace}/${name}/extproc/0`
      const cluster = `envoyextensionpolicy/${namespace}/${name}/extproc/0`
      const [extProc] = policy.extProc
      return {
        direction: directionOfPort(extProc.backendRefs[0].port),
        listener: listenerWith(
          `${namespace}/${name}/http`,
          manager(pick<ClientTrafficPolicy>(objects, 'ClientTrafficPolicy', same)),
          // Off for the listener, on for each route that the policy is for.
          [{ name: filter, disabled: true, typed_config: processor(extProc, cluster) }],
          {
            per_connection_buffer_limit_bytes: pick<ClientTrafficPolicy>(objects, 'ClientTrafficPolicy', same)
              .connection.bufferLimit,
          },
        ),
        clusters: [
          clusterOf(
            cluster,
            extProc,
            pick<BackendTlsPolicy>(objects, 'BackendTLSPolicy'),
            pick<EnvoyProxy>(objects, 'EnvoyProxy', same),
          ),
        ],
        perRoute: { [filter]: typed('config.route.v3.FilterConfig', { config: {} }) },
      }
    })
}

/** The chart's own ports. */
export function directionOfPort(port: number): Direction {
  if (port === 9091) return 'inbound'
  if (port === 9092) return 'outbound'
  throw new Error(`Port ${port} is for no direction.`)
}

function processor(extProc: ExtProc, cluster: string): Node {
  const { request, response, allowModeOverride = false } = extProc.processingMode
  return typed('extensions.filters.http.ext_proc.v3.ExternalProcessor', {
    grpc_service: { envoy_grpc: { cluster_name: cluster, authority: 'plumbline.plumbline' }, timeout: '10s' },
    failure_mode_allow: extProc.failOpen,
    message_timeout: `${milliseconds(extProc.messageTimeout) / 1000}s`,
    allow_mode_override: allowModeOverride,
    ...(extProc.statusOnError === undefined ? {} : { status_on_error: { code: extProc.statusOnError } }),
    processing_mode: {
      request_header_mode: request === undefined ? 'SKIP' : 'SEND',
      response_header_mode: response === undefined ? 'SKIP' : 'SEND',
      request_body_mode: bodyMode(request?.body),
      response_body_mode: bodyMode(response?.body),
      request_trailer_mode: 'SKIP',
      response_trailer_mode: 'SKIP',
    },
  })
}

function bodyMode(mode: string | undefined): string {
  if (mode === undefined) return 'NONE'
  if (mode !== 'Buffered') throw new Error(`Bodies are Buffered, not ${mode}.`)
  return 'BUFFERED'
}

function manager(policy: ClientTrafficPolicy): Node {
  return {
    use_remote_address: true,
    server_header_transformation: 'PASS_THROUGH',
    normalize_path: true,
    merge_slashes: !policy.path.disableMergeSlashes,
    path_with_escaped_slashes_action: { RejectRequest: 'REJECT_REQUEST' }[policy.path.escapedSlashesAction],
    common_http_protocol_options: {
      headers_with_underscores_action: { RejectRequest: 'REJECT_REQUEST' }[policy.headers.withUnderscoresAction],
    },
    http2_protocol_options: {
      max_concurrent_streams: 100,
      initial_stream_window_size: policy.http2.initialStreamWindowSize,
      initial_connection_window_size: CONNECTION_WINDOW,
    },
    stream_idle_timeout: `${milliseconds(policy.timeout.http.streamIdleTimeout) / 1000}s`,
  }
}

function clusterOf(name: string, extProc: ExtProc, { validation }: BackendTlsPolicy, { backendTLS }: EnvoyProxy) {
  const { maxRequestsPerConnection, maxParallelRequests, maxPendingRequests } = extProc.backendSettings.circuitBreaker
  const pool = { maxRequestsPerConnection, maxRequests: maxParallelRequests, maxPending: maxPendingRequests }
  return grpcCluster(name, pool, {
    per_connection_buffer_limit_bytes: CLUSTER_BUFFER,
    transport_socket: clientTls({ sni: validation.hostname, names: [], alpn: backendTLS.alpnProtocols, bySni: true }),
    typed_extension_protocol_options: {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': typed(
        'extensions.upstreams.http.v3.HttpProtocolOptions',
        {
          common_http_protocol_options: { max_requests_per_connection: maxRequestsPerConnection },
          explicit_http_config: {
            http2_protocol_options: {
              initial_stream_window_size: WINDOW,
              initial_connection_window_size: CONNECTION_WINDOW,
            },
          },
        },
      ),
    },
  })
}
