import { buildSetup } from './build.ts'
import { runtimeOf } from './bootstrap.ts'
import type { Running, Setup } from './setup.ts'
import { at, isOn, isTree, textAt, type Tree, treeOf, treesAt, typeName } from './tree.ts'

/** Reads what the admin of a running Envoy answers to `/config_dump` and `/runtime`: what it really has loaded. */
export function readDump(dump: unknown, runtime: unknown): Setup {
  const configs = treesAt(dump, 'configs')
  const part = (kind: string): Tree => configs.find((each) => typeName(each) === kind) ?? {}
  const bootstrap = treeOf(part('BootstrapConfigDump')['bootstrap'])
  const listeners = part('ListenersConfigDump')
  const clusters = part('ClustersConfigDump')
  const routes = part('RoutesConfigDump')
  return buildSetup({
    listeners: [
      ...treesAt(listeners, 'static_listeners').map((each) => treeOf(each['listener'])),
      ...treesAt(listeners, 'dynamic_listeners')
        .filter((each) => each['active_state'] !== undefined)
        .map((each) => treeOf(at(each, 'active_state', 'listener'))),
    ],
    clusters: ['static_clusters', 'dynamic_active_clusters'].flatMap((kind) =>
      treesAt(clusters, kind).map((each) => treeOf(each['cluster'])),
    ),
    allClusters: true,
    runtime: { ...runtimeOf(bootstrap), ...finalValues(runtime) },
    admin: treeOf(bootstrap['admin']),
    routes: byName(
      ['static_route_configs', 'dynamic_route_configs'].flatMap((kind) =>
        treesAt(routes, kind).map((each) => treeOf(each['route_config'])),
      ),
    ),
    filters: byName(
      treesAt(part('EcdsConfigDump'), 'ecds_filters').map((each) => treeOf(each['ecds_filter'])),
      'typed_config',
    ),
    unread: [],
  })
}

function byName(trees: readonly Tree[], member?: string): ReadonlyMap<string, Tree> {
  return new Map(trees.map((each) => [textAt(each, 'name') ?? '', member === undefined ? each : treeOf(each[member])]))
}

function finalValues(runtime: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(treeOf(at(runtime, 'entries'))).flatMap(([key, value]) => {
      const final = isTree(value) ? textAt(value, 'final_value') : undefined
      return final === undefined ? [] : [[key, final]]
    }),
  )
}

/** `/server_info`, and the text of `/stats`. */
export function readRunning(info: unknown, stats: string): Running {
  // `<commit>/1.40.0/Clean/RELEASE/BoringSSL`
  const version = textAt(info, 'version')?.split('/')[1] ?? 'unknown'
  const pairs = stats.split('\n').map((line) => line.split(': ') as [string, string | undefined])
  return {
    version,
    hotRestart: !isOn(info, 'command_line_options', 'disable_hot_restart'),
    counters: Object.fromEntries(pairs.filter(([, n]) => /^\d+$/.test(n ?? '')).map(([k, n]) => [k, Number(n)])),
  }
}
