import type { Gate, Placed } from '../core/plugin.ts'
import type { SessionView } from '../core/session.ts'

/**
 * Tells gates of the sessions that have new results, after what is decided now: whoever takes results into an index takes
 * time for it, and nobody should wait.
 */
export class ResultNews {
  readonly #gates: readonly Placed<Gate>[]
  readonly #failed: (gate: Placed<Gate>, cause: unknown) => void
  #waiting = new Map<SessionView, Set<Placed<Gate>>>()

  constructor(gates: readonly Placed<Gate>[], failed: (gate: Placed<Gate>, cause: unknown) => void) {
    this.#gates = gates.filter(({ plugin }) => plugin.heard !== undefined)
    this.#failed = failed
  }

  tell(session: SessionView): void {
    for (const gate of this.#gates) this.#tell(gate, session)
  }

  #tell(gate: Placed<Gate>, session: SessionView): void {
    if (this.#waiting.size === 0) setImmediate(() => this.#flush())
    let gates = this.#waiting.get(session)
    if (gates === undefined) this.#waiting.set(session, (gates = new Set()))
    gates.add(gate)
  }

  #flush(): void {
    const waiting = this.#waiting
    this.#waiting = new Map()
    for (const [session, gates] of waiting) for (const gate of gates) this.#hear(gate, session)
  }

  #hear(gate: Placed<Gate>, session: SessionView): void {
    try {
      if (gate.plugin.heard?.(session) === 'more') this.#tell(gate, session)
    } catch (cause) {
      this.#failed(gate, cause)
    }
  }
}
