/** What a gate says when it refuses. */
export interface Rejection {
  /** One of the codes in `docs/errors.md`, such as `ibac.blocked`. */
  readonly code: string
  readonly status: number
  /** One line for the caller: no untrusted text, no secret, nobody else's intent. */
  readonly message: string
  /**
   * Present: the agent's model is to act on it (ask its user) instead of failing. Several lines for the model; may hold
   * what the conversation holds. Where the message's own shape has no reader for it, the answer is a refusal with 403.
   */
  readonly clarification?: string
}

/** A rejection with what the caller's answer names beside it. */
export interface Refusal extends Rejection {
  /** The plugin's id, or `plumbline` for our own codes. */
  readonly plugin: string
  readonly requestId: string
}

/** An HTTP answer that we make ourselves. */
export interface Answer {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array
  /** Goes to Envoy's `%RESPONSE_CODE_DETAILS%`: the code, never content. */
  readonly details: string
}

export type RunAction = 'allow' | 'deny' | 'skip' | 'modify' | 'observe' | 'failed'

/** What a plugin did, for the record. */
export interface Run {
  readonly action: RunAction
  readonly reason: string
  readonly cached?: boolean
  readonly details?: Readonly<Record<string, unknown>>
  /** The whole verdict, for the record's `plugins`. */
  readonly verdict?: Readonly<Record<string, unknown>>
}

export type Ruling =
  { readonly allow: true; readonly run: Run } | { readonly allow: false; readonly no: Rejection; readonly run: Run }
