import type { Schema } from '@cfworker/json-schema'
import { formatCheck } from './formats.ts'
import { patternTest } from './patterns.ts'
import { typesOf } from './types.ts'
import { member } from '../../../../json/member.ts'
import { isObject } from '../../../../json/rpc.ts'
import type { JsonObject } from './values.ts'

/**
 * A schema as the validator reads it: every subschema lies in the table and is named by a reference, so that each step of
 * a validation can be counted. What the library would do in unbounded time is an assertion of ours.
 */
export interface CompiledSchema {
  readonly table: ReadonlyMap<string, Schema>
  readonly assertions: ReadonlyMap<string, Assertion>
  readonly root: string
}

export type Assertion =
  | { readonly kind: 'text'; readonly holds: (text: string) => boolean; readonly says: string }
  | { readonly kind: 'unique' }
  | {
      readonly kind: 'members'
      readonly declared: ReadonlySet<string>
      readonly patterned: readonly {
        readonly matches: ((key: string) => boolean) | undefined
        readonly schema: Schema
      }[]
      readonly others: Schema
    }

/** A schema that we cannot follow: a reference that leads out of it or nowhere, or more than any tool declares. */
export class UnusableSchema extends Error {}

const MOST_SCHEMAS = 2000
const DEEPEST = 64
const MOST_OPTIONS = 5000

/** Takes what it understands of a specification, whose author is not trusted; what is malformed says nothing. */
export function compileSchema(root: unknown): CompiledSchema {
  const compiler: Compiler = { root, table: new Map(), assertions: new Map(), names: new Map(), depth: 0, options: 0 }
  return { table: compiler.table, assertions: compiler.assertions, root: nameOf(root, compiler) }
}

interface Compiler {
  readonly root: unknown
  readonly table: Map<string, Schema>
  readonly assertions: Map<string, Assertion>
  readonly names: Map<object, string>
  depth: number
  options: number
}

/** Names a schema in the table. A schema that refers to itself has its name before it is read. */
function nameOf(schema: unknown, to: Compiler): string {
  const known = isObject(schema) ? to.names.get(schema) : undefined
  if (known !== undefined) return known
  const name = `s${to.table.size}`
  if (to.table.size >= MOST_SCHEMAS || to.depth >= DEEPEST) throw new UnusableSchema()
  to.table.set(name, {})
  if (schema === false) to.table.set(name, { not: {} })
  if (!isObject(schema)) return name
  to.names.set(schema, name)
  to.depth += 1
  to.table.set(name, read(schema, to))
  to.depth -= 1
  return name
}

function reference(schema: unknown, to: Compiler): Schema {
  return { $ref: nameOf(schema, to) }
}

function read(schema: JsonObject, to: Compiler): Schema {
  const target = member(schema, '$ref')
  if (target !== undefined) return reference(resolve(target, to.root), to)
  const nested = readNested(schema, to)
  const asserted = assertionsOf(schema, to).map((assertion) => named(assertion, to))
  const all = [...(nested.allOf ?? []), ...asserted]
  return { ...readPlain(schema), ...readValues(schema, to), ...nested, ...(all.length > 0 ? { allOf: all } : {}) }
}

function named(assertion: Assertion, to: Compiler): Schema {
  const name = `a${to.assertions.size}`
  to.assertions.set(name, assertion)
  return { $ref: name }
}

/** The part of the specification that a local reference points at. */
export function resolve(target: unknown, root: unknown): unknown {
  if (typeof target !== 'string' || !target.startsWith('#')) throw new UnusableSchema()
  let found = root
  for (const step of target.split('/').slice(1)) {
    const key = unescapePointer(step)
    found = Array.isArray(found) ? (found as readonly unknown[])[Number(key)] : member(found, key)
  }
  if (found === undefined || (target !== '#' && !target.startsWith('#/'))) throw new UnusableSchema()
  return found
}

function unescapePointer(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    throw new UnusableSchema()
  }
}

const NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const
const COUNTS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'] as const

function readPlain(schema: JsonObject): Schema {
  const plain: Schema = {}
  for (const key of NUMBERS) {
    const value = member(schema, key)
    if (typeof value === 'number') plain[key] = value
  }
  for (const key of COUNTS) {
    const value = member(schema, key)
    if (typeof value === 'number' && value >= 0) plain[key] = value
  }
  const multipleOf = member(schema, 'multipleOf')
  if (typeof multipleOf === 'number' && multipleOf > 0) plain.multipleOf = multipleOf
  return plain
}

