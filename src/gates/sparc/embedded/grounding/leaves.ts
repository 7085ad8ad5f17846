import { resolve } from '../schema/compile.ts'
import { member } from '../../../../json/member.ts'
import { isObject } from '../../../../json/rpc.ts'
import type { JsonObject } from '../schema/values.ts'
import type { Tool } from '../tool.ts'

/** One plain value among the arguments, with what its specification says of it. */
export interface Leaf<V extends string | number | boolean = string | number> {
  readonly value: V
  /** The argument that it is, or is part of. */
  readonly parameter: string
  /** The way to it, with indices. */
  readonly path: readonly string[]
  /** The words of the nearest name: `transactionId` gives `transaction`, `id`. */
  readonly name: readonly string[]
  readonly description: string
  readonly defaults: readonly unknown[]
  /** What it may be, where its specification has a list; undefined where it has none. */
  readonly options: readonly unknown[] | undefined
  readonly schema: unknown
}

/** What the arguments are made of. */
export interface Leaves {
  readonly plain: readonly Leaf[]
  readonly flags: readonly Leaf<boolean>[]
}

interface Gathered {
  readonly plain: Leaf[]
  readonly flags: Leaf<boolean>[]
}

/** All texts, numbers and flags of the arguments but those in `skipped` ones. */
export function leavesOf(values: JsonObject, tool: Tool, skipped: ReadonlySet<string>): Leaves {
  const leaves: Gathered = { plain: [], flags: [] }
  for (const [name, value] of Object.entries(values)) {
    if (skipped.has(name)) continue
    walk(
      value,
      { path: [name], key: name, ...NOTHING },
      memberSchema(tool.parameters, name, tool.parameters),
      tool,
      leaves,
    )
  }
  return leaves
}

interface Place {
  readonly path: readonly string[]
  readonly key: string
  readonly description: string
  readonly defaults: readonly unknown[]
}

const NOTHING = { description: '', defaults: [] }

function walk(value: unknown, parent: Place, schema: unknown, tool: Tool, leaves: Gathered): void {
  // An item of a list means what the list is said to mean.
  const place = { ...parent, ...saidOf(schema, parent) }
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      walk(item, { ...place, path: [...place.path, String(at)] }, itemSchema(schema, tool.parameters), tool, leaves)
    }
  } else if (isObject(value)) {
    for (const [key, each] of Object.entries(value)) {
      const inner = { path: [...place.path, key], key, ...NOTHING }
      walk(each, inner, memberSchema(schema, key, tool.parameters), tool, leaves)
    }
  } else if (typeof value === 'string' || typeof value === 'number') {
    leaves.plain.push(leaf(value, place, schema))
  } else if (typeof value === 'boolean') {
    leaves.flags.push(leaf(value, place, schema))
  }
}

function leaf<V extends string | number | boolean>(value: V, place: Place, schema: unknown): Leaf<V> {
  const { path, key, description, defaults } = place
  const options = optionsIn(schema)
  return { value, parameter: path[0] ?? '', path, name: nameWords(key), description, defaults, options, schema }
}

function optionsIn(schema: unknown): readonly unknown[] | undefined {
  const own = member(schema, 'enum')
  if (Array.isArray(own)) return own as readonly unknown[]
  const only = member(schema, 'const')
  if (only !== undefined) return [only]
  const inner = alternatives(schema).flatMap((part) => optionsIn(part) ?? [])
  return inner.length === 0 ? undefined : inner
}

function alternatives(schema: unknown): readonly unknown[] {
  return ['anyOf', 'oneOf', 'allOf'].flatMap((key) => {
    const parts = member(schema, key)
    return Array.isArray(parts) ? (parts as readonly unknown[]).filter(isPlainPart) : []
  })
}

/** Only one step is looked into: what lies deeper has its own alternatives. */
function isPlainPart(part: unknown): boolean {
  return isObject(part) && !['anyOf', 'oneOf', 'allOf'].some((key) => Object.hasOwn(part, key))
}

function saidOf(schema: unknown, parent: Place): Pick<Place, 'description' | 'defaults'> {
  const description = member(schema, 'description')
  const own = member(schema, 'default')
  return {
    description: typeof description === 'string' ? description : parent.description,
    defaults: own === undefined ? parent.defaults : [own].flat(),
  }
}

function memberSchema(schema: unknown, key: string, root: unknown): unknown {
  return inSchema(
    schema,
    root,
    (part) => member(member(part, 'properties'), key) ?? member(part, 'additionalProperties'),
  )
}

function itemSchema(schema: unknown, root: unknown): unknown {
  return inSchema(schema, root, (part) => member(part, 'items'))
}

function inSchema(schema: unknown, root: unknown, look: (part: unknown) => unknown): unknown {
  for (const part of [schema, ...alternatives(schema)]) {
    const found = look(dereferenced(part, root))
    if (isObject(found)) return dereferenced(found, root)
  }
  return undefined
}

function dereferenced(schema: unknown, root: unknown): unknown {
  const target = member(schema, '$ref')
  if (target === undefined) return schema
  try {
    return resolve(target, root)
  } catch {
    return undefined
  }
}

const namesKept = new Map<string, readonly string[]>()
const MOST_NAMES_KEPT = 2000
const LONGEST_NAME_KEPT = 100

/** The words of a name in lower case, whichever way they are joined. */
export function nameWords(name: string): readonly string[] {
  const known = namesKept.get(name)
  if (known !== undefined) return known
  const words = splitName(name)
  if (namesKept.size >= MOST_NAMES_KEPT) namesKept.clear()
  if (name.length <= LONGEST_NAME_KEPT) namesKept.set(name, words)
  return words
}

function splitName(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}
