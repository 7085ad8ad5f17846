import type { Refusal } from '../../../core/ruling.ts'
import type { ProposedCall } from '../../../core/session.ts'
import type { JsonObject } from '../dialect.ts'
import type { Change } from './edit-json.ts'

/**
 * A stretch of a call that one ruling decides on. Nearly always the whole call; a call that goes on after it was complete
 * has one more part, whose ruling sees all of it.
 */
export interface Part {
  /** `waiting`: it has no ruling yet. `lost`: the answer broke off before it was complete. */
  fate: 'waiting' | 'kept' | 'taken' | 'lost'
  /** Why it was taken. */
  no: Refusal | undefined
  /** What it is a stretch of, as far as it is heard. */
  readonly call: CallSoFar
}

export interface CallSoFar extends ProposedCall {
  /** What it is given is text, even where that reads as JSON. */
  readonly freeText: boolean
}

export function newPart(call: CallSoFar): Part {
  return { fate: 'waiting', no: undefined, call }
}

export type Heard =
  | {
      /** The value has something of these. */
      readonly parts: readonly Part[]
      /** These are complete now. */
      readonly complete: readonly Part[]
    }
  /** Clients could see other calls in it than we do; why, without payload. */
  | { readonly unreadable: string }

export const NOTHING_HEARD: Heard = { parts: [], complete: [] }

export type Written =
  /** As it came. */
  | undefined
  | { readonly changes: readonly Change[] }
  /** Other values take its place, or none. */
  | { readonly instead: readonly JsonObject[] }

/**
 * What a dialect knows about the calls in its answers, be they one JSON value or a stream of events. It sees values;
 * bytes, order and rulings are the guard's.
 */
export interface CallReader {
  /** Reads the next value. `eventName`: of the event that carries it; empty where it has none. */
  hear(value: unknown, eventName: string): Heard
  /** The answer says that it is over: no call goes on. */
  close(): Heard
  /** How a value that was heard goes on. Called in the order of `hear`, when every part up to here has its fate. */
  write(value: unknown): Written
  /** What ends a stream of which so much was written, with words: data of events, or a mark. */
  ending(words: string): readonly (JsonObject | string)[]
  /** A whole answer that says nothing but these words. */
  whole(words: string): JsonObject
  /** The name of the event that carries a value; undefined where this dialect's events have none. */
  eventName(value: JsonObject): string | undefined
}
