import { hash } from 'node:crypto'

/** One key for a list of texts: no two lists share one. */
export function digestOf(parts: readonly string[]): string {
  // Each with its length, so that text cannot move from one part into the next. In one piece: many small ones cost more
  // than the hash itself.
  return hash('sha256', parts.map((part) => `${part.length}:${part}`).join(''), 'base64url')
}
