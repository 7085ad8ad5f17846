import type { Action } from '../core/action.ts'
import type { Body, Exchange } from '../core/exchange.ts'
import type { NonEmpty, Parser, Placed, Reading, ReadResult } from '../core/plugin.ts'
import type { Refusal } from '../core/ruling.ts'
import type { Lesson, SessionHint } from '../core/session.ts'
import { plainRefusal } from '../parsers/kit/refusal.ts'
import type { Recorder } from './recorder.ts'
import { isReadResult } from './results.ts'

/** An action, and the reading that found it, which renders the no. */
export interface Found {
  readonly action: Action
  readonly reading: Reading
}

/** All parsers' readings of one message, made one. */
export interface Understood {
  readonly kind: 'understood'
  readonly found: NonEmpty<Found>
  readonly hint: SessionHint | undefined
  readonly lessons: readonly Lesson[]
  /** By plugin id, for reading the answer. */
  readonly byParser: ReadonlyMap<string, Reading>
}

export interface Unreadable {
  readonly kind: 'unreadable'
  readonly code:
    'plumbline.unreadable' | 'plumbline.unsupported_encoding' | 'plumbline.too_large' | 'plumbline.plugin_failed'
  readonly why: string
  /** The parsers that said so; empty when it was the framework. */
  readonly by: readonly Placed<Parser>[]
  readonly cause?: unknown
  readonly refuse: (no: Refusal) => ReturnType<typeof plainRefusal>
}

/** The reading that every message ends in when no parser claimed it. */
function httpReading(x: Exchange): Reading {
  const read = x.request.method === 'GET' || x.request.method === 'HEAD'
  return {
    kind: 'read',
    actions: [{ kind: 'unclassified', effect: read ? 'read' : 'write', home: 'unstated' }],
    method: undefined,
    sure: false,
    hint: undefined,
    lessons: [],
    details: {},
    refuse: plainRefusal,
  }
}

/** A message whose body was not asked for: no parser reads it, and the record says so. */
export function unread(parsers: readonly Placed<Parser>[], x: Exchange, recorder: Recorder): Understood {
  for (const placed of parsers) recorder.add(placed.id, { action: 'skip', reason: 'body_not_read' }, 'request')
  const reading = httpReading(x)
  return {
    kind: 'understood',
    found: [{ action: reading.actions[0], reading }],
    hint: undefined,
    lessons: [],
    byParser: new Map(),
  }
}

/** Shows the message to every parser of the chain, and merges what they say. Records one entry per parser. */
export function readMessage(
  parsers: readonly Placed<Parser>[],
  x: Exchange,
  body: Body,
  recorder: Recorder,
): Understood | Unreadable {
  if (body.kind === 'over-limit') {
    const why = `the decoded body is larger than ${body.limitBytes} bytes`
    return { kind: 'unreadable', code: 'plumbline.too_large', why, by: [], refuse: plainRefusal }
  }
  const readings: { readonly placed: Placed<Parser>; readonly reading: Reading }[] = []
  const refused: {
    readonly placed: Placed<Parser>
    readonly result: Exclude<ReadResult, Reading | { kind: 'not-mine' }>
  }[] = []
  for (const placed of parsers) {
    let result: ReadResult
    try {
      result = placed.plugin.read(x, body)
      if (!isReadResult(result)) throw new TypeError('the parser returned no reading')
    } catch (cause) {
      recorder.add(placed.id, { action: 'failed', reason: 'plugin_failed' }, 'request')
      return {
        kind: 'unreadable',
        code: 'plumbline.plugin_failed',
        why: `${placed.id} failed`,
        by: [placed],
        cause,
        refuse: plainRefusal,
      }
    }
    if (result.kind === 'not-mine') recorder.add(placed.id, { action: 'skip', reason: 'not_mine' }, 'request')
    else if (result.kind === 'unreadable') refused.push({ placed, result })
    else readings.push({ placed, reading: result })
  }
  const first = refused[0]
  if (first !== undefined) {
    for (const { placed, result } of refused) {
      recorder.add(
        placed.id,
        { action: 'deny', reason: 'unreadable', details: { why: result.why } },
        'request',
        placed.mode,
      )
    }
    for (const { placed } of readings) recorder.add(placed.id, { action: 'skip', reason: 'unreadable' }, 'request')
    return {
      kind: 'unreadable',
      code: first.result.code,
      why: first.result.why,
      by: refused.map((r) => r.placed),
      refuse: first.result.refuse ?? plainRefusal,
    }
  }
  return merge(readings, x, recorder)
}

/**
 * Two parsers may read one message. One that is sure outranks one that is not; an action outranks mechanics; parsers
 * that differ on which method it is make the message unreadable.
 */
function merge(
  all: readonly { readonly placed: Placed<Parser>; readonly reading: Reading }[],
  x: Exchange,
  recorder: Recorder,
): Understood | Unreadable {
  const someoneIsSure = all.some((r) => r.reading.sure)
  const kept = all.filter((r) => r.reading.sure || !someoneIsSure)
  for (const { placed, reading } of all) {
    const run = kept.some((r) => r.placed === placed)
      ? ({ action: 'observe', reason: 'read', details: reading.details } as const)
      : ({ action: 'skip', reason: 'other_protocol' } as const)
    recorder.add(placed.id, run, 'request')
  }
  const methods = new Set(kept.flatMap((r) => (r.reading.method === undefined ? [] : [r.reading.method])))
  if (methods.size > 1) {
    return {
      kind: 'unreadable',
      code: 'plumbline.unreadable',
      why: 'two parsers read different methods',
      by: kept.map((r) => r.placed),
      refuse: (no) => kept[0]?.reading.refuse(no) ?? plainRefusal(no),
    }
  }
  const found = actionsOf(kept.map((r) => r.reading))
  const fallback = httpReading(x)
  return {
    kind: 'understood',
    found: found ?? [{ action: fallback.actions[0], reading: fallback }],
    hint: kept.find((r) => r.reading.hint !== undefined)?.reading.hint,
    lessons: kept.flatMap((r) => r.reading.lessons),
    byParser: new Map(kept.map((r) => [r.placed.id, r.reading])),
  }
}

/** Two readings of the same method are two views of one action: the first that sees an action speaks for both. */
function actionsOf(readings: readonly Reading[]): NonEmpty<Found> | undefined {
  const acting = readings.filter((r) => r.actions.some((a) => a.kind !== 'mechanics'))
  const speaking = acting.length > 0 ? acting : readings
  const methodsSeen = new Set<string>()
  const found: Found[] = []
  for (const reading of speaking) {
    if (reading.method !== undefined) {
      if (methodsSeen.has(reading.method)) continue
      methodsSeen.add(reading.method)
    }
    for (const action of reading.actions) {
      if (acting.length > 0 && action.kind === 'mechanics') continue
      found.push({ action, reading })
    }
  }
  const [head, ...rest] = found
  return head === undefined ? undefined : [head, ...rest]
}
