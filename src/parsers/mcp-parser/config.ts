import { choice, globs, strictObject, type Field } from '../../config/fields.ts'

export interface McpConfig {
  readonly hosts: readonly string[]
  readonly paths: readonly string[]
  readonly denial: 'http_status' | 'jsonrpc_error' | 'tool_result'
}

export const schema: Field<McpConfig> = strictObject({
  hosts: globs('host').default([]),
  paths: globs('path').default(['/mcp', '/sse', '/messages']),
  denial: choice(['http_status', 'jsonrpc_error', 'tool_result']).default('http_status'),
})
