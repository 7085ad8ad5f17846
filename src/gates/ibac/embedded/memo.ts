const KEPT = 256

/** Remembers what was made of the texts that were asked about last: users and operators say the same many times. */
export function remembering<T>(make: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const made = make(text)
    const [oldest] = known.keys()
    if (known.size >= KEPT && oldest !== undefined) known.delete(oldest)
    known.set(text, made)
    return made
  }
}
