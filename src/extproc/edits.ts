import type { HeaderEdits } from '../core/handler.ts'
import { nameProblem, validValue } from './header-rules.ts'

declare const checked: unique symbol

/** Edits that Envoy carries out as they are written. */
export type CheckedEdits = HeaderEdits & { readonly [checked]: true }

/** Throws on an edit that Envoy would skip while it lets the request go on: half an edit is worse than a refusal. */
export function checkEdits(edits: HeaderEdits): CheckedEdits {
  const seen = new Set<string>()
  for (const [name, value] of edits.set) {
    check(name)
    if (!validValue(value)) throw new Error(`header edit refused: the value for "${name}" holds forbidden characters`)
    if (seen.has(name)) throw new Error(`header edit refused: "${name}" is set twice, and only the last would count`)
    seen.add(name)
  }
  for (const name of edits.remove) check(name)
  return edits as CheckedEdits
}

function check(name: string): void {
  const problem = nameProblem(name)
  if (problem !== undefined) throw new Error(`header edit refused: "${name}" ${problem}`)
}

export function hasEdits(edits: HeaderEdits): boolean {
  return edits.set.length > 0 || edits.remove.length > 0
}

export const NO_EDITS = checkEdits({ set: [], remove: [] })
