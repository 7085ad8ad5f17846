import type { Exchange } from '../../core/exchange.ts'
import type { Answer, Refusal } from '../../core/ruling.ts'
import { clarificationOf, oneLine, plainRefusal, rpcRefusal, rpcResultAnswer, takesOnlyEvents } from '../kit/refusal.ts'
import type { McpConfig } from './config.ts'

export type Refuse = (no: Refusal) => Answer

/** What decides how a refused message is answered. */
export interface Asked {
  /** Undefined for notifications and responses: nobody waits for an answer to them. */
  readonly idToken: string | undefined
  /** What the caller waits for: a tool's result, the task that brings it, or an answer of another kind. */
  readonly for: 'tool-result' | 'task' | 'anything'
  readonly typedResult: boolean
}

/** How to refuse a message that was read. */
export function refusalOf(x: Exchange, config: McpConfig, asked: Asked): Refuse {
  const { idToken } = asked
  if (idToken === undefined || isAnsweredElsewhere(x)) return plainRefusal
  const asEvent = takesOnlyEvents(x.request.headers)
  const typed = asked.typedResult ? { resultType: 'complete' } : {}
  return (no) => {
    const form = formOf(no, config, asked)
    if (form === 'http_status') return plainRefusal(no)
    if (form === 'jsonrpc_error') return rpcRefusal(no, idToken, { status: 200, asEvent })
    return rpcResultAnswer(no, idToken, { ...typed, ...toolResult(no) }, asEvent)
  }
}

/** What a model is to act on has to reach it, however the operator wants a no to look. */
function formOf(no: Refusal, config: McpConfig, asked: Asked): McpConfig['denial'] {
  const wanted = no.clarification !== undefined && asked.for !== 'anything' ? 'tool_result' : config.denial
  return wanted === 'tool_result' && asked.for !== 'tool-result' ? 'jsonrpc_error' : wanted
}

/** No structured content: clients check that against the tool's schema, and hide the text. */
function toolResult(no: Refusal): Readonly<Record<string, unknown>> {
  const clarification = clarificationOf(no)
  if (clarification === undefined) return { content: [spoken(denialText(no))], isError: true }
  const _meta = { 'plumbline/reason': no.code, 'plumbline/request_id': no.requestId }
  return { content: [spoken(clarification)], isError: true, _meta }
}

const spoken = (text: string) => ({ type: 'text', text }) as const

function denialText(no: Refusal): string {
  const lead = no.status === 403 ? 'Blocked by policy' : 'Not executed'
  return `${lead}: ${oneLine(no.message)} (${no.code})`
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

/**
 * In revision 2024-11-05 the answer to a POST comes on another connection, where we have no say. The client learns of a
 * refusal by the status alone.
 */
function isAnsweredElsewhere(x: Exchange): boolean {
  const { canonicalPath, query } = x.request
  const names = [...new URLSearchParams(query).keys()]
  return canonicalPath?.match(/\/messages\/?$/) != null || names.includes('sessionId') || names.includes('session_id')
}
