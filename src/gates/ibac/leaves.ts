/** Every text of a JSON value in its order: keys, strings, and numbers as they are written. */
export function* leaves(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'number') yield String(value)
  else if (Array.isArray(value)) for (const item of value) yield* leaves(item)
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      yield key
      yield* leaves(item)
    }
  }
}

/**
 * The texts of a value, a line break between them lest two of them read as one name. Ends soon after `characters`: the
 * rest of a long one is not even gathered.
 */
export function joinedLeaves(value: unknown, characters: number): string {
  const texts: string[] = []
  let length = -1
  for (const text of leaves(value)) {
    texts.push(text)
    length += 1 + text.length
    if (length > characters) break
  }
  return texts.join('\n')
}
