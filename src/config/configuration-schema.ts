import { z } from 'zod'
import type { Direction } from '../core/exchange.ts'
import { type JsonSchema, jsonSchemaOf, mappingOf, meant } from './meaning.ts'
import type { PluginType } from './plugin-type.ts'
import { configurationOf, ENTRY_FIELDS } from './schema.ts'
import { SUBSTITUTION } from './substitute.ts'

/**
 * The JSON Schema of a configuration: whatever it refuses, the checks refuse too. Draft 7, and nothing that is found by
 * reference: the language servers of editors read that draft best, and a chart can put the whole into its own schema.
 */
export function configurationSchema(types: readonly PluginType[]): JsonSchema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...jsonSchemaOf(configurationOf((direction) => entryField(direction, types))),
  }
}

function entryField(direction: Direction, types: readonly PluginType[]): z.ZodType {
  const here = types.filter(({ directions }) => directions.includes(direction))
  const names = here.map(({ name }) => name)
  const schema = { anyOf: [...oneOf(names), entrySchema(here, names)] }
  return meant(z.unknown(), { schema, values: 'the name of a plugin, or a mapping' })
}

const oneOf = (names: readonly string[]) => [{ enum: names }, { type: 'string', pattern: SUBSTITUTION }]

function entrySchema(types: readonly PluginType[], names: readonly string[]): JsonSchema {
  const name = meant(z.unknown().describe(ENTRY_FIELDS.name.description ?? ''), {
    schema: { anyOf: oneOf(names) },
    values: names.join(', '),
  })
  // Editors offer each form of an entry by its title.
  return { title: 'a plugin with its options', ...mappingOf({ ...ENTRY_FIELDS, name }), allOf: types.map(configByName) }
}

/** What `config` may hold where an entry has this plugin's name. */
function configByName({ name, schema }: PluginType): JsonSchema {
  return {
    if: { properties: { name: { const: name } }, required: ['name'] },
    then: { properties: { config: jsonSchemaOf(schema) } },
  }
}
