import { parse } from 'yaml'
import { renderChart, type Values } from '../charts/helm.ts'
import { fileIn } from '../charts/workloads.ts'

/** Envoy's configuration as the chart renders it for these values. */
export async function chartSidecar(values: Values): Promise<string> {
  const envoy = fileIn(await renderChart(values), '-envoy', 'envoy.yaml')
  if (envoy === undefined) throw new Error('The chart renders no configuration of Envoy.')
  return envoy
}

interface Placed {
  readonly name: string
  readonly address?: unknown
  readonly load_assignment?: unknown
}

interface Config {
  readonly admin: unknown
  readonly static_resources: { readonly listeners: readonly Placed[]; readonly clusters: readonly Placed[] }
}

/** `config` at the addresses of `rendered`: for a shape that `renderSidecar` does not know. */
export function placedAs(config: string, rendered: string): string {
  const { admin, static_resources: where } = JSON.parse(rendered) as Config
  const { static_resources: resources, ...rest } = parse(config) as Config
  const at = (places: readonly Placed[], { name }: Placed) => places.find((place) => place.name === name)
  const listeners = resources.listeners.map((listener) => ({
    ...listener,
    address: at(where.listeners, listener)?.address ?? listener.address,
  }))
  const clusters = resources.clusters.map((cluster) => {
    const found = at(where.clusters, cluster)?.load_assignment
    return found === undefined ? cluster : { ...cluster, load_assignment: found }
  })
  return JSON.stringify({ ...rest, admin, static_resources: { listeners, clusters } })
}
