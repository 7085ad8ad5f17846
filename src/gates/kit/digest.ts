import { createHash } from 'node:crypto'

/** One key for a list of texts: no two lists share one. */
export function digestOf(parts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const part of parts) {
    // With its length, so that text cannot move from one part into the next.
    hash.update(`${part.length}:`).update(part, 'utf8')
  }
  return hash.digest('base64url')
}