function readValues(schema: JsonObject, to: Compiler): Schema {
  const values: Schema = {}
  const types = typesOf(member(schema, 'type'), member(schema, 'nullable'))
  if (types !== undefined) values.type = [...types] as NonNullable<Schema['type']>
  const options = member(schema, 'enum')
  if (Array.isArray(options)) {
    to.options += options.length
    if (to.options > MOST_OPTIONS) throw new UnusableSchema()
    values.enum = options
  }
  if (Object.hasOwn(schema, 'const')) values.const = schema['const']
  const required = texts(member(schema, 'required'))
  if (required.length > 0) values.required = [...new Set(required)]
  return values
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}

const COMBINED = ['allOf', 'anyOf', 'oneOf'] as const
const SINGLE = ['not', 'if', 'then', 'else', 'contains', 'propertyNames', 'additionalItems'] as const

function readNested(schema: JsonObject, to: Compiler): Schema {
  const nested: Schema = {}
  for (const key of COMBINED) {
    const parts = member(schema, key)
    if (Array.isArray(parts) && parts.length > 0) nested[key] = parts.map((part) => reference(part, to))
  }
  for (const key of SINGLE) {
    const part = member(schema, key)
    if (isSchema(part)) nested[key] = reference(part, to)
  }
  const items = member(schema, 'items')
  if (Array.isArray(items)) nested.items = items.map((part) => reference(part, to))
  else if (isSchema(items)) nested.items = reference(items, to)
  return { ...nested, ...readDependencies(schema, to), ...readMembers(schema, to) }
}

function isSchema(value: unknown): boolean {
  return typeof value === 'boolean' || isObject(value)
}

function readDependencies(schema: JsonObject, to: Compiler): Schema {
  const declared = member(schema, 'dependencies')
  if (!isObject(declared)) return {}
  const pairs = Object.entries(declared).filter(([, each]) => Array.isArray(each) || isSchema(each))
  const read = pairs.map(([key, each]) => [key, Array.isArray(each) ? texts(each) : reference(each, to)] as const)
  return { dependencies: bare(read) }
}

function readMembers(schema: JsonObject, to: Compiler): Schema {
  const declared = entries(member(schema, 'properties')).map(([key, part]) => [key, reference(part, to)] as const)
  const others = member(schema, 'additionalProperties')
  const properties = declared.length > 0 ? { properties: bare(declared) } : {}
  // With patterns it is known for each call only which members are the others.
  if (!isSchema(others) || isObject(member(schema, 'patternProperties'))) return properties
  return { ...properties, additionalProperties: reference(others, to) }
}

function assertionsOf(schema: JsonObject, to: Compiler): readonly Assertion[] {
  const found: Assertion[] = []
  const pattern = member(schema, 'pattern')
  const matches = typeof pattern === 'string' ? patternTest(pattern) : undefined
  if (matches !== undefined)
    found.push({ kind: 'text', holds: matches, says: `does not match the pattern ${String(pattern)}` })
  const format = member(schema, 'format')
  const fits = typeof format === 'string' ? formatCheck(format) : undefined
  if (fits !== undefined) found.push({ kind: 'text', holds: fits, says: `is no ${String(format)}` })
  if (member(schema, 'uniqueItems') === true) found.push({ kind: 'unique' })
  if (isObject(member(schema, 'patternProperties'))) found.push(patternedMembers(schema, to))
  return found
}

function patternedMembers(schema: JsonObject, to: Compiler): Assertion {
  const others = member(schema, 'additionalProperties')
  const patterned = entries(member(schema, 'patternProperties'))
  return {
    kind: 'members',
    declared: new Set(entries(member(schema, 'properties')).map(([key]) => key)),
    patterned: patterned.map(([pattern, part]) => ({ matches: patternTest(pattern), schema: reference(part, to) })),
    others: isSchema(others) ? reference(others, to) : {},
  }
}

function entries(value: unknown): readonly (readonly [string, unknown])[] {
  return isObject(value) ? Object.entries(value).filter(([, part]) => isSchema(part)) : []
}

/** An object whose only members are these, whatever their names. */
function bare<T>(pairs: readonly (readonly [string, T])[]): Record<string, T> {
  const object = Object.create(null) as Record<string, T>
  for (const [key, value] of pairs) object[key] = value
  return object
}
