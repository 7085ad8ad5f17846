import { readdirSync, readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import type { ValidateFunction } from 'ajv'
import type { Json, KubeObject } from './helm.ts'

/** The schema of a kind that is not Kubernetes' own, as `node scripts/vendor-crds.mjs` took it from its project. */
interface Definition {
  /** Module, version, licence. */
  readonly from: string
  readonly group: string
  readonly kind: string
  readonly versions: readonly { readonly name: string; readonly schema: Json }[]
}

const FOLDER = new URL('crds/', import.meta.url)
// Kubernetes has formats of its own, and keywords that are no JSON Schema's.
const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false })

const definitions = readdirSync(FOLDER).map((file) => ({
  file,
  ...(JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Definition),
}))
const validators = new Map<string, ValidateFunction>()

/** What the schemas say against an object, by each version of a project that is kept; undefined where none knows the kind. */
export function customProblems(object: KubeObject): readonly string[] | undefined {
  const known = definitions.flatMap((definition) =>
    definition.versions
      .filter(({ name }) => definition.kind === object.kind && `${definition.group}/${name}` === object.apiVersion)
      .map(({ name, schema }) => ({ key: `${definition.file} ${name}`, schema })),
  )
  if (known.length === 0) return undefined
  return known.flatMap(({ key, schema }) => {
    const validate = validators.get(key) ?? ajv.compile(strict(whole(schema)) as object)
    validators.set(key, validate)
    validate(object)
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${key}: ${instancePath}: ${message} ${JSON.stringify(params)}`,
    )
  })
}

/** What every object has, whether its schema says so or not. */
function whole(schema: Json): Json {
  const { properties, ...rest } = schema as { readonly properties: Json } & { readonly [key: string]: Json }
  const common = { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: { type: 'object' } }
  return { ...rest, properties: { ...common, ...(properties as { readonly [key: string]: Json }) } }
}

/** Kubernetes drops a field that a schema does not name, without a word; a manifest of ours has none such. */
function strict(schema: Json): Json {
  if (Array.isArray(schema)) return (schema as readonly Json[]).map(strict)
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema).map(([key, value]) => [key, strict(value)] as const)
  const node = Object.fromEntries(entries)
  if (node['x-kubernetes-int-or-string'] === true) return { anyOf: [{ type: 'integer' }, { ...node, type: 'string' }] }
  const open = 'additionalProperties' in node || node['x-kubernetes-preserve-unknown-fields'] === true
  return node['type'] === 'object' && 'properties' in node && !open ? { ...node, additionalProperties: false } : node
}
