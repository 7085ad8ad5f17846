import type { Refusal } from '../../../core/ruling.ts'
import { clarificationOf, oneLine } from '../../kit/refusal.ts'

const TOOL_CHARACTERS = 128

/** What the assistant says in the place of a call that was taken out. */
export function wordsForCall(tool: string, no: Refusal): string {
  const name = clip(oneLine(tool), TOOL_CHARACTERS)
  const what = name === '' ? 'The tool call' : `The tool call \`${name}\``
  return clarificationOf(no) ?? `${what} was not run: ${because(no)}`
}

/** What it says in the place of all that is left of an answer. */
export function wordsForAnswer(no: Refusal): string {
  return clarificationOf(no) ?? `The answer was withheld: ${because(no)}`
}

const because = (no: Refusal): string => `${oneLine(no.message)} (${no.code})`

/** Never half a character. */
function clip(text: string, characters: number): string {
  return text.length <= characters ? text : text.slice(0, characters).replace(/[\ud800-\udbff]$/, '')
}
