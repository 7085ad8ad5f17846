import type { ChainFacts, PluginType } from '../../config/plugin-type.ts'
import type { Exchange, Head } from '../../core/exchange.ts'
import type { Gate } from '../../core/plugin.ts'
import { createJsonClient } from '../../client/json.ts'
import { compileGlobs } from '../../http/globs.ts'
import { canonicalHost } from '../../http/hosts.ts'
import { completionsUrl, createChatModel } from '../../llm/chat.ts'
import { compileExemptions } from '../kit/exemptions.ts'
import { compileHostBypass } from '../kit/host-bypass.ts'
import { createLimiter } from '../kit/limiter.ts'
import { createVerdictCache } from '../kit/verdict-cache.ts'
import { IBAC_CODES } from './codes.ts'
import { checkIbac, failsOpen, ibacSchema, warnIbac, type IbacConfig } from './config.ts'
import { compileEffects } from './effects-field.ts'
import { createEmbeddedJudge, type EmbeddedJudge } from './embedded/judge.ts'
import { createIbac } from './ibac.ts'
import type { Judge } from './judge.ts'
import { createLlmJudge, isDecided } from './llm-judge.ts'
import { createPrefilteredJudge } from './prefilter.ts'
import type { Skip } from './rulings.ts'

/** Marks each question to the judge, so that one which comes back through the gateway is known. */
const SENTINEL_HEADER = 'x-ibac-judge'
/** Questions to the judge at once, and how many wait beside them. */
const JUDGE_RUNNING = 64
const JUDGE_WAITING = 256
/** A verdict is a line; a thinking model may add some pages. */
const JUDGE_ANSWER_BYTES = 1_048_576

export const ibacType: PluginType<IbacConfig, Gate> = {
  name: 'ibac',
  kind: 'gate',
  directions: ['outbound'],
  schema: ibacSchema,
  requires: [],
  requiresAny: ['mcp-parser', 'inference-parser'],
  codes: IBAC_CODES,
  check: checkIbac,
  warn: warnIbac,
  failsOpen,
  lendsHosts: ({ agent_llm_host }) =>
    agent_llm_host === '' ? {} : { 'inference-parser': [canonicalHost(agent_llm_host)] },
  create: (config, services, chain) =>
    createIbac({
      config,
      judge: createJudge(config, services.now),
      exempts: exemptions(config, chain),
      goesToModel: compileHostBypass([], modelHosts(config)),
      now: services.now,
    }),
}

function createJudge(config: IbacConfig, now: () => number): Judge {
  if (config.judge === 'embedded') return embeddedJudge(config)
  const model = modelJudge(config, now)
  return config.prefilter === 'embedded' ? createPrefilteredJudge(embeddedJudge(config), model) : model
}

function embeddedJudge(config: IbacConfig): EmbeddedJudge {
  return createEmbeddedJudge({
    denyAt: config.deny_at,
    trusts: compileGlobs(config.trusted_hosts, 'host'),
    effectNamed: compileEffects(config.effects),
    delegationPhrases: config.delegation_phrases,
    maxResultsBytes: config.max_results_bytes,
  })
}

function modelJudge(config: IbacConfig, now: () => number): Judge {
  const client = createJsonClient({ maxResponseBytes: JUDGE_ANSWER_BYTES, connections: JUDGE_RUNNING })
  return createLlmJudge({
    model: config.judge_model,
    endpoint: completionsUrl(config.judge_endpoint),
    systemPrompt: config.system_prompt,
    limiter: createLimiter({ running: JUDGE_RUNNING, waiting: JUDGE_WAITING }),
    cache: createVerdictCache({ ttlMs: config.cache_ttl_ms, keeps: isDecided, now }),
    chat: createChatModel(client, {
      endpoint: config.judge_endpoint,
      model: config.judge_model,
      bearer: config.judge_bearer,
      maxTokens: config.judge_max_tokens,
      jsonMode: config.judge_json_mode,
      extra: config.judge_extra,
      headers: { [SENTINEL_HEADER]: '1' },
    }),
  })
}

/** What the head alone can end, in the order of the steps. */
function exemptions(config: IbacConfig, chain: ChainFacts): (x: Exchange) => Skip | undefined {
  const exempts = compileExemptions(
    {
      asks:
        config.judge === 'llm' ? { url: completionsUrl(config.judge_endpoint), header: SENTINEL_HEADER } : undefined,
      paths: config.bypass_paths,
      hosts: config.bypass_hosts,
      // An answer of the model is judged only where the question is not exempt as a whole.
      exactHosts: config.judge_completions ? [] : modelHosts(config),
    },
    chain,
  )
  const preflights = config.unclassified_policy === 'passthrough'
  return (x) => exempts(x) ?? (preflights && isPreflight(x.request) ? 'preflight' : undefined)
}

function modelHosts({ agent_llm_host }: IbacConfig): readonly string[] {
  return agent_llm_host === '' ? [] : [agent_llm_host]
}

/** A browser's question whether it may ask. */
function isPreflight({ method, bodyless, headers }: Head): boolean {
  return method === 'OPTIONS' && bodyless && headers.has('origin') && headers.has('access-control-request-method')
}
