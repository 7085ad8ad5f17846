import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

/** What a test or the demo puts into `envoy/sidecar.yaml`; everything else is the file that users run. */
export interface SidecarValues {
  readonly inboundPort: number
  readonly outboundPort: number
  readonly agentPort: number
  /** Plumbline's admin; unreachable through the proxy. */
  readonly plumblineAdminPort: number
  readonly plumblineSocket: string
  readonly envoyAdminSocket: string
  readonly workload: string
  /** Names that lead to a port of this machine, in place of DNS. */
  readonly names: Readonly<Record<string, number>>
  /** Hosts that Envoy speaks TLS to, and the file with the authority that vouches for them. */
  readonly tls: { readonly hosts: readonly string[]; readonly authority: string } | undefined
  readonly messageTimeoutMs: number | undefined
}

export type Json = string | number | boolean | null | readonly Json[] | { [key: string]: Json }
type Tree = Record<string, Json>

const SIDECAR = new URL('../../envoy/sidecar.yaml', import.meta.url)

/** The shipped configuration as it stands. */
export function shippedSidecar(): string {
  return readFileSync(SIDECAR, 'utf8')
}

/** The configuration with the values put in, as JSON text (which Envoy reads as well). */
export function renderSidecar(values: SidecarValues, sidecar = shippedSidecar()): string {
  const tree = parse(sidecar, { merge: false }) as Tree
  // Aliases of the YAML are shared objects here: a copy per place, so that an edit stays where it is made.
  const config = JSON.parse(JSON.stringify(tree)) as Tree
  setSockets(config, values)
  setMetadata(config, values.workload)
  setOwnPorts(config, values)
  for (const [name, port] of Object.entries(values.names)) addName(config, name, port)
  setTls(config, values.tls)
  if (values.messageTimeoutMs !== undefined) setMessageTimeout(config, values.messageTimeoutMs)
  return JSON.stringify(config, undefined, 1)
}

/** The same configuration without the processor: what a message looks like when only Envoy touches it. */
export function withoutProcessor(rendered: string): string {
  const config = JSON.parse(rendered) as Tree
  for (const manager of managers(config)) {
    manager['http_filters'] = list(manager['http_filters']).filter((filter) => filter['name'] !== EXT_PROC)
  }
  return JSON.stringify(config, undefined, 1)
}

const EXT_PROC = 'envoy.filters.http.ext_proc'

function setSockets(config: Tree, values: SidecarValues): void {
  tree(at(config, 'admin', 'address', 'pipe'))['path'] = values.envoyAdminSocket
  const [inbound, outbound] = listeners(config)
  tree(at(inbound, 'address'))['socket_address'] = loopback(values.inboundPort)
  tree(at(outbound, 'address'))['socket_address'] = loopback(values.outboundPort)
  tree(endpointOf(config, 'plumbline'))['pipe'] = { path: values.plumblineSocket }
  tree(endpointOf(config, 'agent'))['socket_address'] = loopback(values.agentPort)
}

function setMetadata(config: Tree, workload: string): void {
  for (const manager of managers(config)) {
    const entries = list(at(processor(manager), 'grpc_service', 'initial_metadata'))
    for (const entry of entries) if (entry['key'] === 'x-plumbline-workload') entry['value'] = workload
  }
}

/** The ports that the shipped file guards, in its order: admin, inbound, outbound. */
function setOwnPorts(config: Tree, values: SidecarValues): void {
  const guarded = [values.plumblineAdminPort, values.inboundPort, values.outboundPort]
  for (const manager of outwardManagers(config)) setGuardedPorts(manager, guarded)
}

function setGuardedPorts(manager: Tree, guarded: readonly number[]): void {
  const rbac = list(manager['http_filters']).find((filter) => filter['name'] === 'envoy.filters.http.rbac')
  const permission = list(at(rbac, 'typed_config', 'rules', 'policies', 'own_ports', 'permissions'))[0]
  const ports = list(at(list(at(permission, 'and_rules', 'rules'))[1], 'or_rules', 'rules'))
  if (ports.length !== guarded.length) throw new Error('sidecar.yaml guards other ports than this knows of.')
  ports.forEach((rule, i) => {
    const port = guarded[i] ?? 0
    tree(at(rule, 'matcher', 'typed_config'))['upstream_port_range'] = { start: port, end: port + 1 }
  })
}

