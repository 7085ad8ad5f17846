import type { JsonSchema } from '../../../src/config/meaning.ts'
import type { Direction } from '../../../src/core/exchange.ts'

/** Somewhere in a configuration where a value may stand. */
export interface Place {
  readonly name: string
  /** Of that value alone. */
  readonly schema: JsonSchema
  /** A configuration that is right but for that value. */
  readonly put: (value: unknown) => unknown
}

type Fields = Readonly<Record<string, JsonSchema>>

/** The least that loads, where that is something. */
const CONFIGS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  ibac: { judge_endpoint: 'http://judge.test', judge_model: 'm' },
  sparc: { reflector_endpoint: 'http://reflector.test' },
}

/** What plugins want beside them. */
const COMPANIONS: Readonly<Record<Direction, readonly string[]>> = {
  inbound: ['a2a-parser'],
  outbound: ['mcp-parser', 'inference-parser'],
}

export function places(whole: JsonSchema): readonly Place[] {
  const { pipeline, ...sections } = fieldsOf(whole)
  const chains = fieldsOf(pipeline)
  return [
    { name: 'pipeline', schema: pipeline ?? {}, put: (value) => ({ pipeline: value }) },
    ...within(sections, '', (content) => ({ pipeline: {}, ...content })),
    ...(['inbound', 'outbound'] as const).flatMap((direction) => chainPlaces(chains[direction] ?? {}, direction)),
  ]
}

/** Every field of a mapping, and of the mappings in it. `put` puts the mapping where it stands. */
function within(fields: Fields, at: string, put: (content: Readonly<Record<string, unknown>>) => unknown): Place[] {
  return Object.entries(fields).flatMap(([key, schema]) => {
    const name = at === '' ? key : `${at}.${key}`
    const required = (schema['required'] ?? []) as readonly string[]
    const siblings = Object.fromEntries(required.map((sibling) => [sibling, 'x']))
    return [
      { name, schema, put: (value: unknown) => put({ [key]: value }) },
      ...within(fieldsOf(schema), name, (content) => put({ [key]: { ...siblings, ...content } })),
    ]
  })
}

interface Entry extends JsonSchema {
  readonly allOf: readonly {
    readonly if: { readonly properties: { readonly name: { readonly const: string } } }
    readonly then: { readonly properties: { readonly config: JsonSchema } }
  }[]
}

function chainPlaces(chain: JsonSchema, direction: Direction): readonly Place[] {
  const { plugins = {} } = fieldsOf(chain)
  const forms = (plugins['items'] as { anyOf: readonly JsonSchema[] }).anyOf
  const entry = forms.find((form) => 'allOf' in form) as Entry
  const { config: _, ...fields } = fieldsOf(entry)
  const put = (content: Readonly<Record<string, unknown>>) => ({
    pipeline: {
      [direction]: { plugins: [...COMPANIONS[direction], { name: 'mcp-parser', id: 'tested', ...content }] },
    },
  })
  return [
    ...within({ [direction]: chain }, 'pipeline', (content) => ({ pipeline: content })),
    ...within(fields, direction, put),
    ...entry.allOf.flatMap(({ if: { properties }, then }) => {
      const name = properties.name.const
      return within({ config: then.properties.config }, `${direction} ${name}`, ({ config }) => {
        const inside = typeof config === 'object' && config !== null && !Array.isArray(config)
        return put({ name, config: inside ? { ...CONFIGS[name], ...config } : config })
      })
    }),
  ]
}

const fieldsOf = (schema: JsonSchema | undefined): Fields => (schema?.['properties'] ?? {}) as Fields
