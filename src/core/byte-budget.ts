/** Bytes that are held at once, over all exchanges. */
export interface ByteBudget {
  /** False, and nothing taken, when it would go over the limit. */
  take(bytes: number): boolean
  give(bytes: number): void
  readonly taken: number
}

export function createByteBudget(limitBytes: number): ByteBudget {
  let taken = 0
  return {
    take(bytes) {
      if (taken + bytes > limitBytes) return false
      taken += bytes
      return true
    },
    give(bytes) {
      taken -= bytes
    },
    get taken() {
      return taken
    },
  }
}
