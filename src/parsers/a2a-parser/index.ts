import type { ChainFacts, PluginType } from '../../config/plugin-type.ts'
import type { Exchange } from '../../core/exchange.ts'
import type { Parser, Reading } from '../../core/plugin.ts'
import { readLessons } from '../kit/lesson-reader.ts'
import { missingHosts } from '../kit/missing-hosts.ts'
import { schema, type A2aConfig } from './config.ts'
import { surveyor } from './ground.ts'
import { operationOf } from './operations.ts'
import { readRequest } from './request.ts'
import { createListener } from './said.ts'

export const a2aParserType: PluginType<A2aConfig, Parser> = {
  name: 'a2a-parser',
  kind: 'parser',
  directions: ['inbound', 'outbound'],
  schema,
  requires: [],
  requiresAny: [],
  codes: {},
  warn: (config: A2aConfig, chain: ChainFacts) =>
    missingHosts('a2a-parser', config.hosts, chain, 'the agents that this one talks to'),
  create: (config) => createA2aParser(config),
}

export function createA2aParser(config: A2aConfig): Parser {
  const survey = surveyor(config)
  return {
    kind: 'parser',
    isHome: (x) => survey(x).home === 'own',
    // What users say may come on any path; what the agent sends to others teaches nothing.
    wantsExempt: (x) => x.direction === 'inbound',
    read: (x, body) => readRequest(x, body, survey(x), config),
    readAnswer: (x, mine) => (answersTeach(x, mine) ? readLessons(x, createListener()) : undefined),
  }
}

/** Only our own agent's answers speak to the user, and only those about this conversation. */
function answersTeach(x: Exchange, mine: Reading | undefined): boolean {
  if (x.direction !== 'inbound' || mine?.method === undefined || !mine.sure) return false
  return operationOf(mine.method)?.tells === true
}
