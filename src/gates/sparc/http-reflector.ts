import type { JsonClient } from '../../client/json.ts'
import type { Asked, ExchangeTelemetry, Outside } from '../../core/telemetry.ts'
import { askedInVain, failureName, notAsked, notAskedName } from '../kit/failure.ts'
import type { Limiter } from '../kit/limiter.ts'
import type { Question, Reflection, Reflector } from './reflector.ts'
import { readReflection } from './reflection.ts'

/** Marks each question, so that one which comes back through the gateway is known. */
export const SENTINEL_HEADER = 'x-sparc-reflect'

export interface HttpReflectorOptions {
  readonly client: JsonClient
  readonly limiter: Limiter
  readonly url: URL
  /** Empty: no Authorization header. */
  readonly bearer: string
  readonly track: string
}

/** Asks a reflection service, once. */
export function createHttpReflector(options: HttpReflectorOptions): Reflector {
  const { client, limiter, url, bearer, track } = options
  const headers = {
    [SENTINEL_HEADER]: '1',
    ...(bearer === '' ? {} : { authorization: `Bearer ${bearer}` }),
  }
  const outside: Outside = { what: 'reflector', endpoint: url }
  const send = async (question: Question, telemetry: ExchangeTelemetry, signal: AbortSignal): Promise<Reflection> => {
    const answered = telemetry.asks(outside)
    const answer = await client.post(url, headers, requestBody(question, track), signal)
    if (!answer.ok) {
      answered(askedInVain(answer.failure))
      return { kind: 'unavailable', failure: failureName(answer.failure) }
    }
    const reflection = readReflection(answer.value)
    answered(howItWent(reflection))
    return reflection
  }
  return {
    track,
    reflect: async (question, signal, telemetry): Promise<Reflection> => {
      const turn = await limiter.run(() => send(question, telemetry, signal), signal)
      if (turn.ran) return turn.value
      telemetry.asks(outside)(notAsked(turn.why))
      return { kind: 'unavailable', failure: notAskedName(turn.why) }
    },
    close: () => client.close(),
  }
}

function howItWent(reflection: Reflection): Asked {
  return reflection.kind === 'verdict'
    ? { outcome: 'answered', verdict: reflection.decision }
    : { outcome: 'failed', failure: 'no_verdict' }
}

function requestBody({ messages, tools, call, sessionId }: Question, track: string): unknown {
  return {
    messages,
    tool_specs: tools,
    tool_calls: [
      { id: call.id ?? 'call', type: 'function', function: { name: call.tool, arguments: call.argumentsText } },
    ],
    session_id: sessionId,
    track,
  }
}
