/** A configuration as it was read: nothing in it is known to have the right shape. */
export type Tree = Readonly<Record<string, unknown>>

export const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const treeOf = (value: unknown): Tree => (isTree(value) ? value : {})

/** The member that a path leads to; undefined where it leads nowhere. */
export function at(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (found, key) => (isTree(found) && Object.hasOwn(found, key) ? found[key] : undefined),
    value,
  )
}

/** The objects of a list. */
export const treesAt = (value: unknown, ...keys: readonly string[]): readonly Tree[] => {
  const found = at(value, ...keys)
  return Array.isArray(found) ? found.filter(isTree) : []
}

export const textsAt = (value: unknown, ...keys: readonly string[]): readonly string[] => {
  const found = at(value, ...keys)
  return Array.isArray(found) ? found.filter((each) => typeof each === 'string') : []
}

export function textAt(value: unknown, ...keys: readonly string[]): string | undefined {
  const found = at(value, ...keys)
  return typeof found === 'string' ? found : undefined
}

/** JSON of protobuf writes long integers as text. */
export function numberAt(value: unknown, ...keys: readonly string[]): number | undefined {
  const found = at(value, ...keys)
  if (typeof found === 'number') return found
  return typeof found === 'string' && /^\d+$/.test(found) ? Number(found) : undefined
}

export const isOn = (value: unknown, ...keys: readonly string[]): boolean => {
  const found = at(value, ...keys)
  return found === true || found === 'true'
}

/** An enum by its name, also where it is written as its number. */
export function enumAt<const N extends readonly string[]>(
  value: unknown,
  names: N,
  ...keys: readonly string[]
): N[number] {
  const found = at(value, ...keys)
  const first: N[number] = names[0] ?? ''
  if (typeof found === 'number') return names[found] ?? first
  return typeof found === 'string' && names.includes(found) ? found : first
}

/** `7.5s`, in milliseconds. */
export function durationAt(value: unknown, ...keys: readonly string[]): number | undefined {
  const [, seconds] = /^(\d+(?:\.\d+)?)s$/.exec(textAt(value, ...keys) ?? '') ?? []
  return seconds === undefined ? undefined : Number(seconds) * 1000
}

/** The last part of `@type`: `ExternalProcessor`. */
export const typeName = (value: unknown): string => textAt(value, '@type')?.split('.').at(-1) ?? ''

/**
 * Envoy takes each field by both its names, `http_filters` and `httpFilters`. Here every key has the first form. Names
 * that people choose are values, or keys with dots or underscores in them, so that no name is changed.
 */
export function snakeCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCased)
  if (!isTree(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [snakeKey(key), snakeCased(member)]))
}

const snakeKey = (key: string): string =>
  /^[a-z]+(?:[A-Z][a-z0-9]*)+$/.test(key) ? key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : key
