/** One text for equal arguments, whatever the order of their keys, white space, and spelling of numbers. */
export function canonicalArguments(args: unknown): string | undefined {
  try {
    return JSON.stringify(args ?? {}, inOrder)
  } catch {
    // Nested deeper than the stack: nobody's call.
    return undefined
  }
}

/** Of arguments as a model wrote them; undefined when they are no JSON. An empty text is how some models say none. */
export function canonicalText(text: string): string | undefined {
  if (text.trim() === '') return canonicalArguments({})
  try {
    return canonicalArguments(JSON.parse(text))
  } catch {
    return undefined
  }
}

function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
