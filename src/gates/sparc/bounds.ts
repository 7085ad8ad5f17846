import type { Issue, Note, Reflection } from './reflector.ts'

const ISSUES = 16
const NOTES = 16
const NAME_CHARACTERS = 200
const EXPLANATION_CHARACTERS = 1000
const CORRECTION_CHARACTERS = 4096
/** Of all issues of one verdict, as JSON. */
const VERDICT_CHARACTERS = 16_384

/** A verdict of a size that can be kept and recorded. What had to go is counted. */
export interface BoundedVerdict extends Extract<Reflection, { readonly kind: 'verdict' }> {
  readonly issuesLeftOut: number
}

export function boundedVerdict(verdict: Extract<Reflection, { readonly kind: 'verdict' }>): BoundedVerdict {
  const kept: Issue[] = []
  let characters = 0
  for (const issue of verdict.issues.slice(0, ISSUES)) {
    const bounded = boundedIssue(issue)
    characters += JSON.stringify(bounded).length
    if (characters > VERDICT_CHARACTERS) break
    kept.push(bounded)
  }
  return {
    ...verdict,
    issues: kept,
    ...(verdict.notes && { notes: verdict.notes.slice(0, NOTES).map(boundedNote) }),
    issuesLeftOut: verdict.issues.length - kept.length,
  }
}

function boundedNote(note: Note): Note {
  const { parameter } = note
  return {
    ...note,
    explanation: oneLine(note.explanation, EXPLANATION_CHARACTERS),
    ...(parameter !== undefined && { parameter: oneLine(parameter, NAME_CHARACTERS) }),
  }
}

function boundedIssue({ issue_type, metric_name, finding, explanation, correction }: Issue): Issue {
  return {
    issue_type: oneLine(issue_type, NAME_CHARACTERS),
    metric_name: oneLine(metric_name, NAME_CHARACTERS),
    ...(finding !== undefined && { finding }),
    explanation: oneLine(explanation, EXPLANATION_CHARACTERS),
    // Half a correction is none.
    correction: (JSON.stringify(correction) ?? '').length > CORRECTION_CHARACTERS ? null : (correction ?? null),
  }
}

/** Without control characters and line breaks, with which a text could pass for more than one. */
export function oneLine(text: string, characters: number): string {
  // A longer piece than is kept, since white space becomes less: the rest is not even looked at.
  const looked = text.slice(0, 2 * characters)
  const line = looked.replace(/[\p{C}\s]+/gu, ' ').trim()
  return looked.length === text.length && line.length <= characters
    ? line
    : `${wellFormed(line.slice(0, characters - 1))}…`
}

/** A cut through a pair leaves half a character, which is no text. */
function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udbff]$/u, '')
}
