import type { Exchange } from '../../core/exchange.ts'
import type { Answer, Refusal } from '../../core/ruling.ts'
import { oneLine, plainRefusal, rpcRefusal, rpcResultAnswer, takesOnlyEvents } from '../kit/refusal.ts'
import type { McpConfig } from './config.ts'

export type Refuse = (no: Refusal) => Answer

/** What decides how a refused message is answered. */
export interface Asked {
  /** Undefined for notifications and responses: nobody waits for an answer to them. */
  readonly idToken: string | undefined
  /** The caller waits for a tool's result, and not for a task. */
  readonly forToolResult: boolean
  readonly typedResult: boolean
}

/** How to refuse a message that was read. */
export function refusalOf(x: Exchange, config: McpConfig, asked: Asked): Refuse {
  const { idToken } = asked
  if (config.denial === 'http_status' || idToken === undefined || isAnsweredElsewhere(x)) return plainRefusal
  const asEvent = takesOnlyEvents(x.request.headers)
  if (config.denial === 'tool_result' && asked.forToolResult) {
    const typed = asked.typedResult ? { resultType: 'complete' } : {}
    return (no) => rpcResultAnswer(no, idToken, { ...typed, content: [spoken(no)], isError: true }, asEvent)
  }
  return (no) => rpcRefusal(no, idToken, { status: 200, asEvent })
}

/** How to refuse a message that could not be read. The HTTP status tells peers that do not look into the body. */
export function malformedRefusal(
  x: Exchange,
  config: McpConfig,
  idToken: string | undefined,
  envelope: boolean,
): Refuse {
  if (config.denial === 'http_status' || isAnsweredElsewhere(x)) return plainRefusal
  return (no) => rpcRefusal(no, idToken, { status: no.status, envelope })
}

/** What the model reads. No structured content: clients check that against the tool's schema, and hide the text. */
function spoken(no: Refusal): { readonly type: 'text'; readonly text: string } {
  const lead = no.status === 403 ? 'Blocked by policy' : 'Not executed'
  return { type: 'text', text: `${lead}: ${oneLine(no.message)} (${no.code})` }
}

/**
 * In revision 2024-11-05 the answer to a POST comes on another connection, where we have no say. The client learns of a
 * refusal by the status alone.
 */
function isAnsweredElsewhere(x: Exchange): boolean {
  const { canonicalPath, query } = x.request
  const names = [...new URLSearchParams(query).keys()]
  return canonicalPath?.match(/\/messages\/?$/) != null || names.includes('sessionId') || names.includes('session_id')
}
