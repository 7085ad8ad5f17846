import type { CompletionGuard, FoundCall, Guarded } from '../../../src/core/plugin.ts'
import type { Refusal } from '../../../src/core/ruling.ts'
import type { Lesson } from '../../../src/core/session.ts'
import { createInferenceParser } from '../../../src/parsers/inference-parser/index.ts'
import { answered, exchangeOf } from './exchange.ts'

const encoder = new TextEncoder()

export const EVENTS = 'text/event-stream'
export const JSON_TYPE = 'application/json'

const PATHS = { chat: '/v1/chat/completions', anthropic: '/v1/messages' } as const
export type GuardedDialect = keyof typeof PATHS

/** A guard for the answer to a plain request of this dialect. */
export function openGuard(dialect: GuardedDialect, contentType: string): CompletionGuard {
  const parser = createInferenceParser(['peer.test'])
  const { x, body } = exchangeOf({ path: PATHS[dialect], body: { model: 'asked', messages: [] } })
  const read = parser.read(x, body)
  const guard = read.kind === 'read' ? parser.guardAnswer?.(answered(x, contentType), read) : undefined
  if (guard === undefined) throw new Error('no guard')
  return guard
}

/** A refusal whose words take the place of the call. */
export function refusing(clarification?: string): Refusal {
  const no = { code: 'test.no', status: 403, message: 'Not now', plugin: 'test', requestId: 'r-1' }
  return clarification === undefined ? no : { ...no, clarification }
}

/** What a guard gave away, all in all. */
export interface Played {
  readonly out: string
  readonly calls: readonly FoundCall[]
  readonly lessons: readonly Lesson[]
  readonly unreadable: readonly string[]
}

/** Drives a guard, and keeps what came of it. */
export interface Player extends Played {
  readonly guard: CompletionGuard
  feed(bytes: string | Uint8Array): string
  end(how?: 'complete' | 'cut'): string
  rule(callId: number, no?: Refusal): string
  abandon(no?: Refusal): string
}

export function play(dialect: GuardedDialect, contentType: string): Player {
  const guard = openGuard(dialect, contentType)
  const pieces: Uint8Array[] = []
  const calls: FoundCall[] = []
  const lessons: Lesson[] = []
  const unreadable: string[] = []
  function take(guarded: Guarded): string {
    pieces.push(...guarded.out)
    calls.push(...guarded.calls)
    lessons.push(...guarded.lessons)
    if (guarded.unreadable !== undefined) unreadable.push(guarded.unreadable)
    return Buffer.concat(guarded.out).toString()
  }
  return {
    guard,
    get out() {
      return Buffer.concat(pieces).toString()
    },
    calls,
    lessons,
    unreadable,
    feed: (bytes) => take(guard.feed(typeof bytes === 'string' ? encoder.encode(bytes) : bytes)),
    end: (how = 'complete') => take(guard.end(how)),
    rule: (callId, no) => take(guard.rule(callId, no)),
    abandon: (no) => take(guard.abandon(no)),
  }
}

export type RuleOf = (call: FoundCall) => Refusal | undefined

/** Feeds the whole answer, ruling on each call as soon as it is found. */
export function playAll(
  dialect: GuardedDialect,
  contentType: string,
  pieces: readonly (string | Uint8Array)[],
  ruleOf: RuleOf,
): Player {
  const player = play(dialect, contentType)
  let ruled = 0
  const ruleNew = (): void => {
    for (; ruled < player.calls.length; ruled++) {
      const call = player.calls[ruled]
      if (call !== undefined) player.rule(call.id, ruleOf(call))
    }
  }
  for (const piece of pieces) {
    player.feed(piece)
    ruleNew()
  }
  player.end()
  ruleNew()
  return player
}
