import type { Exchange } from '../../core/exchange.ts'
import type { AnswerReader } from '../../core/plugin.ts'
import type { Lesson } from '../../core/session.ts'
import { collectAnswer } from './answer.ts'

/** What a parser makes of the values in an answer: the whole of it, or its events one after the other. */
export interface Hearing {
  /** Returns what is certain after this value. */
  hear(value: unknown): readonly Lesson[]
  /** Data of an event that is no JSON. */
  mark?(data: string): readonly Lesson[]
  /** What `hear` and `mark` have not returned. */
  rest(): readonly Lesson[]
  /** For the record, after `rest`. */
  readonly details: Readonly<Record<string, unknown>>
}

/** Reads an answer in passing for the lessons in it, as JSON or as a stream of events that hold JSON. */
export function readLessons(x: Exchange, hearing: Hearing): AnswerReader {
  let lessons: Lesson[] = []
  const collector = collectAnswer(x, {
    json: (value) => lessons.push(...hearing.hear(value)),
    event: (data) => {
      const parsed = parse(data)
      lessons.push(...(parsed === undefined ? (hearing.mark?.(data) ?? []) : hearing.hear(parsed.value)))
    },
  })
  function take(): readonly Lesson[] {
    const taken = lessons
    lessons = []
    return taken
  }
  return {
    feed(bytes) {
      collector.feed(bytes)
      return take()
    },
    end(how) {
      const { form, unread } = collector.end(how)
      lessons.push(...hearing.rest())
      const details = { answer: form, ...hearing.details, ...(unread === undefined ? {} : { unread }) }
      return { lessons: take(), details }
    },
  }
}

/** As clients read it: the bytes go on to them whatever we think of them. */
function parse(data: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(data) as unknown }
  } catch {
    return undefined
  }
}
