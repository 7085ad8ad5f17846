import type { Lesson } from '../../core/session.ts'
import { isObject } from '../../json/rpc.ts'
import type { Hearing } from '../kit/lesson-reader.ts'
import { addDelta, addMessage, newChoice, type Choice } from './chat-choice.ts'
import { indexOf, objectsIn } from './dialect.ts'
import { figures, newToolNames } from './heard.ts'

/**
 * Puts the choices of a chat completion together. A whole message is read like a fragment that holds everything. What a
 * finish reason says does not count: calls are found by being there.
 */
export function createChatCompletion(): Hearing {
  let choices = new Map<number, Choice>()
  let usage: Readonly<Record<string, number>> | undefined
  let told = 0
  let failed = false
  const tools = newToolNames()

  function choiceAt(index: number): Choice {
    const choice = choices.get(index) ?? newChoice()
    choices.set(index, choice)
    return choice
  }

  function tell(): readonly Lesson[] {
    const inOrder = [...choices].sort(([a], [b]) => a - b).map(([, choice]) => choice)
    const lessons = completions(inOrder, usage)
    choices = new Map()
    usage = undefined
    told += inOrder.length
    for (const { tool } of inOrder.flatMap(({ calls }) => calls)) tools.add(tool)
    return lessons
  }

  return {
    hear(value) {
      if (!isObject(value)) return []
      failed ||= isObject(value['error'])
      if (isObject(value['usage'])) usage = figures(value['usage'])
      for (const [position, each] of objectsIn(value['choices']).entries()) {
        const choice = choiceAt(indexOf(each) ?? position)
        if (isObject(each['message'])) addMessage(choice, each['message'])
        if (isObject(each['delta'])) addDelta(choice, each['delta'])
      }
      return []
    },
    // The agent acts on what it has heard when it sees this mark, not when the connection ends.
    mark: (data) => (data.trim() === '[DONE]' ? tell() : []),
    rest: tell,
    get details() {
      return { choices: told, ...tools.details, ...(failed ? { error: true } : {}) }
    },
  }
}

/** One lesson for each choice. The usage is of all of them: it is told with the first, or alone if it came later. */
function completions(
  choices: readonly Choice[],
  usage: Readonly<Record<string, number>> | undefined,
): readonly Lesson[] {
  const heard = choices.length === 0 && usage !== undefined ? [newChoice()] : choices
  return heard.map(({ text, calls }, position) => ({
    kind: 'completion',
    text,
    calls: calls.map((call) => ({ ...call })),
    usage: position === 0 ? usage : undefined,
  }))
}
