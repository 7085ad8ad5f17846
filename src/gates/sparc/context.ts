import type { Action } from '../../core/action.ts'
import type { Exchange } from '../../core/exchange.ts'
import type { Conversation, SessionView } from '../../core/session.ts'
import { specNameFor } from './spec-name.ts'

export type ToolCall = Action & { readonly kind: 'tool-call' }

/** A call, and what it is held against. */
export interface Context {
  readonly conversation: Conversation
  /** The name under which the conversation's model knows the tool. */
  readonly tool: string
  readonly argumentsText: string
  /** The session whose conversation it is. */
  readonly sessionId: string | undefined
  /** Its model proposed this very call; else it is only the most recent one. */
  readonly proposedIt: boolean
}

/** Undefined: what the call could be grounded in is not known, or only in part. */
export function contextOf(call: ToolCall, x: Exchange): Context | undefined {
  const found = call.proposed === undefined ? recalled(call, x) : shown(x)
  if (found === undefined) return undefined
  const { messages, tools } = found.conversation
  if (messages.length === 0 || tools.length === 0) return undefined
  const tool = call.proposed === undefined ? specNameFor(call.tool, tools) : call.tool
  return tool === undefined ? undefined : { ...found, tool, argumentsText: argumentsTextOf(call) }
}

type Found = Pick<Context, 'conversation' | 'sessionId' | 'proposedIt'>

/** The answer that proposes the call belongs to this very exchange. */
function shown({ conversation, session }: Exchange): Found | undefined {
  if (conversation === undefined) return undefined
  const [only, ...others] = session.candidates
  return { conversation, sessionId: others.length === 0 ? only?.id : undefined, proposedIt: true }
}

function recalled({ tool, args }: ToolCall, { session }: Exchange): Found | undefined {
  const ofCandidates = session.candidates.flatMap((candidate) => conversationOf(candidate, tool, args))
  const [only, ...others] = ofCandidates.filter(({ proposedIt }) => proposedIt)
  if (only !== undefined && session.candidates.length === 1) return only
  // Of several, one is it only if its own model asked for this very call, and no other's did.
  const stray = session.stray?.({ tool, args })
  if (only === undefined && stray !== undefined) return { conversation: stray, sessionId: undefined, proposedIt: true }
  if (only !== undefined) return others.length === 0 && stray === undefined ? only : undefined
  return session.candidates.length === 1 ? ofCandidates[0] : undefined
}

function conversationOf(session: SessionView, tool: string, args: unknown): readonly Found[] {
  const conversation = session.conversation({ tool, args })
  return conversation === undefined
    ? []
    : [{ conversation, sessionId: session.id, proposedIt: conversation.proposedIt }]
}

/** Some models write nothing where a tool takes nothing. */
function argumentsTextOf({ proposed, args }: ToolCall): string {
  const text = proposed === undefined ? JSON.stringify(args ?? {}) : proposed.argumentsText
  return text.trim() === '' ? '{}' : text
}
