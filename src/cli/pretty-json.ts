const WIDTH = 120
const STEP = '  '

/**
 * JSON as this project's formatter writes it, so that a file made of it is formatted: a list of plain values stands on
 * one line where it fits. `before`: how much stands before the value on its first line.
 */
export function prettyJson(value: unknown, indent = '', before = 0): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = indent + STEP
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value
    const line = `[${items.map((item) => JSON.stringify(item)).join(', ')}]`
    // One more character for the comma that may follow.
    const fits = before + line.length + 1 <= WIDTH && items.every((item) => typeof item !== 'object' || item === null)
    return fits
      ? line
      : block(
          '[',
          items.map((item) => prettyJson(item, inner, inner.length)),
          ']',
          indent,
        )
  }
  const members = Object.entries(value).map(([key, member]) => {
    const start = `${JSON.stringify(key)}: `
    return start + prettyJson(member, inner, inner.length + start.length)
  })
  return members.length === 0 ? '{}' : block('{', members, '}', indent)
}

function block(open: string, lines: readonly string[], close: string, indent: string): string {
  return `${open}\n${lines.map((line) => `${indent}${STEP}${line}`).join(',\n')}\n${indent}${close}`
}
