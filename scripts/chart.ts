import { parse } from 'yaml'
import { schemaText } from '../src/cli/schema.ts'
import { type Generated, read } from './generated.ts'

const CHART = 'charts/plumbline'
const SCHEMA = `${CHART}/values.schema.json`
const README = `${CHART}/README.md`

/** What the chart holds of other files, and of itself. */
export const OF_THE_CHART: readonly Generated[] = [
  // Helm reads no file outside of a chart.
  { file: `${CHART}/files/envoy/sidecar.yaml`, text: () => read('envoy/sidecar.yaml') },
  { file: SCHEMA, text: () => withConfiguration(read(SCHEMA)) },
  { file: README, text: () => withValues(read(README)) },
]

interface Schema {
  readonly description?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly [key: string]: unknown
}

/** What the chart itself says in a configuration: addresses, and files that it mounts. */
const THE_CHARTS_OWN: Readonly<Record<string, readonly string[]>> = {
  listener: ['ext_proc_addr', 'inbound_addr', 'outbound_addr', 'token_file', 'tls', 'health_addr'],
  admin: ['address', 'token_file'],
}

/** What the chart computes with: a variable of the environment would be too late. */
const NUMBERS: readonly string[] = ['verdict_deadline_ms', 'drain_deadline_ms', 'max_body_bytes', 'max_streams']

/** The values' schema, with the configuration's in the place of `config`. */
function withConfiguration(text: string): string {
  const values = JSON.parse(text) as Schema
  const { $schema: _, title: __, required: ___, ...whole } = JSON.parse(schemaText()) as Schema
  const sections = Object.entries(whole.properties ?? {}).map(([name, section]) => {
    const fields = Object.entries(section.properties ?? {}).filter(([key]) => !THE_CHARTS_OWN[name]?.includes(key))
    return [name, { ...section, type: 'object', properties: Object.fromEntries(fields.map(numbered)) }] as const
  })
  const config = {
    description: "Plumbline's own configuration. The chart adds addresses, TLS and token files.",
    ...whole,
    type: 'object',
    properties: Object.fromEntries(sections),
  }
  const schema = { ...values, properties: { ...values.properties, config } }
  const defaults = parse(read(`${CHART}/values.yaml`)) as Record<string, unknown>
  return `${JSON.stringify(undeletable(schema, defaults), undefined, 2)}\n`
}

/** `null` deletes a default in Helm, and a template takes what is not there for "no". So every default has to be there. */
function undeletable(schema: Schema, value: unknown): Schema {
  const { properties } = schema
  if (properties === undefined || !isTree(value)) return schema
  const fields = Object.entries(properties).map(([key, field]) => [key, undeletable(field, value[key])] as const)
  const required = Object.keys(properties).filter((key) => key in value)
  return { ...schema, ...(required.length > 0 && { required }), properties: Object.fromEntries(fields) }
}

function numbered([key, field]: readonly [string, Schema]): readonly [string, Schema] {
  if (!NUMBERS.includes(key)) return [key, field]
  if (!Array.isArray(field.type) || !field.type.includes('integer')) throw new Error(`${key} is no number any more`)
  const { pattern: _, ...number } = field
  return [key, { ...number, type: 'integer' }]
}

/** The README with its tables of values anew; each stands between two marks. */
function withValues(document: string): string {
  const schema = JSON.parse(read(SCHEMA)) as Schema
  const values = parse(read(`${CHART}/values.yaml`)) as Record<string, unknown>
  return document.replaceAll(
    /(<!-- npm run generate: ([\w ]+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, begin: string, names: string, end: string) => {
      const lines = names.split(' ').flatMap((name) => rows(name, schema.properties?.[name], values[name], schema))
      return `${begin}\n| value | default | what it is |\n|---|---|---|\n${lines.join('\n')}\n\n${end}`
    },
  )
}

/** A value, and those below it. Whose fields are Kubernetes' own, or Plumbline's, is not taken apart. */
function rows(path: string, schema: Schema | undefined, value: unknown, root: Schema): readonly string[] {
  if (schema === undefined) throw new Error(`values.schema.json has no ${path}`)
  const told = [`\`${path}\``, '', schema.description ?? '']
  const fields = Object.entries(schema.properties ?? {})
  if (path === 'config' || fields.length === 0 || !isTree(value)) {
    const byDefault = path === 'config' ? 'see `values.yaml`' : `\`${JSON.stringify(value)}\``
    return [rowOf([told[0] ?? '', byDefault, told[2] ?? ''])]
  }
  const below = fields.filter(([key]) => key in value)
  return [rowOf(told), ...below.flatMap(([key, field]) => rows(`${path}.${key}`, field, value[key], root))]
}

const rowOf = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`

function isTree(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
