import type { ExchangeTelemetry } from '../../core/telemetry.ts'

/** A message in OpenAI's chat form. */
export interface ReflectedMessage {
  readonly role: string
  readonly content: string
  readonly tool_calls?: readonly ReflectedCall[]
  readonly tool_call_id?: string
}

/** A call as an assistant's message holds it; `arguments` is text that may be no JSON. */
export interface ReflectedCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

/** One proposed call, and all that it could be grounded in. */
export interface Question {
  readonly messages: readonly ReflectedMessage[]
  /** In OpenAI's function-calling form. */
  readonly tools: readonly unknown[]
  readonly call: { readonly id: string | undefined; readonly tool: string; readonly argumentsText: string }
  readonly sessionId: string | undefined
}

/** What is wrong with the call. */
export interface Issue {
  readonly issue_type: string
  readonly metric_name: string
  /** The embedded reflector's name for it, where it has one. */
  readonly finding?: string
  readonly explanation: string
  /** Null when there is none. */
  readonly correction: unknown
}

/** What is worth knowing of a call, and no reason to reject it. */
export interface Note {
  readonly finding: string
  readonly explanation: string
  readonly parameter?: string
  /** Who alone named the value. */
  readonly provenance?: 'tool'
}

export type Reflection =
  | {
      readonly kind: 'verdict'
      readonly decision: 'approve' | 'reject'
      readonly issues: readonly Issue[]
      readonly notes?: readonly Note[]
      /** How well the call is grounded, from 0 to 1. */
      readonly score: number | undefined
      readonly executionMs: number
    }
  /** It could not be asked, or gave no verdict in time. `failure` is one of a closed list, without the peer's text. */
  | { readonly kind: 'unavailable'; readonly failure: string }

/** Says whether a proposed call is grounded in its conversation and tools. */
export interface Reflector {
  /** For the record. */
  readonly track: string
  /**
   * Never rejects. The signal ends it: its time is over, or nobody wants the answer any more. A question that leaves the
   * process is told to `telemetry`.
   */
  reflect(question: Question, signal: AbortSignal, telemetry: ExchangeTelemetry): Promise<Reflection>
  /** Where it keeps connections. */
  close?(): void
}
