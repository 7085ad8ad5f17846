import type { Named } from './chains.ts'
import type { Issue } from './problem.ts'

/** Plugins that a plugin of this chain needs beside it and that are not there, or off. */
export function requirementIssues(named: readonly Named[]): Issue[] {
  const stands = (name: string) => named.some((other) => other.name === name && other.mode !== 'off')
  return named.flatMap(({ name, mode, at, type }) => {
    if (type === undefined || mode === 'off') return []
    const missing = type.requires.filter((needed) => !stands(needed))
    const issues = missing.map((needed) => ({ path: at, message: needs(name, [needed], named) }))
    const anyMissing = type.requiresAny.length > 0 && !type.requiresAny.some(stands)
    return anyMissing ? [...issues, { path: at, message: needs(name, type.requiresAny, named) }] : issues
  })
}

function needs(name: string, wanted: readonly string[], named: readonly Named[]): string {
  const list = wanted.join(' or ')
  const off = wanted.find((each) => named.some((other) => other.name === each))
  if (off !== undefined) return `${name} needs ${list} in the same chain, and ${off} is off; turn it on`
  return `${name} needs ${list} in the same chain; add "- ${wanted[0]}" to its plugins`
}
