import type { HeaderEdits } from '../core/handler.ts'
import { nameProblem, validValue } from './header-rules.ts'

declare const checked: unique symbol

/** Edits that Envoy carries out as they are written. */
export type CheckedEdits = HeaderEdits & { readonly [checked]: true }

/** Throws on an edit that Envoy would skip while it lets the request go on: half an edit is worse than a refusal. */
export function checkEdits(edits: HeaderEdits): CheckedEdits {
  edits.set.forEach(([name, value], i) => {
    check(name)
    if (!validValue(value)) throw new Error(`header edit refused: the value for "${name}" holds forbidden characters`)
    // The list is short: comparing is cheaper than keeping a set of names per exchange.
    if (edits.set.findIndex(([other]) => other === name) !== i) {
      throw new Error(`header edit refused: "${name}" is set twice, and only the last would count`)
    }
  })
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
