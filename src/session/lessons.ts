import type { ChatMessage, Lesson } from '../core/session.ts'
import type { Conversations } from './conversations.ts'
import type { SessionRecord } from './record.ts'

/** What the agent's model was shown by others. Its own words, and its operator's, prove nothing about the world. */
const SHOWN_TO_THE_MODEL: ReadonlySet<string> = new Set(['user', 'tool', 'function'])

/** Remembers the texts of a lesson that anyone may teach, also the agent. */
export function hear(record: SessionRecord, lesson: Lesson): void {
  switch (lesson.kind) {
    case 'tool-result':
    case 'agent-message':
      record.heard.add(lesson.text)
      return
    case 'inference':
      for (const text of shownTexts(lesson.messages)) record.heard.add(text)
      return
    // A user's message is an intent, names are the directory's, notes are the workload's.
    case 'user-message':
    case 'alias':
    case 'note':
    case 'completion':
    case 'unseen-result':
      return
  }
}

/** Remembers what the agent's model was shown, and what it proposed: the agent's own exchanges only. */
export function remember(conversations: Conversations, lesson: Lesson, exchange: string): void {
  if (lesson.kind === 'inference') conversations.ask(exchange, lesson.messages, lesson.tools)
  if (lesson.kind === 'completion') conversations.propose(exchange, lesson.calls)
}

function shownTexts(messages: readonly ChatMessage[]): string[] {
  return messages.filter((message) => SHOWN_TO_THE_MODEL.has(message.role)).map((message) => message.text)
}
