const GAP = '\n[...]\n'

/** At most `max` characters: the beginning and the end, since people put what they want in either. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text
  const half = Math.floor((max - GAP.length) / 2)
  return copy(text.slice(0, half) + GAP + text.slice(-half))
}

/** A slice keeps the whole text that it was cut from in memory; a copy does not. */
export function copy(text: string): string {
  return Buffer.from(text).toString()
}
