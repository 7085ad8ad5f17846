import { parse } from 'yaml'
import { buildSetup } from './build.ts'
import type { Setup } from './setup.ts'
import { at, isTree, snakeCased, type Tree, treeOf, treesAt } from './tree.ts'
import { messageOf } from '../../core/message-of.ts'

/** Anchors are used often in such files; one that unfolds without end is a mistake. */
const MAX_ALIASES = 10_000

/** Reads the file that Envoy is started with, YAML or JSON. */
export function readBootstrap(text: string): Setup | { readonly wrong: string } {
  let read: unknown
  try {
    read = parse(text, { maxAliasCount: MAX_ALIASES })
  } catch (error) {
    return { wrong: `is neither YAML nor JSON: ${messageOf(error)}` }
  }
  const file = treeOf(snakeCased(read))
  if (!isTree(file['static_resources']) && !isTree(file['dynamic_resources'])) {
    return { wrong: 'is no bootstrap of Envoy: it has neither static_resources nor dynamic_resources' }
  }
  const more = (kind: string) => at(file, 'dynamic_resources', kind) !== undefined
  return buildSetup({
    listeners: treesAt(file, 'static_resources', 'listeners'),
    clusters: treesAt(file, 'static_resources', 'clusters'),
    allClusters: !more('cds_config'),
    runtime: runtimeOf(file),
    admin: treeOf(file['admin']),
    routes: new Map(),
    filters: new Map(),
    unread: more('lds_config') ? ['more listeners come from elsewhere (lds_config)'] : [],
  })
}

/** A later layer wins. Layers that are not in the file are not known here. */
export function runtimeOf(bootstrap: Tree): Readonly<Record<string, string>> {
  const layers = treesAt(bootstrap, 'layered_runtime', 'layers')
  return Object.assign({}, ...layers.map((layer) => flat(treeOf(layer['static_layer']), ''))) as Record<string, string>
}

/** `{ a: { b: true } }` and `a.b: true` are the same to Envoy. */
function flat(tree: Tree, prefix: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(tree).flatMap(([key, value]) =>
      isTree(value) ? Object.entries(flat(value, `${prefix}${key}.`)) : [[`${prefix}${key}`, String(value)]],
    ),
  )
}
