import { configurationSchema } from '../config/configuration-schema.ts'
import { prettyJson } from './pretty-json.ts'
import { PLUGIN_TYPES } from './plugins.ts'

/** The JSON Schema of the configuration, as text. */
export function schemaText(): string {
  return prettyJson(configurationSchema(PLUGIN_TYPES))
}
