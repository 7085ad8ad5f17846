import { randomBytes } from 'node:crypto'
import type { ChatModel, ChatResult } from '../../llm/chat.ts'
import type { Limiter } from '../kit/limiter.ts'
import type { Judge } from './judge.ts'
import { buildQuestion } from './prompt.ts'
import { parseVerdict, type Verdict } from './verdict.ts'

export interface LlmJudgeOptions {
  readonly chat: ChatModel
  readonly limiter: Limiter
  readonly model: string
  /** Empty: the built-in one. */
  readonly systemPrompt: string
}

export function createLlmJudge(options: LlmJudgeOptions): Judge {
  return {
    model: options.model,
    weigh: async ({ intents, shown }, signal) => {
      const question = buildQuestion(options.systemPrompt, intents, shown, randomBytes(12).toString('hex'))
      const turn = await options.limiter.run(() => options.chat.ask(question, signal), signal)
      if (turn.ran) return verdictOf(turn.value)
      return { kind: 'unavailable', failure: turn.why === 'full' ? 'queue full' : 'time-out in the queue' }
    },
  }
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
      return { kind: 'unavailable', failure: `unreachable (${failure.why})` }
    case 'aborted':
      return { kind: 'unavailable', failure: 'time-out' }
    case 'status':
      return { kind: 'unavailable', failure: `status ${failure.status}` }
    case 'too_large':
      return { kind: 'unavailable', failure: `answer over ${failure.limitBytes} bytes` }
  }
}
