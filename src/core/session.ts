/** How sure the resolver is of the session of an exchange. `lost`: there was one, it is gone. */
export type Certainty = 'exact' | 'inferred' | 'ambiguous' | 'lost' | 'none'

export interface Resolution {
  readonly certainty: Certainty
  /** How it was found: `handle`, `trace`, `in_flight`, `live`, `context`, `task`, `new`, `disabled`, `none`. */
  readonly method: string
  /** Most likely first. One for exact and inferred, several for ambiguous, else none. */
  readonly candidates: readonly SessionView[]
  /**
   * What a model was shown in an exchange that could not be told to be one session's: the one conversation whose answer
   * proposed this very call. Undefined when there is none, or several.
   */
  readonly stray?: (call: { readonly tool: string; readonly args: unknown }) => Conversation | undefined
}

/** What a model was shown: all that a call which it proposes could be grounded in. */
export interface Conversation {
  /** Every role, the system prompt too, in their order. */
  readonly messages: readonly ChatMessage[]
  /** In OpenAI's function-calling form, whatever dialect they came in; members that are no functions as they came. */
  readonly tools: readonly unknown[]
}

/** A conversation that a session remembers. */
export interface RecalledConversation extends Conversation {
  /** Its answer proposed the very call that was asked about: same name, same arguments whatever their spelling. */
  readonly proposedIt: boolean
}

/** What a tool answered, as a session keeps it. */
export interface SeenResult {
  readonly tool: string
  readonly args: unknown
  readonly text: string
  /** Where it came from, where that is known. */
  readonly host?: string
  /** The end of its text is missing. */
  readonly cut: boolean
}

/** What the tools of a session answered. */
export interface SeenResults {
  /** Oldest first, each once. Only appended to; another list begins when the oldest are forgotten. */
  readonly list: readonly SeenResult[]
  /** Some were cut, forgotten, or could not be read: what stands nowhere in the list may have stood there. */
  readonly incomplete: boolean
}

/** A session as a gate may see it. */
export interface SessionView {
  /** Names it in records and to services. Proves nothing: whoever knows it cannot speak for the session. */
  readonly id: string
  /** What the user asked, newest first: at most `turns` intents. Empty when the user said nothing yet. */
  intents(turns: number): readonly string[]
  /** Hosts that allowed outbound exchanges of this session went to. */
  readonly destinations: ReadonlySet<string>
  /** Texts that this session has seen and still holds: users', agents', tool results'. Newest last. */
  readonly heard: readonly string[]
  readonly results: SeenResults
  /**
   * The newest exchange with a model whose answer proposed this call, else the most recent one with tools, else the most recent; undefined when none is
   * remembered. A tool's name also counts when the model knew it under a prefix (`server__tool`).
   */
  conversation(call: { readonly tool: string; readonly args: unknown }): RecalledConversation | undefined
}

/** Names under which a message speaks of its conversation. */
export interface SessionHint {
  readonly contextId?: string
  readonly taskId?: string
}

export interface ChatMessage {
  readonly role: string
  readonly text: string
  readonly toolCalls?: readonly ProposedCall[]
  readonly toolCallId?: string
}

export interface ProposedCall {
  readonly id: string | undefined
  readonly tool: string
  /** The arguments as the model wrote them; text that may be no JSON. */
  readonly argumentsText: string
}

/** What a message taught, for the session. Written only when the message was allowed. */
export type Lesson =
  /** Somebody whom the agent serves spoke. Only from inbound requests. */
  | ({ readonly kind: 'user-message'; readonly text: string } & SessionHint)
  /** The agent answered; `asks`: it waits for the user's word. Only from inbound answers. */
  | ({ readonly kind: 'agent-message'; readonly text: string; readonly asks: boolean } & SessionHint)
  /** The agent's answer named the conversation: these names mean the same session from now on. */
  | ({ readonly kind: 'alias' } & SessionHint)
  | {
      readonly kind: 'inference'
      readonly model: string
      readonly messages: readonly ChatMessage[]
      readonly tools: readonly unknown[]
    }
  | {
      readonly kind: 'completion'
      readonly text: string
      readonly calls: readonly ProposedCall[]
      readonly usage: Readonly<Record<string, number>> | undefined
    }
  | {
      readonly kind: 'tool-result'
      readonly tool: string
      readonly args: unknown
      readonly text: string
      /** The end of the text is missing. */
      readonly cut?: true
    }
  /** A tool answered, and what it said could not be read, or not all of it. */
  | { readonly kind: 'unseen-result' }
  /**
   * A fact of the workload (`Exchange.notes`), kept for `session.ttl`. With `judged`, it is kept only when a gate
   * asked and allowed, not when it skipped.
   */
  | { readonly kind: 'note'; readonly key: string; readonly judged: boolean }

export interface OutboundQuery {
  readonly workload: string
  /** All values of the handle header as they were sent. */
  readonly handles: readonly string[]
  readonly traceId: string | undefined
}

export interface InboundQuery {
  readonly workload: string
  /** Who the caller is; conversations never cross subjects. Empty when nobody was authenticated. */
  readonly subject: string
  readonly traceId: string | undefined
  readonly hint: SessionHint | undefined
  /** Whether the message may start a session: it carries a user's message. */
  readonly speaks: boolean
}

/** An inbound exchange's hold on its session: in flight until `leave`. */
export interface InboundEntry {
  readonly view: SessionView
  /** `context`, `task` or `new`. */
  readonly method: string
  /** What goes into the handle header towards the agent. */
  readonly handle: string
  learn(lessons: readonly Lesson[]): void
  /** Idempotent. */
  leave(): void
}

/** The session store and resolver, as the pipeline uses them. Synchronous: no await between finding and writing. */
export interface Sessions {
  /** Finds without writing, for the gates of an inbound chain. */
  peek(query: InboundQuery): Resolution
  /** An admitted inbound request. `undefined`: it belongs to no session. `overloaded`: every session is in flight. */
  enter(query: InboundQuery): InboundEntry | 'overloaded' | undefined
  /** Which session an outbound exchange belongs to, and how we know. */
  resolve(query: OutboundQuery): Resolution
  /**
   * What an allowed outbound exchange taught its session; `host` was used by it. `exchange` is unique to it: by it a
   * `completion` finds the `inference` that it answers. `resultsBytes`: how much a gate wants of what tools answer; absent
   * where none does. Returns the session when it has results that it had not before.
   */
  learn(
    sessionId: string,
    lessons: readonly Lesson[],
    host: string | undefined,
    exchange: string,
    resultsBytes?: number,
  ): SessionView | undefined
  /**
   * What an allowed outbound exchange showed to a model and was answered, where no one session can be named for it.
   * `candidates`: the ids of those that it may be; a result that may be theirs is one that they lack.
   */
  learnStray(workload: string, lessons: readonly Lesson[], exchange: string, candidates: readonly string[]): void
  /** Plants `note` lessons of a workload. */
  note(workload: string, keys: readonly string[]): void
  notes(workload: string): { has(key: string): boolean }
  /** Figures for health and tests. */
  stats(): { readonly sessions: number; readonly inFlight: number; readonly tombstones: number }
}
