import type { KubeObject } from '../../charts/helm.ts'
import { milliseconds } from './duration.ts'
import { directionOfPort } from './envoy-gateway.ts'
import { clientTls, grpcCluster, listenerWith, pick, typed } from './proxy.ts'
import type { Filter, Node, Proxy } from './proxy.ts'

/* What kgateway 2.4 makes of our objects, as its source does it (pkg/kgateway/extensions2/plugins). */

interface GatewayExtension {
  readonly extProc: {
    readonly grpcService: { readonly backendRef: { readonly port: number } }
    readonly failOpen?: boolean
    readonly statPrefix: string
    readonly messageTimeout: string
    readonly routeCacheAction: 'Retain'
    readonly processingMode: Mode
    readonly allowProcessingModeOverride: boolean
    readonly allowedProcessingModeOverrides: readonly Mode[]
  }
}

interface Mode {
  readonly requestHeaderMode: string
  readonly requestBodyMode: string
  readonly requestTrailerMode: string
  readonly responseHeaderMode: string
  readonly responseBodyMode: string
  readonly responseTrailerMode: string
}

interface BackendConfigPolicy {
  readonly commonHttpProtocolOptions: { readonly maxRequestsPerConnection: number }
  readonly circuitBreakers: { readonly maxRequests: number; readonly maxPendingRequests: number }
  readonly tls: {
    readonly sni: string
    readonly verifySubjectAltNames: readonly string[]
    readonly alpnProtocols: readonly string[]
  }
}

interface ListenerPolicy {
  readonly default: {
    readonly perConnectionBufferLimitBytes: number
    readonly httpSettings: {
      readonly http2ProtocolOptions: { readonly initialStreamWindowSize: number }
      readonly streamIdleTimeout: string
    }
  }
}

const CLUSTER = 'kube_plumbline_plumbline'

export function kgateways(objects: readonly KubeObject[]): readonly Proxy[] {
  return objects
    .filter(({ kind }) => kind === 'GatewayExtension')
    .map((object) => {
      const { namespace, name } = object.metadata
      const { extProc } = object['spec'] as GatewayExtension
      const same = ({ metadata }: KubeObject) => metadata.namespace === namespace && metadata.name === name
      const settings = pick<ListenerPolicy>(objects, 'ListenerPolicy', same).default
      const filter = `ext_proc/${namespace}/${name}`
      const { port } = extProc.grpcService.backendRef
      const cluster = `${CLUSTER}_${port}`
      return {
        direction: directionOfPort(port),
        listener: listenerWith(
          `listener~${port}`,
          manager(settings),
          [globalDisable(), composite(filter, extProc, cluster)],
          {
            per_connection_buffer_limit_bytes: settings.perConnectionBufferLimitBytes,
          },
        ),
        clusters: [clusterOf(cluster, pick<BackendConfigPolicy>(objects, 'BackendConfigPolicy'))],
        perRoute: { [filter]: typed('extensions.filters.http.ext_proc.v3.ExtProcPerRoute', { overrides: {} }) },
      }
    })
}

function manager({ httpSettings }: ListenerPolicy['default']): Node {
  return {
    use_remote_address: true,
    normalize_path: true,
    merge_slashes: true,
    http2_protocol_options: {
      initial_stream_window_size: httpSettings.http2ProtocolOptions.initialStreamWindowSize,
    },
    stream_idle_timeout: `${milliseconds(httpSettings.streamIdleTimeout) / 1000}s`,
  }
}

/** A route that switches processors off enables this filter, which leaves a mark that the next one looks for. */
function globalDisable(): Filter {
  return {
    name: 'global_disable/ext_proc',
    disabled: true,
    typed_config: typed('extensions.filters.http.set_metadata.v3.Config', {
      metadata: [{ metadata_namespace: DISABLED, value: { disable: true } }],
    }),
  }
}

const DISABLED = 'dev.kgateway.disable_ext_proc'

function composite(name: string, extProc: GatewayExtension['extProc'], cluster: string): Filter {
  const processor = {
    name: 'envoy.filters.http.ext_proc',
    typed_config: typed('extensions.filters.http.ext_proc.v3.ExternalProcessor', {
      grpc_service: { envoy_grpc: { cluster_name: cluster } },
      // Its own default: what cannot be judged passes.
      failure_mode_allow: extProc.failOpen ?? true,
      route_cache_action: { Retain: 'RETAIN' }[extProc.routeCacheAction],
      allow_mode_override: extProc.allowProcessingModeOverride,
      processing_mode: modeOf(extProc.processingMode),
      allowed_override_modes: extProc.allowedProcessingModeOverrides.map(modeOf),
      message_timeout: `${milliseconds(extProc.messageTimeout) / 1000}s`,
      stat_prefix: extProc.statPrefix,
    }),
  }
  return {
    name,
    disabled: true,
    typed_config: typed('extensions.common.matching.v3.ExtensionWithMatcher', {
      extension_config: {
        name: 'composite_ext_proc',
        typed_config: typed('extensions.filters.http.composite.v3.Composite'),
      },
      xds_matcher: {
        matcher_list: {
          matchers: [
            {
              predicate: { single_predicate: notDisabled() },
              on_match: {
                action: {
                  name: 'composite-action',
                  typed_config: typed('extensions.filters.http.composite.v3.ExecuteFilterAction', {
                    typed_config: processor,
                  }),
                },
              },
            },
          ],
        },
      },
    }),
  }
}

function notDisabled(): Node {
  return {
    input: {
      name: 'disable',
      typed_config: typed('extensions.matching.common_inputs.network.v3.DynamicMetadataInput', {
        filter: DISABLED,
        path: [{ key: 'disable' }],
      }),
    },
    custom_match: {
      name: 'envoy.matching.matchers.metadata_matcher',
      typed_config: typed('extensions.matching.input_matchers.metadata.v3.Metadata', {
        value: { bool_match: true },
        invert: true,
      }),
    },
  }
}

function modeOf(mode: Mode): Node {
  return {
    request_header_mode: mode.requestHeaderMode,
    request_body_mode: mode.requestBodyMode,
    request_trailer_mode: mode.requestTrailerMode,
    response_header_mode: mode.responseHeaderMode,
    response_body_mode: mode.responseBodyMode,
    response_trailer_mode: mode.responseTrailerMode,
  }
}

function clusterOf(name: string, { commonHttpProtocolOptions, circuitBreakers, tls }: BackendConfigPolicy) {
  const { maxRequests, maxPendingRequests: maxPending } = circuitBreakers
  const pool = { maxRequestsPerConnection: commonHttpProtocolOptions.maxRequestsPerConnection, maxRequests, maxPending }
  return grpcCluster(name, pool, {
    transport_socket: clientTls({ sni: tls.sni, names: tls.verifySubjectAltNames, alpn: tls.alpnProtocols }),
  })
}
