/** All texts, numbers and names in the arguments of a call, one on each line; the text itself where it is no JSON. */
export function argumentsIn(argumentsText: string): string {
  try {
    return partsOf(JSON.parse(argumentsText)).join('\n')
  } catch {
    return argumentsText
  }
}

function partsOf(root: unknown): readonly string[] {
  const parts: string[] = []
  const rest = [root]
  while (rest.length > 0) {
    const value = rest.pop()
    if (typeof value === 'string' || typeof value === 'number') parts.push(String(value))
    if (typeof value !== 'object' || value === null) continue
    for (const [key, each] of Object.entries(value)) {
      if (!Array.isArray(value)) parts.push(key)
      rest.push(each)
    }
  }
  return parts
}
