type Facts = Readonly<Record<string, unknown>>

export interface ServerLog {
  info(facts: Facts, message: string): void
  warn(facts: Facts, message: string): void
  error(facts: Facts, message: string): void
}

/** Says what every exchange may repeat once, then each time that its number has doubled: loud, and no flood. */
export function sparsely(write: (facts: Facts, message: string) => void): (facts: Facts, message: string) => void {
  const counts = new Map<string, number>()
  return (facts, message) => {
    const times = (counts.get(message) ?? 0) + 1
    counts.set(message, times)
    if ((times & (times - 1)) === 0) write({ ...facts, times }, message)
  }
}
