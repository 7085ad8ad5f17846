import type { PluginType } from '../../config/plugin-type.ts'
import type { Parser } from '../../core/plugin.ts'
import { schema, type McpConfig } from './config.ts'
import { createMcpParser } from './mcp-parser.ts'
import { warningsOf } from './warnings.ts'

export const mcpParserType: PluginType<McpConfig, Parser> = {
  name: 'mcp-parser',
  kind: 'parser',
  directions: ['outbound', 'inbound'],
  schema,
  requires: [],
  requiresAny: [],
  codes: {},
  warn: warningsOf,
  create: (config, _services, chain) => createMcpParser(config, chain.lentHosts),
}
