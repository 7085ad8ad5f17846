import type { ChainFacts } from '../../config/plugin-type.ts'

/** The configuration of another plugin of the chain, where it stands there and is not off. */
export function configOfSibling(chain: ChainFacts, name: string): unknown {
  return chain.siblings.find((sibling) => sibling.name === name)?.config
}

export function standsIn(chain: ChainFacts, name: string): boolean {
  return chain.siblings.some((sibling) => sibling.name === name)
}

/** A list of texts in a sibling's configuration. The sibling's own schema has checked it. */
export function listIn(config: unknown, key: string): readonly string[] {
  const value: unknown = typeof config === 'object' && config !== null ? Reflect.get(config, key) : undefined
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}
