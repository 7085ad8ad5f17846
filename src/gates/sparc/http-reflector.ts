import type { JsonClient } from '../../client/json.ts'
import { failureName, notAskedName } from '../kit/failure.ts'
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
  return {
    track,
    reflect: async (question, signal): Promise<Reflection> => {
      const turn = await limiter.run(() => client.post(url, headers, requestBody(question, track), signal), signal)
      if (!turn.ran) return { kind: 'unavailable', failure: notAskedName(turn.why) }
      const answer = turn.value
      return answer.ok ? readReflection(answer.value) : { kind: 'unavailable', failure: failureName(answer.failure) }
    },
    close: () => client.close(),
  }
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
