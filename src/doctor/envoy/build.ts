import type { HttpFilter, Listener, Manager, Setup } from './setup.ts'
import { at, isOn, numberAt, textAt, type Tree, treeOf, treesAt, typeName } from './tree.ts'

/** The parts of a configuration, wherever they came from. */
export interface Parts {
  readonly listeners: readonly Tree[]
  readonly clusters: readonly Tree[]
  readonly allClusters: boolean
  readonly runtime: Readonly<Record<string, string>>
  readonly admin: Tree
  /** Route configurations that listeners name (RDS), and filters that they name (ECDS). */
  readonly routes: ReadonlyMap<string, Tree>
  readonly filters: ReadonlyMap<string, Tree>
  readonly unread: readonly string[]
}

export function buildSetup(parts: Parts): Setup {
  const unread = [...parts.unread]
  const listeners = parts.listeners.map((each) => listenerOf(each, parts, unread))
  const clusters = new Map(parts.clusters.map((each) => [textAt(each, 'name') ?? '', each]))
  const { allClusters, runtime, admin } = parts
  return { listeners, clusters, allClusters, runtime, admin, unread }
}

function listenerOf(options: Tree, parts: Parts, unread: string[]): Listener {
  const name = textAt(options, 'name') ?? addressText(at(options, 'address'))
  const last = at(options, 'default_filter_chain')
  const chains = [...treesAt(options, 'filter_chains'), ...(last === undefined ? [] : [treeOf(last)])]
  const managers: Manager[] = []
  const opaque: string[] = []
  chains.forEach((chain, index) => {
    const chainName = textAt(chain, 'name') ?? `filter chain ${index + 1}`
    const manager = treesAt(chain, 'filters').find((each) => typeName(each['typed_config']) === 'HttpConnectionManager')
    if (manager === undefined) opaque.push(chainName)
    else {
      const where = chains.length === 1 ? `listener ${name}` : `listener ${name}, ${chainName}`
      managers.push(managerOf(treeOf(manager['typed_config']), where, name, parts, unread))
    }
  })
  return { name, options, managers, opaque }
}

function managerOf(options: Tree, where: string, listener: string, parts: Parts, unread: string[]): Manager {
  const named = textAt(options, 'rds', 'route_config_name')
  const routes = named === undefined ? at(options, 'route_config') : parts.routes.get(named)
  if (named !== undefined && routes === undefined) unread.push(`${where}: its routes (${named}) come from elsewhere`)
  const filters = treesAt(options, 'http_filters').map((each) => filterOf(each, where, parts, unread))
  return { where, listener, options, filters, routes: treeOf(routes) }
}

function filterOf(entry: Tree, where: string, parts: Parts, unread: string[]): HttpFilter {
  const name = textAt(entry, 'name') ?? ''
  const discovered = entry['config_discovery'] === undefined ? undefined : parts.filters.get(name)
  if (entry['config_discovery'] !== undefined && discovered === undefined) {
    unread.push(`${where}: its filter ${name} comes from elsewhere`)
  }
  return { name, options: plain(treeOf(entry['typed_config'] ?? discovered)), disabled: isOn(entry, 'disabled') }
}

/** A configuration that is wrapped with its type's name. */
function plain(options: Tree): Tree {
  if (typeName(options) !== 'TypedStruct') return options
  return { ...treeOf(options['value']), '@type': textAt(options, 'type_url') ?? '' }
}

export function addressText(address: unknown): string {
  const pipe = textAt(address, 'pipe', 'path')
  if (pipe !== undefined) return `unix:${pipe}`
  const host = textAt(address, 'socket_address', 'address')
  if (host === undefined) return 'without address'
  const port = numberAt(address, 'socket_address', 'port_value') ?? textAt(address, 'socket_address', 'named_port') ?? 0
  return `${host}:${port}`
}
