import { validate, type OutputUnit, type Schema } from '@cfworker/json-schema'
import type { Assertion, CompiledSchema } from './compile.ts'
import { member } from '../../../../json/member.ts'
import { isObject } from '../../../../json/rpc.ts'
import { canonical } from './values.ts'

/** One way in which a value breaks its schema. */
export interface Violation {
  readonly kind: 'missing' | 'type' | 'enum' | 'other'
  /** Where in the value; of a missing member, where the object is. */
  readonly path: readonly string[]
  readonly value: unknown
  /** What was expected: types, options, or the missing names. */
  readonly expected: readonly unknown[]
  /** For `other`: what is wrong with it. */
  readonly says: string
}

/** A validation that would take too long, as a schema can be made to. */
export class Unbounded extends Error {}

const MOST_STEPS = 50_000
/** More are not told: nobody reads them. */
const MOST_VIOLATIONS = 50

/**
 * An interpreter rather than a compiler: a tool's schema comes from whoever runs the tool, so it is never made into
 * code, and a new one costs nothing. Every reference is looked up with us, which counts the steps.
 */
export function violationsOf(value: unknown, schema: CompiledSchema): readonly Violation[] {
  const facts = factsOf(value)
  const made = new Map<string, Schema>()
  let steps = 0
  const find = (name: string): Schema | undefined => {
    const assertion = schema.assertions.get(name)
    if (assertion === undefined) return schema.table.get(name)
    const known = made.get(name) ?? schemaOf(assertion, facts())
    made.set(name, known)
    return known
  }
  const counted = (name: string): Schema | undefined => {
    steps += 1
    if (steps > MOST_STEPS) throw new Unbounded()
    return find(name)
  }
  const lookup = new Proxy<Record<string, Schema>>({}, { get: (_, name) => counted(String(name)) })
  const { errors } = validate(value, { $ref: schema.root }, '7', lookup, false)
  const seen = new Set<string>()
  return errors
    .filter((unit) => isOwnFault(unit) && isNew(`${unit.keywordLocation} ${unit.instanceLocation}`, seen))
    .slice(0, MOST_VIOLATIONS)
    .map((unit) => violation(unit, value, schema, find))
}

function isNew(key: string, seen: Set<string>): boolean {
  if (seen.has(key)) return false
  seen.add(key)
  return true
}

/** What assertions look at: in one value, everywhere. */
interface Facts {
  readonly texts: readonly string[]
  readonly keys: readonly string[]
  readonly repeating: readonly unknown[]
}

function factsOf(value: unknown): () => Facts {
  let facts: Facts | undefined
  return () => (facts ??= gather(value))
}

function gather(root: unknown): Facts {
  const texts = new Set<string>()
  const keys = new Set<string>()
  const repeating: unknown[] = []
  const rest = [root]
  while (rest.length > 0) {
    const value = rest.pop()
    if (typeof value === 'string') texts.add(value)
    else if (Array.isArray(value)) {
      if (new Set(value.map(canonical)).size < value.length) repeating.push(value)
      rest.push(...(value as readonly unknown[]))
    } else if (isObject(value)) {
      for (const [key, each] of Object.entries(value)) {
        keys.add(key)
        rest.push(each)
      }
    }
  }
  return { texts: [...new Set([...texts, ...keys])], keys: [...keys], repeating }
}

/** An assertion as a schema that is right for one value: who fails is known before the library asks. */
function schemaOf(assertion: Assertion, facts: Facts): Schema {
  switch (assertion.kind) {
    case 'text':
      return { not: { enum: facts.texts.filter((text) => !assertion.holds(text)) } }
    case 'unique':
      return { not: { enum: [...facts.repeating] } }
    case 'members':
      return { properties: Object.fromEntries(facts.keys.map((key) => [key, schemaOfMember(key, assertion)])) }
  }
}

function schemaOfMember(key: string, { declared, patterned, others }: Assertion & { kind: 'members' }): Schema {
  const matching = patterned.filter(({ matches }) => matches === undefined || matches(key))
  if (matching.length === 0) return declared.has(key) ? {} : others
  // A pattern that we cannot read may match: it demands nothing, and makes nobody an other.
  return { allOf: matching.filter(({ matches }) => matches !== undefined).map(({ schema }) => schema) }
}

/** Keywords whose errors only say that there are errors below. */
const WRAPPERS: ReadonlySet<string> = new Set([
  '$ref',
  'allOf',
  'if',
  'properties',
  'additionalProperties',
  'items',
  'additionalItems',
  'propertyNames',
])
/** What fails below these is no fault by itself. */
const ALTERNATIVES: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'not', 'if', 'contains'])
const NAMED: ReadonlySet<string> = new Set(['properties', 'dependencies'])

function isOwnFault({ keyword, keywordLocation, error }: OutputUnit): boolean {
  if (WRAPPERS.has(keyword) || (keyword === 'dependencies' && error.endsWith('schema.'))) return false
  const steps = keywordLocation.split('/').slice(1, -1)
  for (let at = 0; at < steps.length; at++) {
    const step = steps[at] ?? ''
    if (ALTERNATIVES.has(step)) return false
    if (NAMED.has(step)) at += 1
  }
  return true
}

type Find = (name: string) => Schema | undefined

function violation(unit: OutputUnit, root: unknown, schema: CompiledSchema, find: Find): Violation {
  const path = stepsOf(unit.instanceLocation)
  const value = path.reduce<unknown>(inside, root)
  const { node, reference } = declaration(unit.keywordLocation, schema, find)
  const at = { path, value }
  switch (unit.keyword) {
    case 'required':
      return { ...at, kind: 'missing', expected: (node.required ?? []).filter((key) => !has(value, key)), says: '' }
    case 'type':
      return { ...at, kind: 'type', expected: Array.isArray(node.type) ? node.type : [node.type], says: '' }
    case 'enum':
      return { ...at, kind: 'enum', expected: node.enum ?? [], says: '' }
    default:
      return { ...at, kind: 'other', expected: [], says: wordsFor(unit, schema.assertions.get(reference)) }
  }
}

function has(value: unknown, key: string): boolean {
  return isObject(value) && Object.hasOwn(value, key)
}

function inside(value: unknown, step: string): unknown {
  return Array.isArray(value) ? (value as readonly unknown[])[Number(step)] : member(value, step)
}

/** The library writes pointers as they stand in a URL. */
function stepsOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** The schema whose keyword failed, and the name that it was last referred to by. */
function declaration(location: string, schema: CompiledSchema, find: Find): { node: Schema; reference: string } {
  let node: unknown = { $ref: schema.root }
  let reference = ''
  for (const step of stepsOf(location).slice(0, -1)) {
    if (step === '$ref') {
      reference = String(member(node, '$ref'))
      node = find(reference)
    } else node = inside(node, step)
  }
  return { node: isObject(node) ? node : {}, reference }
}

function wordsFor(unit: OutputUnit, assertion: Assertion | undefined): string {
  if (assertion?.kind === 'text') return assertion.says
  if (assertion?.kind === 'unique') return 'has equal items'
  return unit.keyword === 'not' ? 'is not allowed' : unit.error
}
