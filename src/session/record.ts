import type { SessionView } from '../core/session.ts'
import { Conversations } from './conversations.ts'
import { publicId } from './handle.ts'
import { Heard, type HeardTotal } from './heard.ts'
import { Intents } from './intents.ts'
import { LIMITS } from './limits.ts'
import { RecentMap } from './recent-map.ts'
import { Results } from './results.ts'
import type { Total } from './total.ts'

/** Keys in the order of last use. */
export type RecentKeys = RecentMap<string, true>

/** What all sessions hold together. */
export interface Totals {
  readonly heard: HeardTotal
  readonly conversations: Total
  readonly results: Total
}

/** One conversation, as the store keeps it. Gates see its `view` only. */
export class SessionRecord {
  /** The name that everybody may know. */
  readonly id: string
  /** Only for the agent. */
  readonly handle: string
  readonly workload: string
  readonly view: SessionView
  readonly intents = new Intents()
  readonly heard: Heard
  readonly conversations: Conversations
  readonly results: Results

  /** What the directory finds it by. Only the directory writes these. */
  readonly contexts: RecentKeys = new RecentMap()
  readonly tasks: RecentKeys = new RecentMap()
  readonly spokenTraces: RecentKeys = new RecentMap()
  readonly otherTraces: RecentKeys = new RecentMap()

  /** Inbound exchanges that are open. Only the population writes it and `lastActiveMs`. */
  open = 0
  lastActiveMs: number
  /** Position of its newest user message among all of the store; 0 before the first. */
  lastTurn = 0
  /** The agent's newest answer waits for the user's word. */
  asked = false

  readonly #destinations = new Set<string>()

  constructor(handle: string, workload: string, nowMs: number, maxEvents: number, totals: Totals) {
    this.id = publicId(handle)
    this.handle = handle
    this.workload = workload
    this.lastActiveMs = nowMs
    this.heard = new Heard(maxEvents, totals.heard)
    this.conversations = new Conversations(totals.conversations)
    this.results = new Results(totals.results)
    this.view = viewOf(this, this.#destinations)
  }

  /** It is over: its texts no longer count. Who still looks at them may go on. */
  release(): void {
    this.heard.release()
    this.conversations.release()
    this.results.release()
  }

  wentTo(host: string): void {
    this.#destinations.delete(host)
    this.#destinations.add(host)
    for (const unusedLongest of this.#destinations) {
      if (this.#destinations.size <= LIMITS.destinations) return
      this.#destinations.delete(unusedLongest)
    }
  }
}

function viewOf(record: SessionRecord, destinations: ReadonlySet<string>): SessionView {
  return {
    id: record.id,
    destinations,
    intents: (turns) => record.intents.newestFirst(turns),
    results: record.results,
    conversation: (call) => record.conversations.recall(call),
    get heard() {
      // A user's message that the ring has lost is older than all that the ring still holds.
      const outlived = record.intents.messages().filter((message) => !record.heard.has(message))
      return [...outlived, ...record.heard.texts()]
    },
  }
}
