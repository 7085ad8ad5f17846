import type { Action } from './action.ts'
import type { Body, Exchange } from './exchange.ts'
import type { Answer, Refusal, Run, Ruling } from './ruling.ts'
import type { Lesson, SessionHint, SessionView } from './session.ts'

export type NonEmpty<T> = readonly [T, ...T[]]

/** What a parser understood of one message. It closes over what it needs to say no in that message's own shape. */
export interface Reading {
  readonly kind: 'read'
  /** Never empty: a loop over actions cannot pass by having nothing to see. */
  readonly actions: NonEmpty<Action>
  /** The method that the message invokes; two parsers that differ on it make the message unreadable. */
  readonly method: string | undefined
  /**
   * The parser knows this method as its protocol's own, or the message stands on its configured ground (paths, hosts,
   * protocol header). A reading that is not sure yields to one that is.
   */
  readonly sure: boolean
  readonly hint: SessionHint | undefined
  readonly lessons: readonly Lesson[]
  /** For the record: what was read, such as the method and tool. No payload. */
  readonly details: Readonly<Record<string, unknown>>
  /**
   * The answer may propose calls: `readable` = `guardAnswer` can hold them back, `unreadable` = nobody here reads that
   * dialect's answers. Absent: the answer proposes nothing.
   */
  readonly proposes?: 'readable' | 'unreadable'
  /** Total: it never throws. */
  refuse(no: Refusal): Answer
}

export type ReadResult =
  | { readonly kind: 'not-mine' }
  | {
      readonly kind: 'unreadable'
      /** Which of the framework's codes it becomes. */
      readonly code: 'plumbline.unreadable' | 'plumbline.unsupported_encoding' | 'plumbline.too_large'
      /** For the log: what is wrong, without payload. */
      readonly why: string
      /** A batch or malformed envelope, as opposed to text that is no JSON. */
      readonly envelope?: boolean
      readonly refuse?: (no: Refusal) => Answer
    }
  | Reading

/** Reads an answer in passing: its bytes go on untouched. Neither method throws. */
export interface AnswerReader {
  /**
   * Gets decoded bytes; returns what they taught so far and `feed` has not returned yet. The bytes go on afterwards: a
   * name that the answer gives to the conversation may come back in the client's next request.
   */
  feed(bytes: Uint8Array): readonly Lesson[]
  /** What `feed` has not returned. `cut`: the answer ended early, or reading stopped at the limit. Called once. */
  end(how: 'complete' | 'cut'): {
    readonly lessons: readonly Lesson[]
    readonly details: Readonly<Record<string, unknown>>
  }
}

/** A call that an answer proposes, complete. */
export interface FoundCall {
  /** Unique in its answer. */
  readonly id: number
  readonly action: Action & { readonly kind: 'tool-call' }
}

/** What a guard has for the pipeline after an input. */
export interface Guarded {
  /** Goes to the client now, in this order. */
  readonly out: readonly Uint8Array[]
  /** Became complete: each is judged, and `rule` is told. */
  readonly calls: readonly FoundCall[]
  /** Learnt now; written before `out` goes on, because the client may refer to it. */
  readonly lessons: readonly Lesson[]
  /**
   * From here on the answer cannot be read as every client would read it; why, for the log, without payload. Said once.
   * The guard holds everything that follows until `abandon`.
   */
  readonly unreadable?: string
}

/**
 * Holds back the calls that an answer proposes until each is ruled on, and takes the rejected ones out. Works the same
 * on one JSON value and on a stream of events, whatever its chunks. What precedes an undecided call goes on at once;
 * what follows it keeps its order. Without a rejection the bytes that come out are the bytes that went in. Pure: no
 * clock, no I/O, no promise. It never throws.
 */
