import type { ChainFacts } from '../../config/plugin-type.ts'
import { missingHosts } from '../kit/missing-hosts.ts'
import type { McpConfig } from './config.ts'

export function warningsOf(config: McpConfig, chain: ChainFacts): readonly string[] {
  return [
    ...missingHosts('mcp-parser', config.hosts, chain, 'the MCP servers of this agent'),
    ...lostSessions(config, chain),
  ]
}

/** Some clients take an HTTP status for the end of their session. Only a warning where something can be refused. */
function lostSessions(config: McpConfig, chain: ChainFacts): readonly string[] {
  const refuses = chain.siblings.some((sibling) => sibling.mode === 'enforce' && !sibling.name.endsWith('-parser'))
  if (config.denial !== 'http_status' || !refuses) return []
  const lines = ['- name: mcp-parser', '  config:', '    denial: tool_result']
  return [
    'mcp-parser answers a refused call with an HTTP status (denial: http_status). Clients on the Python SDK 1.x lose ' +
      'their whole session by that, or hang; the TypeScript SDKs and the Python SDK 2.x report an error and go on. ' +
      `With tool_result, every client shows the refusal to its model:\n${lines.join('\n')}`,
  ]
}
