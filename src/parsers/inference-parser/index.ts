import type { ChainFacts, PluginType } from '../../config/plugin-type.ts'
import type { Parser, Reading } from '../../core/plugin.ts'
import { compileHome } from '../kit/home.ts'
import { readLessons } from '../kit/lesson-reader.ts'
import { missingHosts } from '../kit/missing-hosts.ts'
import { schema, type InferenceConfig } from './config.ts'
import type { Dialect } from './dialect.ts'
import { createCompletionGuard } from './guard/guard.ts'
import { readRequest } from './request.ts'

export const inferenceParserType: PluginType<InferenceConfig, Parser> = {
  name: 'inference-parser',
  kind: 'parser',
  directions: ['outbound'],
  schema,
  requires: [],
  requiresAny: [],
  codes: {},
  warn: (config: InferenceConfig, chain: ChainFacts) =>
    missingHosts('inference-parser', [...config.hosts, ...chain.lentHosts], chain, 'the models that the agent calls'),
  create: (config, _services, chain) => createInferenceParser(config.hosts, chain.lentHosts),
}

export function createInferenceParser(hosts: readonly string[], lentHosts: readonly string[] = []): Parser {
  const homeOf = compileHome(hosts, lentHosts)
  const dialects = new WeakMap<Reading, Dialect>()
  return {
    kind: 'parser',
    isHome: (x) => homeOf(x) === 'own',
    wantsExempt: (x) => homeOf(x) === 'own',
    read(x, body) {
      const { result, dialect } = readRequest(x, body, homeOf(x))
      if (result.kind === 'read' && dialect !== undefined) dialects.set(result, dialect)
      return result
    },
    readAnswer(x, mine) {
      const completion = mine === undefined ? undefined : dialects.get(mine)?.openCompletion?.()
      return completion === undefined ? undefined : readLessons(x, completion)
    },
    guardAnswer(x, mine) {
      const dialect = dialects.get(mine)
      const calls = dialect?.openCalls?.(modelOf(mine))
      const completion = dialect?.openCompletion?.()
      return calls === undefined || completion === undefined ? undefined : createCompletionGuard(x, calls, completion)
    },
  }
}

function modelOf({ actions: [action] }: Reading): string {
  return action.kind === 'inference' ? action.model : ''
}
