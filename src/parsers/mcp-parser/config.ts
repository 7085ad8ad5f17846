import { choice, globs, strictObject, type Field } from '../../config/fields.ts'

export interface McpConfig {
  readonly hosts: readonly string[]
  readonly paths: readonly string[]
  readonly denial: 'http_status' | 'jsonrpc_error' | 'tool_result'
}

export const schema: Field<McpConfig> = strictObject({
  hosts: globs('host')
    .default([])
    .describe(
      "Globs of the hosts of this agent's MCP servers. They do not claim a message; they say where housekeeping is " +
        'let through unjudged.',
    ),
  paths: globs('path')
    .default(['/mcp', '/sse', '/messages'])
    .describe(
      'Globs of the paths where MCP is served, with or without a trailing slash. A body that stands there is MCP or ' +
        'refused.',
    ),
  denial: choice(['http_status', 'jsonrpc_error', 'tool_result'])
    .default('http_status')
    .describe(
      "`http_status`: the gate's status with plain JSON. `jsonrpc_error`: HTTP 200 with a JSON-RPC error under the " +
        "call's id. `tool_result`: for tool calls, HTTP 200 with a result that says it failed; otherwise as " +
        '`jsonrpc_error`.',
    ),
}).describe('mcp-parser: reads what the agent and its tool servers say to each other.')
