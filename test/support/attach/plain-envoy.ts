import { parse } from 'yaml'
import { directionOf } from './proxy.ts'
import type { Cluster, Listener, Proxy } from './proxy.ts'

/** A configuration of Envoy as it stands: its own listeners, and its clusters that lead to Plumbline. */
export function plainEnvoys(text: string): readonly Proxy[] {
  const config = parse(text) as {
    readonly static_resources: { readonly listeners: readonly Listener[]; readonly clusters: readonly Cluster[] }
  }
  const { listeners, clusters } = structuredClone(config.static_resources)
  return listeners.map((listener) => ({
    direction: directionOf(listener.name),
    listener,
    clusters: clusters.filter(({ name }) => name === `plumbline_${listener.name}`),
  }))
}
