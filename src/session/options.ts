/** The `session` block of the configuration, in milliseconds. */
export interface SessionOptions {
  readonly enabled: boolean
  readonly ttlMs: number
  /** Texts that a session keeps besides what the user asked. */
  readonly maxEvents: number
  readonly maxSessions: number
  readonly lingerMs: number
  readonly maxTombstones: number
  readonly tombstoneTtlMs: number
}

/** Monotone. */
export interface Clock {
  nowMs(): number
}
