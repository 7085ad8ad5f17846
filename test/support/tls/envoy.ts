/* Changes to a rendered Envoy configuration, for a Plumbline that is not beside it. */

interface Rendered {
  readonly static_resources: { readonly clusters: readonly Cluster[] }
}
interface Cluster {
  readonly name: string
  load_assignment: unknown
  transport_socket?: unknown
}

export interface EnvoyTls {
  /** That Plumbline's certificate must have. */
  readonly name: string
  /** Files in PEM. */
  readonly authority: string
  readonly shows?: { readonly cert: string; readonly key: string }
}

/** Plumbline listens on a port of this machine. */
export function toPort(rendered: string, port: number): string {
  return changed(rendered, (plumbline) => {
    const address = { socket_address: { address: '127.0.0.1', port_value: port } }
    plumbline.load_assignment = {
      cluster_name: plumbline.name,
      endpoints: [{ lb_endpoints: [{ endpoint: { address } }] }],
    }
  })
}

export function overTls(rendered: string, { name, authority, shows }: EnvoyTls): string {
  const certificates = shows && [{ certificate_chain: { filename: shows.cert }, private_key: { filename: shows.key } }]
  return changed(rendered, (plumbline) => {
    plumbline.transport_socket = {
      name: 'envoy.transport_sockets.tls',
      typed_config: {
        '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
        sni: name,
        common_tls_context: {
          tls_certificates: certificates,
          validation_context: {
            trusted_ca: { filename: authority },
            match_typed_subject_alt_names: [{ san_type: 'DNS', matcher: { exact: name } }],
          },
        },
      },
    }
  })
}

/** The filter does not say whose it is. */
export function withoutWorkload(rendered: string): string {
  const without = (_key: string, value: unknown): unknown =>
    Array.isArray(value) ? value.filter((each) => !namesWorkload(each)) : value
  return JSON.stringify(JSON.parse(rendered, without))
}

function namesWorkload(entry: unknown): boolean {
  return typeof entry === 'object' && entry !== null && 'key' in entry && entry.key === 'x-plumbline-workload'
}

function changed(rendered: string, change: (plumbline: Cluster) => void): string {
  const config = JSON.parse(rendered) as Rendered
  const plumbline = config.static_resources.clusters.find(({ name }) => name === 'plumbline')
  if (plumbline === undefined) throw new Error('sidecar.yaml has no cluster that leads to Plumbline.')
  change(plumbline)
  return JSON.stringify(config, undefined, 1)
}
