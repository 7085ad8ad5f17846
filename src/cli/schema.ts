/** The JSON Schema of the configuration, as text. */
export function schemaText(): string {
  throw new Error('not built yet')
}
