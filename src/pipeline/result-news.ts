import type { Gate, Placed } from '../core/plugin.ts'
import type { SessionView } from '../core/session.ts'

/**
 * Tells gates of the sessions that have new results, after what is decided now: whoever takes results into an index takes
 * time for it, and nobody should wait.
 */
export class ResultNews {
  readonly #gates: readonly Placed<Gate>[]
  readonly #failed: (gate: Placed<Gate>, cause: unknown) => void
  #waiting = new Set<SessionView>()

  constructor(gates: readonly Placed<Gate>[], failed: (gate: Placed<Gate>, cause: unknown) => void) {
    this.#gates = gates.filter(({ plugin }) => plugin.heard !== undefined)
    this.#failed = failed
  }

  tell(session: SessionView): void {
    if (this.#gates.length === 0) return
    if (this.#waiting.size === 0) setImmediate(() => this.#flush())
    this.#waiting.add(session)
  }

  #flush(): void {
    const sessions = this.#waiting
    this.#waiting = new Set()
    for (const session of sessions) {
      for (const gate of this.#gates) {
        try {
          gate.plugin.heard?.(session)
        } catch (cause) {
          this.#failed(gate, cause)
        }
      }
    }
  }
}
