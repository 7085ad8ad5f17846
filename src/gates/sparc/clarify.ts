import { oneLine, type BoundedVerdict } from './bounds.ts'
import type { Issue } from './reflector.ts'

/** What a model is told, in UTF-8: it reads this before everything else that it does next. */
const CLARIFICATION_BYTES = 4096
const TOOL_CHARACTERS = 100

/** Issues of this type are about the tool's specification alone; no user can say more about them. */
const STATIC = 'static'

/**
 * A rejected call, in words that a model can act on once. All that it says of the call is the verdict's.
 */
export function clarify(tool: string, { issues, issuesLeftOut }: BoundedVerdict): string {
  const head = `The call of the tool ${JSON.stringify(oneLine(tool, TOOL_CHARACTERS))} was rejected before it was made, and nothing was done.`
  const advice = issues.length > 0 && issues.every(isStatic) ? CORRECT_IT : ASK
  const lines = [...reasons(issues, issuesLeftOut), ...corrections(issues)]
  return [head, ...fitting(lines, CLARIFICATION_BYTES - bytesOf(head) - bytesOf(advice)), advice].join('\n')
}

const ASK =
  'Do not repeat this call unchanged, and do not make up a value. Ask the user for what is missing or not certain, and ' +
  'call the tool again with what the user says.'
const CORRECT_IT =
  'Do not repeat this call unchanged. Correct it to what the tool takes. If that needs a value that nobody has given, ' +
  'do not make it up: ask the user.'

function isStatic({ issue_type }: Issue): boolean {
  return issue_type === STATIC
}

function reasons(issues: readonly Issue[], leftOut: number): readonly string[] {
  const explained = issues.map(({ explanation, metric_name }) => (explanation === '' ? metric_name : explanation))
  const told = [...new Set(explained)].filter((line) => line !== '').map((line) => `- ${line}`)
  if (told.length === 0) return []
  return ['What is wrong with it:', ...told, ...(leftOut === 0 ? [] : [`- and more (${leftOut})`])]
}

function corrections(issues: readonly Issue[]): readonly string[] {
  return [...new Set(issues.flatMap(({ correction }) => (correction === null ? [] : suggestions(correction))))]
}

/** A whole call is told by its arguments, since the tool's name is known. */
function suggestions(correction: unknown): readonly string[] {
  const question = member(correction, 'question')
  const args = member(correction, 'corrected_arguments')
  const known = [
    ...(typeof question === 'string' ? [`Question for the user: ${JSON.stringify(question)}`] : []),
    ...(args === undefined ? [] : [`Suggested arguments: ${JSON.stringify(args)}`]),
  ]
  return known.length === 0 ? [`Suggested correction: ${JSON.stringify(correction)}`] : known
}

function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined
}

/** Lines in their order, as far as they fit; a line that does not is left out whole. */
function fitting(lines: readonly string[], bytes: number): readonly string[] {
  let left = bytes
  return lines.filter((line) => {
    const needed = bytesOf(line)
    if (needed > left) return false
    left -= needed
    return true
  })
}

/** With the line break that joins it to the next. */
function bytesOf(line: string): number {
  return Buffer.byteLength(line) + 1
}
