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
  /** `none`: nobody reads it. `stream`: it is read in passing. May come without a request head (Envoy's own replies). */
  answerHead(pairs: readonly HeaderPair[], bodyless: boolean): { readonly body: 'none' | 'stream' }
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
  /** Exactly once. Nothing is called after it. Aborts what still runs. */
  end(how: Ending): void
}

/** Makes a handler per exchange. `caller` is undefined when the filter did not say a direction. */
export type OpenExchange = (caller: Caller | undefined) => ExchangeHandler
