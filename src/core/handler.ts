import type { Direction, HeaderPair } from './exchange.ts'
import type { Answer } from './ruling.ts'

/** Who opened the stream, from what the Envoy filter sets statically. */
export interface Caller {
  readonly direction: Direction
  readonly workload: string
  readonly routesByHost: boolean
}

/** Headers to set (overwriting) and to remove. Values are latin1, one character per byte. */
export interface HeaderEdits {
  readonly set: readonly HeaderPair[]
  readonly remove: readonly string[]
}

export type HeadReply =
  /** `body`: what to show of a body that follows. Without one it does not matter. */
  | { readonly kind: 'continue'; readonly edits: HeaderEdits; readonly body: 'whole' | 'none' }
  | { readonly kind: 'refuse'; readonly answer: Answer }

export type BodyReply =
  { readonly kind: 'continue'; readonly edits: HeaderEdits } | { readonly kind: 'refuse'; readonly answer: Answer }

/** What to show of an answer, and how. Edits are of its head. */
export type AnswerPlan =
  /** Nobody reads it. */
  | { readonly kind: 'none' }
  /** It is read in passing, its bytes untouched: `answerChunk`. */
  | { readonly kind: 'stream' }
  /** It is held whole until `answerBody` has replied. */
  | { readonly kind: 'whole' }
  /** What the client gets is what `editAnswer` writes. */
  | { readonly kind: 'edit'; readonly edits: HeaderEdits }
  | { readonly kind: 'refuse'; readonly answer: Answer }

export type AnswerReply =
  | { readonly kind: 'continue' }
  /** Another body; the driver sets its content-length. */
  | { readonly kind: 'replace'; readonly edits: HeaderEdits; readonly body: Uint8Array }
  | { readonly kind: 'refuse'; readonly answer: Answer }

/** Where an answer that we edit goes. Calls after `end` or `abort`, or after the client left, do nothing. */
export interface AnswerSink {
  write(bytes: Uint8Array): void
  /** The answer is complete as written; what the upstream still sends is not wanted. */
  end(): void
  /** The client sees its answer break off. */
  abort(): void
}

/** An answer that is edited. */
export interface AnswerEditor {
  /** `last`: the upstream's last bytes, perhaps none. */
  feed(raw: Uint8Array, last: boolean): void
}

/** How an exchange ended, as far as we saw it. */
export type Ending =
  /** All that was asked of us is answered. */
  | 'complete'
  /** We refused. */
  | 'refused'
  /** The client or upstream left, or Envoy closed the stream early. */
  | 'gone'
  /** We ended the stream with an error. */
  | 'failed'

export type GiveUpCode =
  /** The request's body did not end in time. */
  | 'plumbline.body_timeout'
  /** The process stops. */
  | 'plumbline.shutting_down'
  /** The process is at a limit. */
  | 'plumbline.overloaded'
  /** The gateway does not show what has to be checked. */
  | 'plumbline.wrong_mode'
  /** The message's framing leaves no room for the edits that it needs (trailers where a body should be). */
  | 'plumbline.unreadable'

/** The head of a request that is refused before anybody judges it. */
export interface UnseenHead {
  readonly pairs: readonly HeaderPair[]
  readonly bodyless: boolean
}

/**
 * One HTTP exchange, as the ext_proc side drives it. Calls come one at a time, in the order of the wire. Promises settle
 * with a reply; should one reject all the same, the driver refuses with `plumbline.plugin_failed`.
 */
export interface ExchangeHandler {
  requestHead(pairs: readonly HeaderPair[], bodyless: boolean): Promise<HeadReply>
  /** The whole body, as it was sent. Only after `requestHead` asked for it. */
  requestBody(raw: Uint8Array): Promise<BodyReply>
  /**
   * May come without a request head (Envoy's own replies). `rewritable`: the driver can hold and change this answer;
   * otherwise the plan is `none` or `stream`.
   */
  answerHead(pairs: readonly HeaderPair[], bodyless: boolean, rewritable: boolean): AnswerPlan
  /** The whole answer, as it was sent. Only after the plan `whole`. */
  answerBody(raw: Uint8Array): Promise<AnswerReply>
  /** Only after the plan `edit`, once. The sink may be written to from now on, also between two calls of `feed`. */
  editAnswer(sink: AnswerSink): AnswerEditor
  /**
   * A piece of an answer that is read in passing; `last` may never come. Undefined: it has been read. A promise, which
   * never rejects: it is being read, and goes on to the client when that has settled, so that what it says is known
   * before the client can refer to it.
   */
  answerChunk(raw: Uint8Array, last: boolean): Promise<void> | undefined
  /**
   * What the driver itself found that stands in the way of a decision: the refusal to send now. `unseen`: the head, where
   * `requestHead` did not get it.
   */
  giveUp(code: GiveUpCode, unseen?: UnseenHead): Answer
  /** A fault of ours or of a plugin that the driver caught; `cause` is for the log. */
  fail(cause: unknown): Answer
  /**
   * Exactly once. Nothing is called after it. Aborts what still runs. `canary`: the head of an exchange that failed
   * because it asked for it, and that nobody judged (`core/canary.ts`).
   */
  end(how: Ending, canary?: UnseenHead): void
}

/** Makes a handler per exchange. `caller` is undefined when the filter did not say a direction. */
export type OpenExchange = (caller: Caller | undefined) => ExchangeHandler
