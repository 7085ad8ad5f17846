import type { ByteBudget } from '../core/byte-budget.ts'
import type { AnswerHead, Exchange } from '../core/exchange.ts'
import type { AnswerReader, Parser, Placed, Reading } from '../core/plugin.ts'
import type { Lesson } from '../core/session.ts'
import { openDecoder, type DecodeLimits } from '../http/decode.ts'
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

export interface AnswerReadingOptions {
  readonly parsers: readonly Placed<Parser>[]
  /** Readings of the request, by plugin id. */
  readonly byParser: ReadonlyMap<string, Reading>
  readonly x: Exchange
  readonly answer: AnswerHead
  readonly limits: DecodeLimits
  /** Shared by all answers that are read at once. */
  readonly budget: ByteBudget
  readonly recorder: Recorder
  readonly onLessons: (lessons: readonly Lesson[]) => void
}

interface Reader {
  readonly placed: Placed<Parser>
  readonly reader: GuardedReader
}

/** A parser's reader that never throws. */
interface GuardedReader {
  feed: AnswerReader['feed']
  /** Undefined when it failed, which is recorded. */
  end(how: 'complete' | 'cut'): ReturnType<AnswerReader['end']> | undefined
}

/** Undefined when no parser wants the answer: then it is not asked for. */
export function createAnswerReading(options: AnswerReadingOptions): AnswerReading | undefined {
  const { recorder, onLessons, budget } = options
  const readers = openReaders(options)
  if (readers.length === 0) return undefined

  let ended = false
  let taken = 0
  const finish = (how: 'complete' | 'cut', why: string | undefined): void => {
    if (ended) return
    ended = true
    budget.give(taken)
    for (const { placed, reader } of readers) {
      const end = reader.end(how)
      if (end === undefined) continue
      const { lessons, details } = end
      const all = why === undefined ? details : { ...details, [why]: true }
      recorder.add(placed.id, { action: 'observe', reason: 'read', details: all }, 'response')
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
      if (last) ending = endOfDecoder('complete')
      return reading
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
  for (const placed of parsers) {
    try {
      const reader = placed.plugin.readAnswer(x, byParser.get(placed.id))
      if (reader !== undefined) readers.push({ placed, reader: guarded(placed, reader, recorder) })
    } catch {
      recorder.add(placed.id, { action: 'failed', reason: 'plugin_failed' }, 'response')
    }
  }
  return readers
}

/** A reader that fails loses its words, not the answer: the bytes go on, and the record says `failed`. */
function guarded(placed: Placed<Parser>, reader: AnswerReader, recorder: Recorder): GuardedReader {
  let failed = false
  const attempt = <T>(work: () => T): T | undefined => {
    if (failed) return undefined
    try {
      return work()
    } catch {
      failed = true
      recorder.add(placed.id, { action: 'failed', reason: 'plugin_failed' }, 'response')
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
