import type { Exchange } from '../../core/exchange.ts'
import type { AnswerReader } from '../../core/plugin.ts'
import type { Lesson } from '../../core/session.ts'
import { collectAnswer } from '../kit/answer.ts'
import type { Completion } from './dialect.ts'

/** Reads what a model answers, whole or in a stream. */
export function createAnswerReader(x: Exchange, completion: Completion): AnswerReader {
  let lessons: Lesson[] = []
  const collector = collectAnswer(x, {
    json: (value) => completion.take(value),
    event: (data) => {
      // The agent acts on what it has heard when it sees this mark, not when the connection ends.
      if (data.trim() === '[DONE]') lessons.push(...completion.lessons())
      else completion.take(parse(data))
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
      lessons.push(...completion.lessons())
      const details = { answer: form, ...completion.details, ...(unread === undefined ? {} : { unread }) }
      return { lessons: take(), details }
    },
  }
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return undefined
  }
}
