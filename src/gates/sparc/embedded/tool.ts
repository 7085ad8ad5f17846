import { compileSchema, resolve, type CompiledSchema } from './schema/compile.ts'
import { member } from '../../../json/member.ts'
import { isObject } from '../../../json/rpc.ts'

/** What a specification says of one function. */
export interface Tool {
  readonly name: string
  readonly description: string
  /** The schema of the arguments as it was written. */
  readonly parameters: unknown
  /** Names that the arguments may have; undefined when they may have any. */
  readonly names: readonly string[] | undefined
  readonly required: ReadonlySet<string>
  /** Throws an `UnusableSchema` when we cannot follow it. */
  schema(): CompiledSchema
}

/** The names of all functions, in their order. */
export function toolNames(tools: readonly unknown[]): readonly string[] {
  return tools.map((tool) => member(functionOf(tool), 'name')).filter((name) => typeof name === 'string')
}

/** The first of this name, as every server reads it. */
export function findTool(tools: readonly unknown[], name: string): Tool | undefined {
  const found = tools.find((tool) => member(functionOf(tool), 'name') === name)
  if (!isObject(found)) return undefined
  const known = ofObjects.get(found)
  if (known !== undefined) return known
  const tool = toolOf(name, functionOf(found))
  ofObjects.set(found, tool)
  return tool
}

/** All calls of an answer are judged against the same tools. */
const ofObjects = new WeakMap<object, Tool>()
/** The next request of a conversation brings them in new objects. */
const ofTexts = new Map<string, Tool>()
const MOST_KEPT = 500
const LONGEST_KEPT = 20_000

function toolOf(name: string, declared: unknown): Tool {
  const text = textOf(declared)
  const known = text === undefined ? undefined : ofTexts.get(text)
  const tool = known ?? readTool(name, declared)
  if (text === undefined || text.length > LONGEST_KEPT) return tool
  // What was asked for last goes last.
  ofTexts.delete(text)
  ofTexts.set(text, tool)
  const [oldest = ''] = ofTexts.keys()
  if (ofTexts.size > MOST_KEPT) ofTexts.delete(oldest)
  return tool
}

/** Undefined: it did not come as JSON. */
function textOf(declared: unknown): string | undefined {
  try {
    return JSON.stringify(declared)
  } catch {
    return undefined
  }
}

function functionOf(tool: unknown): unknown {
  return member(tool, 'function') ?? tool
}

function readTool(name: string, declared: unknown): Tool {
  const parameters = member(declared, 'parameters')
  const description = member(declared, 'description')
  let schema: CompiledSchema | undefined
  return {
    name,
    description: typeof description === 'string' ? description : '',
    parameters,
    names: declaredNames(parameters),
    required: new Set(requiredOf(parameters)),
    schema: () => (schema ??= compileSchema(withoutClosing(parameters))),
  }
}

/** An unknown argument has an issue of its own; the schema would say the same again. */
function withoutClosing(parameters: unknown): unknown {
  if (member(parameters, 'additionalProperties') !== false) return parameters
  return { ...(parameters as object), additionalProperties: true }
}

function requiredOf(parameters: unknown): readonly string[] {
  const names = member(parameters, 'required')
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
}

const PARTS = ['allOf', 'anyOf', 'oneOf'] as const
const BRANCHES = ['if', 'then', 'else'] as const

interface Declared {
  readonly names: Set<string>
  readonly seen: Set<unknown>
  /** Whether it declares arguments, be it none. */
  declares: boolean
  /** Whether a part of it lets any name pass. */
  open: boolean
}

/**
 * Who declares arguments means that there are no others, whatever JSON Schema says of a missing `additionalProperties`.
 */
function declaredNames(parameters: unknown): readonly string[] | undefined {
  const closed = member(parameters, 'additionalProperties') === false
  const declared: Declared = { names: new Set(), seen: new Set(), declares: closed, open: false }
  gather(parameters, parameters, declared)
  return declared.declares && !declared.open ? [...declared.names] : undefined
}

/** Follows the parts that speak of the same object. */
function gather(schema: unknown, root: unknown, to: Declared): void {
  if (!isObject(schema) || to.seen.has(schema)) return
  to.seen.add(schema)
  const target = member(schema, '$ref')
  if (target !== undefined) {
    gather(resolvedOr(target, root), root, to)
    return
  }
  const properties = member(schema, 'properties')
  if (isObject(properties)) {
    to.declares = true
    for (const name of Object.keys(properties)) to.names.add(name)
  }
  const others = member(schema, 'additionalProperties')
  if (others === true || isObject(others) || isObject(member(schema, 'patternProperties'))) to.open = true
  for (const key of PARTS) for (const part of listOf(member(schema, key))) gather(part, root, to)
  for (const key of BRANCHES) gather(member(schema, key), root, to)
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function resolvedOr(target: unknown, root: unknown): unknown {
  try {
    return resolve(target, root)
  } catch {
    return undefined
  }
}
