import type { Exchange } from '../../core/exchange.ts'
import type { AnswerReader } from '../../core/plugin.ts'
import type { Lesson } from '../../core/session.ts'
import { collectAnswer } from '../kit/answer.ts'
import { createListener } from './said.ts'

/** Reads what the agent answers: names of the conversation at once, words when the agent has spoken. */
export function createAnswerReader(x: Exchange): AnswerReader {
  const listener = createListener()
  let lessons: Lesson[] = []
  const collector = collectAnswer(x, {
    json: (value) => lessons.push(...listener.hear(value)),
    event: (data) => lessons.push(...listener.hear(parse(data))),
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
      lessons.push(...listener.end())
      return { lessons: take(), details: { answer: form, ...(unread === undefined ? {} : { unread }) } }
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
