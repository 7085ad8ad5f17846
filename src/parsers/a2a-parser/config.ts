import { choice, globs, strictObject, type Field } from '../../config/fields.ts'

export interface A2aConfig {
  readonly hosts: readonly string[]
  readonly paths: readonly string[]
  readonly denial: 'http_status' | 'jsonrpc_error'
}

export const schema: Field<A2aConfig> = strictObject({
  hosts: globs('host')
    .default([])
    .describe(
      'Globs of the hosts of agents that this one talks to. They do not claim a message; they say where its ' +
        'housekeeping is let through unjudged.',
    ),
  paths: globs('path')
    .default([])
    .describe(
      'Globs of the paths where A2A is served, for HTTP the base path (`/a2a` stands for `/a2a/v1/message:send` as ' +
        'well). A body that stands there is A2A or refused.',
    ),
  denial: choice(['http_status', 'jsonrpc_error'])
    .default('http_status')
    .describe(
      "`http_status`: the gate's status with plain JSON. `jsonrpc_error`: for JSON-RPC calls, HTTP 200 with a " +
        "JSON-RPC error under the call's id.",
    ),
}).describe('a2a-parser: reads what agents and their users say to each other.')
