import type { Conversation, Lesson } from '../core/session.ts'
import type { Total } from './total.ts'
import { Conversations } from './conversations.ts'
import { remember } from './lessons.ts'
import { LIMITS } from './limits.ts'
import type { Call } from './proposals.ts'

interface Pool {
  readonly conversations: Conversations
  lastMs: number
}

/**
 * Exchanges with models that could not be told to be one session's, by workload: several users at once and an agent that
 * passes on no handle, or no user at all. Such a conversation is found by the very call that it led to, and never as
 * "the most recent".
 */
export class Strays {
  readonly #pools = new Map<string, Pool>()
  readonly #total: Total
  readonly #ttlMs: number

  constructor(total: Total, ttlMs: number) {
    this.#total = total
    this.#ttlMs = ttlMs
  }

  learn(workload: string, lessons: readonly Lesson[], exchange: string, nowMs: number): void {
    const telling = lessons.filter(({ kind }) => kind === 'inference' || kind === 'completion')
    if (telling.length === 0) return
    const pool = this.#pools.get(workload) ?? {
      conversations: new Conversations(this.#total, LIMITS.strayConversations),
      lastMs: nowMs,
    }
    this.#pools.set(workload, pool)
    pool.lastMs = nowMs
    for (const lesson of telling) remember(pool.conversations, lesson, exchange)
  }

  recall(workload: string, call: Call): Conversation | undefined {
    return this.#pools.get(workload)?.conversations.recallOnly(call)
  }

  /** Forgets the workloads that have asked nothing for as long as a session lives. */
  sweep(nowMs: number): void {
    for (const [workload, pool] of this.#pools) {
      if (nowMs - pool.lastMs <= this.#ttlMs) continue
      pool.conversations.release()
      this.#pools.delete(workload)
    }
  }
}
