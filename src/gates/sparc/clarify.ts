import { member } from '../../json/member.ts'
import { oneLine, type BoundedVerdict } from './bounds.ts'
import type { Issue } from './reflector.ts'

/** What a model is told, in UTF-8: it reads this before everything else that it does next. */
const CLARIFICATION_BYTES = 4096
const TOOL_CHARACTERS = 100
const QUESTION_CHARACTERS = 500

/**
 * The first and the last sentence of every clarification, by which it is known again where it comes back. They have no
 * sign that JSON would write in another way.
 */
export const FIRST_SENTENCE = 'A tool call was stopped before it ran, and nothing was done.'
export const LAST_SENTENCE =
  'The same call must not be made again unchanged, and no value may be made up: what is missing has to come from the user.'

/** Where the verdict has no question of its own. */
const QUESTION = 'Can you say what is missing or not certain?'
const CORRECT_IT = 'The call has to be corrected to what the tool takes.'

/** Issues of this type are about the tool's specification alone; no user can say more about them. */
const STATIC = 'static'

/**
 * A rejected call, in words that a model can act on once and that its user can read, since many agents show them as they
 * are. All that it says of the call is the verdict's.
 */
export function clarify(tool: string, { issues, issuesLeftOut }: BoundedVerdict): string {
  const first = `${FIRST_SENTENCE} It was for the tool ${JSON.stringify(oneLine(tool, TOOL_CHARACTERS))}.`
  const ending = issues.length > 0 && issues.every(isStatic) ? CORRECT_IT : QUESTION
  const fitting = createFitting(CLARIFICATION_BYTES - bytesOf([first, WRONG, ending, LAST_SENTENCE]))
  // Before the rest: without it nobody knows how to go on.
  const questions = fitting(questionsIn(issues))
  const reasons = fitting(reasonsIn(issues, issuesLeftOut))
  return paragraphs([
    [first],
    reasons.length === 0 ? [] : [WRONG, ...reasons],
    fitting(suggestionsIn(issues)),
    questions.length === 0 ? [ending] : questions,
    [LAST_SENTENCE],
  ])
}

const WRONG = 'What is wrong with it:'

function isStatic({ issue_type }: Issue): boolean {
  return issue_type === STATIC
}

function reasonsIn(issues: readonly Issue[], leftOut: number): readonly string[] {
  const explained = issues.map(({ explanation, metric_name }) => (explanation === '' ? metric_name : explanation))
  const told = [...new Set(explained)].filter((line) => line !== '').map((line) => `- ${line}`)
  return told.length === 0 || leftOut === 0 ? told : [...told, `- and more (${leftOut})`]
}

/** Each a sentence of its own, as it would be asked. */
function questionsIn(issues: readonly Issue[]): readonly string[] {
  const asked = issues.map(({ correction }) => member(correction, 'question'))
  const told = asked.flatMap((question) =>
    typeof question === 'string' ? [oneLine(question, QUESTION_CHARACTERS)] : [],
  )
  return [...new Set(told)].filter((question) => question !== '')
}

function suggestionsIn(issues: readonly Issue[]): readonly string[] {
  return [...new Set(issues.flatMap(({ correction }) => (correction === null ? [] : suggestion(correction))))]
}

/** A whole call is told by its arguments, since the tool's name is known. */
function suggestion(correction: unknown): readonly string[] {
  const args = member(correction, 'corrected_arguments')
  if (args !== undefined) return [`Suggested arguments: ${JSON.stringify(args)}`]
  return typeof member(correction, 'question') === 'string'
    ? []
    : [`Suggested correction: ${JSON.stringify(correction)}`]
}

/** Keeps of all lines that it is given, in their order, what fits together; a line that does not is left out whole. */
function createFitting(bytes: number): (lines: readonly string[]) => readonly string[] {
  let left = bytes
  return (lines) =>
    lines.map(withoutEnd).filter((line) => {
      const needed = bytesOf([line])
      if (needed > left) return false
      left -= needed
      return true
    })
}

/** A value with our last sentence in it would end us early, and the rest would pass for something that was said. */
function withoutEnd(line: string): string {
  return line.replaceAll(LAST_SENTENCE, '…')
}

/** Apart by blank lines: without them a page would show what follows a list as a part of it. */
function paragraphs(parts: readonly (readonly string[])[]): string {
  const filled = parts.filter((lines) => lines.length > 0)
  return filled.map((lines) => lines.join('\n')).join('\n\n')
}

/** Each with what may part it from the next. */
function bytesOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 2, 0)
}
