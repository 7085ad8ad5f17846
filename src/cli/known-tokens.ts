import { tokenCheck, type TokenCheck } from '../extproc/caller.ts'

/** How long a token that was replaced is still believed: Envoy need not change in the same instant. */
export const OVERLAP_MS = 5 * 60_000

/** The token that Envoy must show, and for a while the one before it. */
export interface KnownTokens {
  /** Undefined: whoever reaches a listener is believed. */
  check(): TokenCheck | undefined
  /** From now on this one, or none. True when it is another than before. */
  change(token: string | undefined): boolean
}

export function createKnownTokens(first: string | undefined, now: () => number): KnownTokens {
  let token = first
  let former: { readonly knows: TokenCheck; readonly until: number } | undefined

  return {
    check: () => {
      if (token === undefined) return undefined
      const knows = tokenCheck(token)
      const before = former
      if (before === undefined) return knows
      return (said) => knows(said) || (now() < before.until && before.knows(said))
    },
    change: (next) => {
      if (next === token) return false
      former = token === undefined ? undefined : { knows: tokenCheck(token), until: now() + OVERLAP_MS }
      token = next
      return true
    },
  }
}
