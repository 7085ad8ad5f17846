import type { ChatMessage, Lesson, ProposedCall } from '../core/session.ts'

/** What a tool answered, as somebody told of it. */
export interface Sight {
  /** Empty where nobody knows which it was. */
  readonly tool: string
  /** The arguments, or their text as a model wrote it; undefined where nobody knows them. */
  readonly args: { readonly value: unknown } | { readonly text: string } | undefined
  readonly text: string
  readonly host?: string | undefined
  readonly cut?: boolean | undefined
  /** What the model calls the call by. */
  readonly callId?: string | undefined
}

/** A model may be told of it under either name. The newer one is a legacy of the older. */
const RESULT_ROLES: ReadonlySet<string> = new Set(['tool', 'function'])

/** What a message taught about tools' answers. */
export function sightsIn(lesson: Lesson, host: string | undefined): readonly Sight[] {
  if (lesson.kind === 'inference') return shownResults(lesson.messages)
  if (lesson.kind !== 'tool-result') return []
  const { tool, args, text, cut } = lesson
  return [{ tool, args: { value: args }, text, host, cut }]
}

export function hasResults(lesson: Lesson): boolean {
  if (lesson.kind === 'inference') return lesson.messages.some(({ role }) => RESULT_ROLES.has(role))
  return lesson.kind === 'tool-result' || lesson.kind === 'unseen-result'
}

/** The results among the messages that a model is shown, each with the call before it that it answers. */
export function shownResults(messages: readonly ChatMessage[]): readonly Sight[] {
  const byId = new Map<string, ProposedCall>()
  const sights: Sight[] = []
  /** Of the newest message with calls: those that nothing answers by id come back in their order. */
  let calls: readonly ProposedCall[] = []
  let answered = 0
  for (const { role, text, toolCalls, toolCallId } of messages) {
    if (toolCalls !== undefined) {
      calls = toolCalls
      answered = 0
      for (const call of toolCalls) if (call.id !== undefined) byId.set(call.id, call)
    }
    if (!RESULT_ROLES.has(role)) continue
    const call = toolCallId === undefined ? calls[answered++] : byId.get(toolCallId)
    const args = call && { text: call.argumentsText }
    sights.push({ tool: call?.tool ?? '', args, text, callId: toolCallId })
  }
  return sights
}
