import { randomUUID } from 'node:crypto'
import type { Head, Notes } from '../core/exchange.ts'
import type { Caller } from '../core/handler.ts'
import type { InboundEntry, InboundQuery, Lesson, Resolution, Sessions, SessionView } from '../core/session.ts'
import type { Understood } from './readings.ts'

/** Towards the agent it names the session; from the agent it proves it. Never passes to an upstream. */
export const HANDLE_HEADER = 'x-plumbline-session'

export const NO_SESSION: Resolution = { certainty: 'none', method: 'none', candidates: [] }

/** What gates want of the results of tools. */
export interface ResultWishes {
  /** Undefined: nothing. */
  readonly resultsBytes: number | undefined
  readonly news: { tell(session: SessionView): void }
}

/** The session side of one exchange: whose it is, and what it teaches. */
export class ExchangeSession {
  resolution: Resolution = NO_SESSION
  private readonly sessions: Sessions
  private readonly caller: Caller
  private readonly head: Head
  private readonly traceId: string | undefined
  private readonly wishes: ResultWishes
  private entry: InboundEntry | undefined
  /** Unique to this exchange; a client's own request id is not. */
  private readonly exchange = randomUUID()
  /** A gate really asked and allowed, as opposed to skipped. */
  private judged = false

  constructor(sessions: Sessions, caller: Caller, head: Head, traceId: string | undefined, wishes: ResultWishes) {
    this.sessions = sessions
    this.caller = caller
    this.head = head
    this.traceId = traceId
    this.wishes = wishes
  }

  /**
   * Outbound, from the head: whose action this is. Before the message is read, so that the record of an unreadable one
   * names its session.
   */
  resolveHead(): void {
    if (this.caller.direction !== 'outbound') return
    const handles = this.head.headers.all(HANDLE_HEADER)
    this.resolution = this.sessions.resolve({ workload: this.caller.workload, handles, traceId: this.traceId })
  }

  /** Inbound, from what the message says of its conversation; nothing is written yet. */
  resolveMessage(understood: Understood): void {
    if (this.caller.direction === 'inbound') this.resolution = this.sessions.peek(this.query(understood))
  }

  /** Written before the allowing reply goes out, so that the agent's next call finds it. */
  learn(understood: Understood, judged: boolean): 'overloaded' | undefined {
    this.judged = judged
    this.takeNotes(understood.lessons)
    const lessons = withoutNotes(understood.lessons)
    if (this.caller.direction === 'outbound') {
      this.teach(lessons)
      return undefined
    }
    const entry = this.sessions.enter(this.query(understood))
    if (entry === 'overloaded') return entry
    if (entry === undefined) return undefined
    this.entry = entry
    this.resolution = { certainty: 'exact', method: entry.method, candidates: [entry.view] }
    entry.learn(lessons)
    return undefined
  }

  learnAnswer(lessons: readonly Lesson[]): void {
    this.takeNotes(lessons)
    const rest = withoutNotes(lessons)
    if (rest.length === 0) return
    if (this.caller.direction === 'inbound') this.entry?.learn(rest)
    else this.teach(rest)
  }

  /** The session, where there is exactly one. What could belong to several is taught to none of them. */
  get id(): string | undefined {
    const { certainty, candidates } = this.resolution
    return certainty === 'exact' || certainty === 'inferred' ? candidates[0]?.id : undefined
  }

  /** What the agent is given to prove later whose action it is. */
  get handle(): string | undefined {
    return this.entry?.handle
  }

  get notes(): Notes {
    return this.sessions.notes(this.caller.workload)
  }

  /** The inbound exchange is over: the session is no longer in flight by it. */
  leave(): void {
    this.entry?.leave()
  }

  private query(understood: Understood): InboundQuery {
    return {
      workload: this.caller.workload,
      subject: '',
      traceId: this.traceId,
      hint: understood.hint,
      speaks: understood.lessons.some((l) => l.kind === 'user-message'),
    }
  }

  private teach(lessons: readonly Lesson[]): void {
    const { id, resolution, exchange } = this
    const { workload, routesByHost } = this.caller
    if (id !== undefined) {
      const host = routesByHost ? this.head.host : undefined
      const news = this.sessions.learn(id, lessons, host, exchange, this.wishes.resultsBytes)
      if (news !== undefined) this.wishes.news.tell(news)
    } else if (resolution.certainty !== 'lost') {
      const candidates = resolution.candidates.map((candidate) => candidate.id)
      this.sessions.learnStray(workload, lessons, exchange, candidates)
    }
  }

  private takeNotes(lessons: readonly Lesson[]): void {
    const keys = lessons.flatMap((l) => (l.kind === 'note' && (this.judged || !l.judged) ? [l.key] : []))
    if (keys.length > 0) this.sessions.note(this.caller.workload, keys)
  }
}

function withoutNotes(lessons: readonly Lesson[]): readonly Lesson[] {
  return lessons.filter((l) => l.kind !== 'note')
}
