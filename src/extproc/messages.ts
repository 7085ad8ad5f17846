import type { HeaderPair, Half } from '../core/exchange.ts'
import type { CheckedEdits } from './edits.ts'
import type { LocalAnswer } from './local-answer.ts'

/** How Envoy shows a body. `unknown`: newer than this code. */
export type BodyMode = 'none' | 'streamed' | 'buffered' | 'buffered_partial' | 'full_duplex' | 'grpc' | 'unknown'

/** How the filter is configured, as Envoy 1.35 and later say it with the first message of a stream. */
export interface ShownModes {
  readonly request: BodyMode
  readonly response: BodyMode
  /** Bodies come before the headers are answered; then no override of modes is heeded. */
  readonly early: boolean
}

/** What Envoy asks, in our words. */
export type Ask =
  | {
      readonly kind: 'head'
      readonly half: Half
      readonly pairs: readonly HeaderPair[]
      /** No body follows. */
      readonly last: boolean
      readonly modes: ShownModes | undefined
    }
  | { readonly kind: 'body'; readonly half: Half; readonly bytes: Uint8Array; readonly last: boolean }
  | { readonly kind: 'trailers'; readonly half: Half }
  /** Envoy does not wait for answers on this stream: nothing can be enforced. */
  | { readonly kind: 'observing' }
  /** No member that we know is set. */
  | { readonly kind: 'nothing' }

/** With the answer to a request's head: its body may pass unseen. */
export const EXEMPT_MODES = { request: 'none', response: 'buffered' } as const

/** With the answer to an answer's head, by the request's mode that is in force and what is wanted of the answer. */
export const ANSWER_MODES = {
  buffered: {
    none: { request: 'buffered', response: 'none' },
    stream: { request: 'buffered', response: 'streamed' },
    edit: { request: 'buffered', response: 'full_duplex' },
  },
  none: {
    none: { request: 'none', response: 'none' },
    stream: { request: 'none', response: 'streamed' },
    edit: { request: 'none', response: 'full_duplex' },
  },
} as const

/**
 * Every override of body modes that we send, always both halves at once: Envoy takes a mode that is left out for NONE,
 * which would let a body pass unseen. An Envoy configuration pins these merged pairs (`allowed_override_modes`), with
 * SEND for headers and trailers.
 */
export const MODE_PAIRS = [
  EXEMPT_MODES,
  ANSWER_MODES.buffered.none,
  ANSWER_MODES.buffered.stream,
  ANSWER_MODES.buffered.edit,
  ANSWER_MODES.none.none,
  ANSWER_MODES.none.stream,
  ANSWER_MODES.none.edit,
] as const

/**
 * With the answer to the head of a request whose body we wait for: nothing but its trailers, which every override shows. A
 * request of a head and trailers has no body to wait for, and would pass unseen where the filter does not show trailers and
 * cannot be told to (Envoy Gateway). No configuration has to allow it: one that pins its overrides shows trailers by itself,
 * and an override that is not on the list changes nothing.
 */
export const WHOLE_MODES = { request: 'buffered', response: 'buffered' } as const

export type ModePair = (typeof MODE_PAIRS)[number] | typeof WHOLE_MODES

/** Another body for an answer that came whole. */
export interface Replacement {
  readonly edits: CheckedEdits
  readonly body: Uint8Array
  /** The answer's head says how long its body is, so it has to say it anew: Envoy refuses another length. */
  readonly sized: boolean
}

/**
 * What we answer. A reply that Envoy would take for consent, or skip in silence, cannot be written: a body is replaced
 * with its length, edits are checked, a mode override is a whole pair, and an answer of our own always has its status.
 */
export type Reply =
  | { readonly kind: 'head'; readonly half: Half; readonly edits: CheckedEdits; readonly modes: ModePair | undefined }
  | { readonly kind: 'body'; readonly half: 'request'; readonly edits: CheckedEdits }
  | { readonly kind: 'body'; readonly half: 'response'; readonly replacement: Replacement | undefined }
  | Piece
  | { readonly kind: 'trailers'; readonly half: Half }
  | { readonly kind: 'local'; readonly answer: LocalAnswer }

/** A part of an answer as we write it, to be sent in the mode `full_duplex` alone. */
export interface Piece {
  readonly kind: 'piece'
  readonly bytes: Uint8Array
  /** The answer is complete. */
  readonly last: boolean
  /** Nothing was written before it. */
  readonly first: boolean
}
