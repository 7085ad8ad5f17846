import type { InboundEntry, InboundQuery, Lesson, Resolution, SessionHint } from '../core/session.ts'
import { exact, nobody } from './candidates.ts'
import { hear } from './lessons.ts'
import { nameKey, traceKey } from './names.ts'
import type { SessionRecord } from './record.ts'
import type { Store } from './store.ts'
import type { Tombstone } from './tombstones.ts'

interface Keys {
  readonly context: string | undefined
  readonly task: string | undefined
}

type Found = { readonly record: SessionRecord; readonly method: 'context' | 'task' }

/** Inbound requests: which conversation they belong to, and what they teach it. */
export class Inbound {
  readonly #store: Store
  #turns = 0

  constructor(store: Store) {
    this.#store = store
  }

  peek(query: InboundQuery): Resolution {
    this.#store.sweep()
    const found = this.#find(keysOf(query, query.hint))
    if (found !== undefined) return exact(found.method, found.record)
    return nobody('none', query.speaks ? 'new' : 'none')
  }

  enter(query: InboundQuery): InboundEntry | 'overloaded' | undefined {
    this.#store.sweep()
    const keys = keysOf(query, query.hint)
    const found = this.#find(keys)
    if (found !== undefined) return this.#join(found, query, keys)
    return query.speaks ? this.#begin(query, keys) : undefined
  }

  #join(found: Found, query: InboundQuery, keys: Keys): InboundEntry {
    const { record, method } = found
    this.#store.population.enter(record)
    if (query.speaks) this.#bind(record, 'context', keys.context)
    else this.#refresh(record, 'context', keys.context)
    // Task names are the server's to give: a client's claim makes none in a session that there is.
    this.#refresh(record, 'task', keys.task)
    return this.#entry(record, method, query)
  }

  #begin(query: InboundQuery, keys: Keys): InboundEntry | 'overloaded' {
    const record = this.#store.start(query.workload, this.#stoneOf(keys))
    if (record === undefined) return 'overloaded'
    this.#bind(record, 'context', keys.context)
    this.#bind(record, 'task', keys.task)
    return this.#entry(record, 'new', query)
  }

  #find(keys: Keys): Found | undefined {
    const byContext = this.#store.directory.named(keys.context)
    if (byContext !== undefined) return { record: byContext, method: 'context' }
    const byTask = this.#store.directory.named(keys.task)
    return byTask && { record: byTask, method: 'task' }
  }

  #stoneOf(keys: Keys): Tombstone | undefined {
    return this.#store.tombstones.named(keys.context) ?? this.#store.tombstones.named(keys.task)
  }

  #entry(record: SessionRecord, method: InboundEntry['method'], query: InboundQuery): InboundEntry {
    const trace = traceKey(query.workload, query.traceId)
    if (trace !== undefined) this.#store.directory.bindTrace(record, trace, query.speaks)
    let open = true
    return {
      view: record.view,
      method,
      handle: record.handle,
      learn: (lessons) => {
        // Its answer may end after the session did. A name that a dead session took would hide the living one.
        if (!this.#store.population.has(record)) return
        for (const lesson of lessons) this.#learn(record, query, lesson)
      },
      leave: () => {
        if (!open) return
        open = false
        this.#store.population.leave(record, this.#store.nowMs())
      },
    }
  }

  #learn(record: SessionRecord, query: InboundQuery, lesson: Lesson): void {
    hear(record, lesson)
    if (lesson.kind === 'user-message')
      this.#hearUser(record, lesson.text, taskKey(query, lesson.taskId ?? query.hint?.taskId))
    if (lesson.kind === 'agent-message') record.asked = lesson.asks
    if (lesson.kind === 'agent-message' || lesson.kind === 'alias') {
      const keys = keysOf(query, lesson)
      this.#bind(record, 'context', keys.context)
      this.#bind(record, 'task', keys.task)
    }
  }

  #hearUser(record: SessionRecord, text: string, task: string | undefined): void {
    const ofItsTask = this.#store.directory.named(task) === record
    const said = record.intents.say(text, ofItsTask || record.asked)
    if (said === undefined) return
    record.heard.add(said)
    record.lastTurn = ++this.#turns
  }

  #bind(record: SessionRecord, kind: 'context' | 'task', key: string | undefined): void {
    if (key !== undefined) this.#store.directory.bindName(record, kind, key)
  }

  #refresh(record: SessionRecord, kind: 'context' | 'task', key: string | undefined): void {
    if (this.#store.directory.named(key) === record) this.#bind(record, kind, key)
  }
}

/** Empty names are none: a client that fills its fields with them has said nothing. */
function keysOf(query: InboundQuery, hint: SessionHint | undefined): Keys {
  return {
    context: hint?.contextId ? nameKey(query, 'context', hint.contextId) : undefined,
    task: taskKey(query, hint?.taskId),
  }
}

function taskKey(query: InboundQuery, taskId: string | undefined): string | undefined {
  return taskId ? nameKey(query, 'task', taskId) : undefined
}
