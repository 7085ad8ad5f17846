import { parse } from 'yaml'
import type { Finding } from '../../src/doctor/finding.ts'
import type { Json } from './sidecar.ts'

type Tree = Record<string, Json>

/** Puts the printed lines of a finding where it says that they belong, as an operator would. */
export function applyMend(rendered: string, { mend, listener, where }: Finding): string {
  const config = JSON.parse(rendered) as Tree
  const lines = parse(mend.lines) as Tree
  for (const place of placesOf(config, mend.at, listener, where)) merge(place, lines)
  return JSON.stringify(config, undefined, 1)
}

function placesOf(
  config: Tree,
  at: Finding['mend']['at'],
  listener: string | undefined,
  where: string,
): readonly Tree[] {
  const resources = config['static_resources'] as { listeners: Tree[]; clusters: Tree[] }
  const listeners = resources.listeners.filter((each) => listener === undefined || each['name'] === listener)
  switch (at) {
    case 'listener':
      return listeners
    case 'manager':
      return listeners.map(managerIn)
    case 'filter':
      return listeners.map(managerIn).map(processorIn)
    case 'cluster':
      return resources.clusters.filter((each) => where === `cluster ${each['name'] as string}`)
    case 'bootstrap':
      return [config]
    case 'chain':
    case 'route':
    case 'plumbline':
    case 'elsewhere':
      throw new Error(`A mend in ${at} is for people.`)
  }
}

export function managerIn(listener: Tree): Tree {
  const [chain] = listener['filter_chains'] as unknown as { filters: { typed_config: Tree }[] }[]
  const manager = chain?.filters[0]?.typed_config
  if (manager === undefined) throw new Error('The listener has no connection manager.')
  return manager
}

export function processorIn(manager: Tree): Tree {
  const filters = manager['http_filters'] as unknown as { name: string; typed_config: Tree }[]
  const found = filters.find(({ name }) => name === 'envoy.filters.http.ext_proc')
  if (found === undefined) throw new Error('The listener has no ext_proc filter.')
  return found.typed_config
}

/** Objects member by member; entries of metadata by their key; all else is put in its place. */
function merge(into: Tree, from: Tree): void {
  for (const [key, value] of Object.entries(from)) {
    const there = into[key]
    if (isTree(value) && isTree(there)) merge(there, value)
    else if (key === 'initial_metadata') into[key] = [...others(there, value), ...(value as Json[])]
    else into[key] = value
  }
}

function others(there: Json | undefined, added: Json): Json[] {
  const keys = (added as Tree[]).map((entry) => entry['key'])
  return Array.isArray(there) ? (there as Tree[]).filter((entry) => !keys.includes(entry['key'] ?? '')) : []
}

const isTree = (value: Json | undefined): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
