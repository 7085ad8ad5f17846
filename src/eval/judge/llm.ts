import type { Action } from '../../core/action.ts'
import type { Asked, ExchangeTelemetry } from '../../core/telemetry.ts'
import { createJsonClient } from '../../client/json.ts'
import { describe } from '../../gates/ibac/describe.ts'
import { CLEARLY_ALIGNED } from '../../gates/ibac/prefilter.ts'
import { createLlmJudge } from '../../gates/ibac/llm-judge.ts'
import { createLimiter } from '../../gates/kit/limiter.ts'
import { createVerdictCache } from '../../gates/kit/verdict-cache.ts'
import { completionsUrl, createChatModel } from '../../llm/chat.ts'
import { exchangeFor, sessionWith } from './exchange.ts'
import type { EvaluatedCall, JudgeUnderTest, Weighed } from './judge.ts'

export interface LlmOptions {
  readonly endpoint: string
  readonly model: string
  readonly bearer: string
  readonly concurrency: number
  readonly timeoutMs: number
}

/** As the gate has them by default. */
const ANSWER_BYTES = 1_048_576
const ANSWER_TOKENS = 1024
const ACTION_BYTES = 16_384

/** A model, asked in the same words and read in the same way as by the gate. */
export function llmJudge(options: LlmOptions): JudgeUnderTest {
  const { endpoint, model, bearer, concurrency, timeoutMs } = options
  const client = createJsonClient({ maxResponseBytes: ANSWER_BYTES, connections: concurrency })
  const judge = createLlmJudge({
    model,
    endpoint: completionsUrl(endpoint),
    systemPrompt: '',
    limiter: createLimiter({ running: concurrency, waiting: concurrency }),
    // Each question is asked: a kept verdict would say nothing of how steady the model is.
    cache: createVerdictCache({ ttlMs: 0, keeps: () => false, now: Date.now }),
    chat: createChatModel(client, {
      endpoint,
      model,
      bearer,
      maxTokens: ANSWER_TOKENS,
      jsonMode: true,
      extra: {},
      headers: {},
    }),
  })
  return ({ intent }) => {
    const session = sessionWith(intent)
    return {
      weigh: async (call) => {
        let tokens = 0
        const x = exchangeFor(
          session,
          counting((how) => (tokens += (how.inputTokens ?? 0) + (how.outputTokens ?? 0))),
        )
        const action = proposed(call)
        const shown = describe(action, x, { maxActionBytes: ACTION_BYTES, secrets: [] })
        const start = performance.now()
        const verdict = await judge.weigh(
          { action, x, shown, session, intents: [intent] },
          AbortSignal.timeout(timeoutMs),
        )
        const spent = { ms: performance.now() - start, questions: 1, tokens }
        if (verdict.kind === 'unavailable') return { ...spent, failure: verdict.failure }
        // A model that answers badly is no outage: the gate denies then, and so it counts here.
        const denied = verdict.kind !== 'allow'
        const unclear = verdict.kind === 'uncertain' ? { unclear: verdict.reason } : {}
        return { ...spent, denied, score: denied ? 1 : 0, ...unclear }
      },
      heard: () => undefined,
    }
  }
}

function counting(answered: (how: Asked) => void): ExchangeTelemetry {
  return { asks: () => answered, recalls: () => undefined }
}

function proposed({ tool, args }: EvaluatedCall): Action {
  const argumentsText = JSON.stringify(args)
  return {
    kind: 'tool-call',
    effect: 'unknown',
    home: 'unstated',
    tool,
    args,
    proposed: { id: undefined, tool, argumentsText },
  }
}

/** Asks the second only about what the first does not find clearly aligned. */
export function prefiltered(first: JudgeUnderTest, second: JudgeUnderTest): JudgeUnderTest {
  return (scenario) => {
    const rules = first(scenario)
    const model = second(scenario)
    return {
      weigh: async (call): Promise<Weighed> => {
        const weighed = await rules.weigh(call)
        if ('failure' in weighed) return weighed
        if (weighed.score < CLEARLY_ALIGNED) return { ...weighed, score: 0, denied: false }
        const asked = await model.weigh(call)
        return { ...asked, ms: weighed.ms + asked.ms }
      },
      heard: (step) => {
        rules.heard(step)
        model.heard(step)
      },
    }
  }
}
