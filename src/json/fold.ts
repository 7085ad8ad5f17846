/**
 * A key as the most forgiving reader would compare it. Some readers match keys without regard to case, by Unicode
 * rules: there `ſ` (long s) is an `s` and `K` (the Kelvin sign) is a `k`.
 */
export function fold(key: string): string {
  return PLAIN.test(key) ? key : key.toUpperCase().toLowerCase()
}

/** ASCII without capitals, as nearly all keys are: it folds to itself. */
const PLAIN = /^[ -@[-~]*$/

/** A key of `object` that a forgiving reader would take for one of `names` or for another key of `object`. */
export function mistakable(object: object, names: ReadonlySet<string>): string | undefined {
  const seen = new Set<string>()
  const foldedNames = foldedOf(names)
  for (const key of Object.keys(object)) {
    const folded = fold(key)
    if (seen.has(folded)) return key
    seen.add(folded)
    if (foldedNames.has(folded) && !names.has(key)) return key
  }
  return undefined
}

const foldedSets = new WeakMap<ReadonlySet<string>, ReadonlySet<string>>()

/** The names of a protocol are constants: each set is folded once. */
function foldedOf(names: ReadonlySet<string>): ReadonlySet<string> {
  let folded = foldedSets.get(names)
  if (folded === undefined) {
    folded = new Set([...names].map(fold))
    foldedSets.set(names, folded)
  }
  return folded
}

/** Keys with which a reader that merges objects changes every object it has. */
const POLLUTING = ['__proto__', 'constructor', 'prototype']

export function pollutes(object: object): boolean {
  return POLLUTING.some((key) => Object.hasOwn(object, key))
}
