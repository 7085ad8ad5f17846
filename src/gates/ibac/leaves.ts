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
