import type { ChainFacts } from '../../config/plugin-type.ts'

/**
 * A warning for a parser without hosts where a gate of its chain judges all that no skip covers: a skip holds on a
 * parser's own hosts, so without any of them there is none.
 */
export function missingHosts(
  parser: string,
  hosts: readonly string[],
  chain: ChainFacts,
  whose: string,
): readonly string[] {
  if (hosts.length > 0 || !chain.siblings.some((sibling) => judgesAll(sibling.config))) return []
  const lines = [`- name: ${parser}`, '  config:', '    hosts: ["name.of.the.host"]']
  return [
    `${parser} has no hosts: with unclassified_policy: judge, the housekeeping of its protocol is judged like any ` +
      `action. Name ${whose}:\n${lines.join('\n')}`,
  ]
}

function judgesAll(config: unknown): boolean {
  return typeof config === 'object' && config !== null && 'unclassified_policy' in config
    ? config.unclassified_policy === 'judge'
    : false
}
