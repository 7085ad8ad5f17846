import type { ByteBudget } from '../core/byte-budget.ts'
import type { AnswerHead, Exchange } from '../core/exchange.ts'
import type { AnswerReader, Parser, Placed, Reading } from '../core/plugin.ts'
import type { Run } from '../core/ruling.ts'
import type { Lesson } from '../core/session.ts'
import { openDecoder, type DecodeLimits } from '../http/decode.ts'
import type { PlainCall } from '../http/plain-call.ts'
import { readHttpResult } from './http-result.ts'
import type { Recorder } from './recorder.ts'

/** An answer that is read in passing: its bytes go on as they are. */
export interface AnswerReading {
  /**
   * `last`: the answer's last bytes. Does nothing once reading stopped. Undefined: what the bytes teach is learnt; else
   * it settles when it is.
   */
  feed(raw: Uint8Array, last: boolean): Promise<void> | undefined
  /** Undefined when all is read already; else it settles when the decoder has caught up. */
  end(how: 'complete' | 'cut'): Promise<void> | undefined
}

/** An answer that is read as a tool's, in our own name. */
export interface PlainAnswer {
  readonly call: PlainCall
  readonly maxBytes: number
}

export interface AnswerReadingOptions {
  readonly parsers: readonly Placed<Parser>[]
  /** Readings of the request, by plugin id. */
  readonly byParser: ReadonlyMap<string, Reading>
  readonly plain: PlainAnswer | undefined
  readonly x: Exchange
  readonly answer: AnswerHead
  readonly limits: DecodeLimits
  /** Shared by all answers that are read at once. */
  readonly budget: ByteBudget
  readonly recorder: Recorder
  readonly onLessons: (lessons: readonly Lesson[]) => void
}

interface Reader {
  readonly reader: GuardedReader
  readonly note: Note
}

/** Says on the record what became of the reading. */
type Note = (run: Run) => void

/** A reader that never throws. */
interface GuardedReader {
  feed: AnswerReader['feed']
  /** Undefined when it failed, which is recorded. */
  end(how: 'complete' | 'cut'): ReturnType<AnswerReader['end']> | undefined
}

/** Undefined when nobody wants the answer: then it is not asked for. */
export function createAnswerReading(options: AnswerReadingOptions): AnswerReading | undefined {
  const { onLessons, budget } = options
  const readers = [...openReaders(options), ...openPlain(options)]
  if (readers.length === 0) return undefined

  let ended = false
  let taken = 0
  const finish = (how: 'complete' | 'cut', why: string | undefined): void => {
    if (ended) return
    ended = true
    budget.give(taken)
    for (const { reader, note } of readers) {
      const end = reader.end(how)
      if (end === undefined) continue
      const { lessons, details } = end
      const all = why === undefined ? details : { ...details, [why]: true }
      note({ action: 'observe', reason: 'read', details: all })
      onLessons(lessons)
    }
  }
  /** Readers may hold what they are given, and a decoder what it was fed, so all of it counts. */
  const affords = (bytes: number): boolean => {
    if (ended) return false
    if (budget.take(bytes)) {
      taken += bytes
      return true
    }
    finish('cut', 'answer_truncated')
    return false
  }
  const pour = (bytes: Uint8Array): void => {
    if (!affords(bytes.length)) return
    for (const { reader } of readers) {
      const lessons = reader.feed(bytes)
      if (lessons.length > 0) onLessons(lessons)
    }
  }
  const decoder = openDecoder(options.answer.headers, options.limits, pour)
  if (decoder === undefined) {
    finish('cut', 'answer_undecodable')
    return undefined
  }
  const endOfDecoder = (how: 'complete' | 'cut'): Promise<void> =>
    decoder.end().then((end) => {
      if (end === 'whole') finish(how, undefined)
      else finish('cut', end === 'over-limit' ? 'answer_truncated' : 'answer_undecodable')
    })
  let ending: Promise<void> | undefined
  return {
    feed: (raw, last) => {
      if (ending !== undefined) return undefined
      const reading = raw.length > 0 && affords(raw.length) ? decoder.feed(raw) : undefined
      // Much is only learnt from the whole, and the client may ask again as soon as it has it.
      return last ? (ending = endOfDecoder('complete')) : reading
    },
    end: (how) => {
      ending ??= endOfDecoder(how)
      return ended ? undefined : ending
    },
  }
}

function openReaders(options: AnswerReadingOptions): readonly Reader[] {
  const { parsers, byParser, x, recorder } = options
  const readers: Reader[] = []
  for (const { id, plugin } of parsers) {
    const note: Note = (run) => {
      recorder.add(id, run, 'response')
    }
    try {
      const reader = plugin.readAnswer(x, byParser.get(id))
      if (reader !== undefined) readers.push({ reader: guarded(reader, note), note })
    } catch {
      note(FAILED)
    }
  }
  return readers
}

/** What no parser claimed, for gates that look at what tools answer. */
function openPlain({ plain, answer, recorder, onLessons }: AnswerReadingOptions): readonly Reader[] {
  if (plain === undefined) return []
  const note: Note = (run) => {
    recorder.own(run, false, 'response')
  }
  const reader = readHttpResult(plain.call, answer, plain.maxBytes)
  if (reader !== 'not_text') return [{ reader: guarded(reader, note), note }]
  onLessons([{ kind: 'unseen-result' }])
  note({ action: 'observe', reason: 'read', details: { tool: plain.call.tool, answer: reader } })
  return []
}

const FAILED: Run = { action: 'failed', reason: 'plugin_failed' }

/** A reader that fails loses its words, not the answer: the bytes go on, and the record says `failed`. */
function guarded(reader: AnswerReader, note: Note): GuardedReader {
  let failed = false
  const attempt = <T>(work: () => T): T | undefined => {
    if (failed) return undefined
    try {
      return work()
    } catch {
      failed = true
      note(FAILED)
      return undefined
    }
  }
  return {
    feed: (bytes) => attempt(() => checked(reader.feed(bytes))) ?? [],
    end: (how) =>
      attempt(() => {
        const end = reader.end(how)
        checked(end.lessons)
        return end
      }),
  }
}

function checked(lessons: readonly Lesson[]): readonly Lesson[] {
  const returned: unknown = lessons
  if (!Array.isArray(returned)) throw new TypeError('the reader returned no lessons')
  return lessons
}
