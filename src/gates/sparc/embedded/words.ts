const LONGEST_SHOWN = 120
const MOST_LISTED = 20

/** A value in an explanation: short, and on one line. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? `'${value.replace(/\s+/g, ' ')}'` : JSON.stringify(value)
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text
}

export function listed(texts: readonly string[], separator = ', '): string {
  const more = texts.length > MOST_LISTED ? `${separator}…` : ''
  return texts.slice(0, MOST_LISTED).join(separator) + more
}

/** Names that may be compared with others letter by letter. */
export function isShort(name: string): boolean {
  return name.length <= LONGEST_SHOWN
}
