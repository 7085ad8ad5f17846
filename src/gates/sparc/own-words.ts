import { FIRST_SENTENCE, LAST_SENTENCE } from './clarify.ts'

/** What a reflector is shown in the place of a clarification: no value, and nothing to take for a fact. */
export const NOT_CONFIRMED = '[A tool call was stopped here before it ran. Nothing that it held is confirmed.]'

/**
 * A text without our own clarifications. They quote the values of the calls that were rejected, and come back in the
 * conversation: a reflector that took them for something that was said would approve the same call when it is repeated.
 * They are known by their first and last sentences, which have no sign that JSON would write in another way. One whose
 * end was cut off goes on to the end of the text.
 */
export function withoutOwnWords(text: string): string {
  const parts: string[] = []
  let from = 0
  for (let begin = text.indexOf(FIRST_SENTENCE); begin !== -1; begin = text.indexOf(FIRST_SENTENCE, from)) {
    parts.push(text.slice(from, begin), NOT_CONFIRMED)
    const end = text.indexOf(LAST_SENTENCE, begin)
    from = end === -1 ? text.length : end + LAST_SENTENCE.length
  }
  return from === 0 ? text : [...parts, text.slice(from)].join('')
}