function addName(config: Tree, name: string, port: number): void {
  for (const manager of outwardManagers(config)) addVirtualHost(virtualHosts(manager), name)
  const model = list(at(config, 'static_resources', 'clusters'))
  const byHost = model.find((cluster) => cluster['name'] === 'by_host')
  model.push({
    name: `name:${name}`,
    type: 'STATIC',
    connect_timeout: '5s',
    load_assignment: {
      cluster_name: `name:${name}`,
      endpoints: [{ lb_endpoints: [{ endpoint: { address: { socket_address: loopback(port) } } }] }],
    },
    typed_extension_protocol_options: structuredClone(byHost?.['typed_extension_protocol_options'] ?? {}),
  })
}

/** Where everything else goes, this name goes to its own cluster. */
function addVirtualHost(hosts: Tree[], name: string): void {
  const byHost = hosts.find((host) => host['name'] === 'by_host')
  // Some lead to listed hosts only.
  if (byHost === undefined) return
  const named = structuredClone(list(byHost['routes'])).map((route) =>
    'route' in route && at(route, 'route', 'cluster') === 'by_host'
      ? { ...route, route: { ...tree(route['route']), cluster: `name:${name}` } }
      : route,
  )
  hosts.unshift({ name: `name:${name}`, domains: [name, `${name}:*`], routes: named })
}

function setTls(config: Tree, tls: SidecarValues['tls']): void {
  if (tls === undefined) return
  const hosts = outwardManagers(config).flatMap(virtualHosts)
  for (const host of hosts.filter((entry) => entry['name'] === 'tls_by_envoy')) host['domains'] = tls.hosts
  const cluster = clusterOf(config, 'by_host_tls')
  const context = tree(at(cluster, 'transport_socket', 'typed_config', 'common_tls_context', 'validation_context'))
  context['trusted_ca'] = { filename: tls.authority }
}

function setMessageTimeout(config: Tree, ms: number): void {
  for (const manager of managers(config)) processor(manager)['message_timeout'] = `${ms / 1000}s`
}

function loopback(port: number): Tree {
  return { address: '127.0.0.1', port_value: port }
}

function listeners(config: Tree): Tree[] {
  return list(at(config, 'static_resources', 'listeners'))
}

/** One for each filter chain, the inbound listener's first. */
function managers(config: Tree): readonly Tree[] {
  return listeners(config)
    .flatMap((listener) => list(listener['filter_chains']))
    .map((chain) => tree(at(list(chain['filters'])[0], 'typed_config')))
}

function outwardManagers(config: Tree): readonly Tree[] {
  return managers(config).slice(1)
}

function processor(manager: Tree): Tree {
  const filter = list(manager['http_filters']).find((entry) => entry['name'] === EXT_PROC)
  return tree(at(filter, 'typed_config'))
}

function virtualHosts(manager: Tree): Tree[] {
  return list(at(manager, 'route_config', 'virtual_hosts'))
}

function clusterOf(config: Tree, name: string): Tree {
  return tree(list(at(config, 'static_resources', 'clusters')).find((cluster) => cluster['name'] === name))
}

function endpointOf(config: Tree, cluster: string): Json | undefined {
  const group = list(at(clusterOf(config, cluster), 'load_assignment', 'endpoints'))[0]
  return at(list(at(group, 'lb_endpoints'))[0], 'endpoint', 'address')
}

function at(start: Json | undefined, ...keys: readonly string[]): Json | undefined {
  return keys.reduce<Json | undefined>((found, key) => tree(found)[key], start)
}

/** An object of the file; where it is none, the file has another shape than this code knows. */
function tree(value: Json | undefined): Tree {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Tree
  throw new Error('sidecar.yaml has another shape than this knows of.')
}

function list(value: Json | undefined): Tree[] {
  if (Array.isArray(value)) return value as Tree[]
  throw new Error('sidecar.yaml has another shape than this knows of.')
}
