import { fold } from '../../json/fold.ts'

export type Members =
  | { readonly ok: true; readonly of: ReadonlyMap<string, unknown> }
  /** Two servers could read different things. */
  | { readonly ok: false; readonly why: string }

/** Names that are equal to some server: but for case as Unicode folds it, and but for the underscore. */
const bare = (name: string): string => fold(name).replaceAll('_', '')

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/**
 * The members of an object that we know, under each spelling that some server takes (`contextId`, `context_id`). A
 * member that is there in two spellings, or in one that only a careless server takes, makes the object unreadable.
 * `null` is the same as absent. Other members are nobody's business here.
 */
export function readMembers(object: Readonly<Record<string, unknown>>, known: readonly string[]): Members {
  const canonical = new Map(known.map((name) => [bare(name), name]))
  const seen = new Set<string>()
  const of = new Map<string, unknown>()
  for (const [key, value] of Object.entries(object)) {
    const name = canonical.get(bare(key))
    if (name === undefined) continue
    if (key !== name && key !== snake(name)) return { ok: false, why: `a member looks like ${name} and is not` }
    if (seen.has(name)) return { ok: false, why: `${name} is there in two spellings` }
    seen.add(name)
    if (value !== null) of.set(name, value)
  }
  return { ok: true, of }
}