export interface CompletionGuard {
  /** Gets bytes with their content-encoding undone. */
  feed(bytes: Uint8Array): Guarded
  /** The answer's bytes are over. `cut`: early; then calls that are not complete never come out. Called once. */
  end(how: 'complete' | 'cut'): Guarded
  /** The ruling on a call: `undefined` lets it go, a refusal replaces it with words. Once for each call. */
  rule(callId: number, no: Refusal | undefined): Guarded
  /**
   * Gives up on all that is held, and takes no more rulings. `undefined`: everything goes on as it came, now and
   * hereafter. A refusal: what is held never comes out, the answer gets a valid end that says so in words, and whatever
   * is fed afterwards is dropped.
   */
  abandon(no: Refusal | undefined): Guarded
  /** Bytes that wait inside: of undecided or unfinished calls, and what stands behind them. */
  readonly heldBytes: number
  /** Bytes in memory: those, and what is here of an event whose rest is on its way and waits for nobody else. */
  readonly keptBytes: number
  /** Something was taken out: `out` is no longer what was fed. */
  readonly changed: boolean
  /** After `end` and the last ruling: nothing more will come out. */
  readonly done: boolean
  /** For the record: the form, the tools that were proposed, how many calls were taken out. No payload. */
  readonly details: Readonly<Record<string, unknown>>
}

/** Understands one protocol family. Never decides; no I/O, no clock. */
export interface Parser {
  readonly kind: 'parser'
  /** The exchange goes to one of this parser's configured hosts. What its protocol is not has no business there. */
  isHome(x: Exchange): boolean
  /**
   * Whether it wants the request's body for the session although every gate exempted the request by its head: true only
   * on its own ground (hosts, paths). Where gates will judge, the body is asked for anyway.
   */
  wantsExempt(x: Exchange): boolean
  /** Reads a request, with or without a body. */
  read(x: Exchange, body: Body): ReadResult
  /**
   * A reader for the answer, when this parser wants it; `mine`: it gave the reading of the request. Called when the
   * answer's head is there (`x.answer`). An answer that nobody reads is not asked for.
   */
  readAnswer(x: Exchange, mine: Reading | undefined): AnswerReader | undefined
  /**
   * A guard for the answer to a request of its own that `proposes` something `readable`; it also teaches what
   * `readAnswer` would. Asked instead of `readAnswer` where gates look at completions.
   */
  guardAnswer?(x: Exchange, mine: Reading): CompletionGuard | undefined
}

/** Where a gate looks: at what the agent sends, or at what a model proposes before the agent sees it. */
export type Point = 'request' | 'completion'

/** Knows policy. Sees actions and facts, never a protocol's framing. */
export interface Gate {
  readonly kind: 'gate'
  /** The longest that one `judge` may take, queueing included; milliseconds. */
  readonly timeoutMs: number
  readonly points: readonly Point[]
  /** What happens to an action when the gate itself fails or has no time left: it passes, recorded. Else it is refused. */
  readonly failsOpen: boolean
  /** Its rulings never refuse: nobody waits for them but the record. */
  readonly watchesOnly?: boolean
  /**
   * It looks at what tools answered: answers are read also where no parser wants them, and a session keeps so many bytes
   * of results (the most that a gate of the chain wants).
   */
  readonly needsResults?: { readonly bytes: number }
  /**
   * A session has new results. Called off the decision path, on gates with `needsResults`; once more, perhaps, after
   * `close`. Never throws. `more`: it is called again after all else had its turn, so that no decision waits for long.
   */
  heard?(session: SessionView): 'done' | 'more'
  /** From the head alone: "not mine", with what the record says. */
  exempt(x: Exchange): Run | undefined
  /** One action at a time. */
  judge(action: Action, x: Exchange, signal: AbortSignal): Promise<Ruling>
  /** Nothing is asked of it any more: it lets go of what it keeps open. Never throws. */
  close?(): void
}

export type Mode = 'enforce' | 'observe' | 'off'

/** A plugin as it stands in a chain. */
export interface Placed<P extends Parser | Gate = Parser | Gate> {
  /** `id` of the configuration, by default the plugin's name. Unique in its chain. */
  readonly id: string
  readonly name: string
  readonly mode: Mode
  readonly plugin: P
}

export interface Chain {
  /** In the order of the configuration. */
  readonly plugins: readonly Placed[]
}
