import type { Conversation, Resolution } from './session.ts'
import type { ExchangeTelemetry } from './telemetry.ts'

/** Towards the agent (`inbound`) or from it (`outbound`). Set by the Envoy filter, never by a client. */
export type Direction = 'inbound' | 'outbound'
/** One of the two sides of an exchange. */
export type Half = 'request' | 'response'

/** A header name in lower case, and its value with one character per byte (latin1), so that no byte is lost. */
export type HeaderPair = readonly [name: string, value: string]

export interface HeaderView {
  /** In the order they were sent; a name that was sent twice is here twice. */
  readonly pairs: readonly HeaderPair[]
  /** The value of a header that was sent exactly once, else undefined. `name` in lower case. */
  one(name: string): string | undefined
  all(name: string): readonly string[]
  has(name: string): boolean
}

/** A request's head. */
export interface Head {
  readonly method: string
  readonly scheme: string
  /** `:authority` (or `Host`) as it was sent. */
  readonly authority: string
  /** The host of `authority`: lower case, without port and without one trailing dot. */
  readonly host: string
  /** The path as it was sent, without query. */
  readonly path: string
  /** `path` percent-decoded once, slashes merged, dot segments resolved; undefined when servers could differ about it. */
  readonly canonicalPath: string | undefined
  /** What follows the first `?`; empty when there is none. */
  readonly query: string
  readonly headers: HeaderView
  /** The peer said at the head that no body follows. The only proof of that which counts. */
  readonly bodyless: boolean
}

/** A response's head. */
export interface AnswerHead {
  readonly status: number
  readonly headers: HeaderView
  readonly bodyless: boolean
}

export type Body =
  | { readonly kind: 'none' }
  /** There is one, and it was not asked for: its protocol cannot be read here (gRPC), or every gate exempted the head. */
  | { readonly kind: 'unread' }
  /** `bytes` are decoded (content-encoding undone); `raw` as they were sent. The same array where nothing was encoded. */
  | { readonly kind: 'whole'; readonly raw: Uint8Array; readonly bytes: Uint8Array }
  | { readonly kind: 'over-limit'; readonly raw: Uint8Array; readonly limitBytes: number }
  | { readonly kind: 'undecodable'; readonly raw: Uint8Array; readonly why: string }

/** Who sent an inbound request, as far as an admitter knows. */
export interface Identity {
  readonly subject: string
}

/** Facts that hold for a workload, not for one session: keys that parsers plant when an exchange was allowed. */
export interface Notes {
  has(key: string): boolean
}

/** One HTTP request and its answer, as plugins see it. They only read it. */
export interface Exchange {
  readonly direction: Direction
  readonly workload: string
  /** The Host header decides where the bytes go. Where false, nothing may trust a host. */
  readonly routesByHost: boolean
  readonly requestId: string
  readonly traceId: string | undefined
  readonly request: Head
  readonly body: Body
  readonly answer: AnswerHead | undefined
  readonly identity: Identity | undefined
  readonly session: Resolution
  /** What this very request shows to a model, where it asks one. */
  readonly conversation: Conversation | undefined
  readonly notes: Notes
  /** Where a gate tells of what it asks, so that it is counted and traced. */
  readonly telemetry: ExchangeTelemetry
}
