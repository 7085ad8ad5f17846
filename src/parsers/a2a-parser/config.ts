import { choice, globs, strictObject, type Field } from '../../config/fields.ts'

export interface A2aConfig {
  readonly hosts: readonly string[]
  readonly paths: readonly string[]
  readonly denial: 'http_status' | 'jsonrpc_error'
}

export const schema: Field<A2aConfig> = strictObject({
  hosts: globs('host').default([]),
  paths: globs('path').default([]),
  denial: choice(['http_status', 'jsonrpc_error']).default('http_status'),
})
