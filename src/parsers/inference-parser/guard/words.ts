import type { Refusal } from '../../../core/ruling.ts'
import { oneLine } from '../../kit/refusal.ts'

/** What stands in the place of calls, in bytes: it is no way to flood a conversation. */
export const WORDS_BYTES = 4096
const TOOL_CHARACTERS = 128

/** What the assistant says in the place of a call that was taken out. */
export function wordsForCall(tool: string, no: Refusal): string {
  const name = clip(oneLine(tool), TOOL_CHARACTERS)
  const what = name === '' ? 'The tool call' : `The tool call \`${name}\``
  return no.clarification === undefined ? `${what} was not run: ${because(no)}` : bounded(no.clarification)
}

/** What it says in the place of all that is left of an answer. */
export function wordsForAnswer(no: Refusal): string {
  return no.clarification === undefined ? `The answer was withheld: ${because(no)}` : bounded(no.clarification)
}

const because = (no: Refusal): string => `${oneLine(no.message)} (${no.code})`

function bounded(text: string): string {
  const bytes = Buffer.from(text)
  return bytes.length <= WORDS_BYTES ? text : whole(bytes.subarray(0, WORDS_BYTES))
}

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** Without the character that was cut at the end. */
function whole(bytes: Uint8Array): string {
  return UTF8.decode(bytes, { stream: false }).replace(/\ufffd$/, '')
}

/** Never half a character. */
function clip(text: string, characters: number): string {
  return text.length <= characters ? text : text.slice(0, characters).replace(/[\ud800-\udbff]$/, '')
}
