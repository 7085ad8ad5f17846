import { randomBytes } from 'node:crypto'
import type { Asked, ExchangeTelemetry, Outside } from '../../core/telemetry.ts'
import type { ChatModel, ChatResult, Question } from '../../llm/chat.ts'
import { digestOf } from '../kit/digest.ts'
import { askedInVain, failureName, notAsked, notAskedName, TIME_OUT } from '../kit/failure.ts'
import type { Limiter } from '../kit/limiter.ts'
import type { VerdictCache } from '../kit/verdict-cache.ts'
import type { Case, Judge } from './judge.ts'
import { buildQuestion } from './prompt.ts'
import { parseVerdict, type Verdict } from './verdict.ts'

export interface LlmJudgeOptions {
  readonly chat: ChatModel
  readonly limiter: Limiter
  readonly cache: VerdictCache<Verdict>
  readonly model: string
  /** Where its questions go. */
  readonly endpoint: URL
  /** Empty: the built-in one. */
  readonly systemPrompt: string
}

/** A judge that could not decide may decide the next time. */
export function isDecided({ kind }: Verdict): boolean {
  return kind === 'allow' || kind === 'deny'
}

export function createLlmJudge(options: LlmJudgeOptions): Judge {
  const { model, endpoint } = options
  const outside: Outside = { what: 'judge', endpoint, model }
  const send = async (question: Question, told: ExchangeTelemetry, signal: AbortSignal): Promise<Verdict> => {
    const answered = told.asks(outside)
    const answer = await options.chat.ask(question, signal)
    const verdict = verdictOf(answer)
    answered(howItWent(answer, verdict))
    return verdict
  }
  const ask = async ({ intents, shown, x }: Case, signal: AbortSignal): Promise<Verdict> => {
    const question = buildQuestion(options.systemPrompt, intents, shown, randomBytes(12).toString('hex'))
    const turn = await options.limiter.run(() => send(question, x.telemetry, signal), signal)
    if (turn.ran) return turn.value
    x.telemetry.asks(outside)(notAsked(turn.why))
    return { kind: 'unavailable', failure: notAskedName(turn.why) }
  }
  return {
    model,
    weigh: async (question, signal) => {
      const answer = await options.cache.ask(keyOf(question), (flight) => ask(question, flight), signal)
      if (answer.kind === 'left') return { kind: 'unavailable', failure: TIME_OUT }
      question.x.telemetry.recalls('judge', answer.cached)
      return answer.cached ? { ...answer.verdict, cached: true } : answer.verdict
    },
    close: () => options.chat.close(),
  }
}

/**
 * All that differs between two questions of one judge but their random marks. Endpoint, model and prompt are those of
 * the judge, as is its cache.
 */
function keyOf({ intents, shown }: Case): string {
  return digestOf([shown.json, ...intents])
}

/** An answer that cannot be had is an outage; one that was had and says nothing clear is the model's fault. */
function verdictOf(answer: ChatResult): Verdict {
  if (answer.ok) return parseVerdict(answer.text)
  const { failure } = answer
  switch (failure.kind) {
    case 'no_text':
      return { kind: 'uncertain', reason: "The judge's answer has no text." }
    case 'not_json':
      return { kind: 'uncertain', reason: `The judge's answer is no completion: ${failure.why}.` }
    case 'unreachable':
    case 'aborted':
    case 'status':
    case 'too_large':
      return { kind: 'unavailable', failure: failureName(failure) }
  }
}

function howItWent(answer: ChatResult, verdict: Verdict): Asked {
  if (!answer.ok) {
    return answer.failure.kind === 'no_text' ? { outcome: 'failed', failure: 'no_text' } : askedInVain(answer.failure)
  }
  if (verdict.kind === 'unavailable') return { outcome: 'failed', failure: 'no_verdict', ...answer.usage }
  return { outcome: 'answered', verdict: verdict.kind, ...answer.usage }
}
