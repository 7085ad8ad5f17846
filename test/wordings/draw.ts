/** Numbers that look random and are the same each time for one seed. */
export interface Draw {
  pick<T>(items: readonly T[]): T
  number(from: number, to: number): number
}

export function drawFrom(seed: number): Draw {
  let state = seed >>> 0
  // Mulberry32: short, and even enough to choose words by.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  return {
    pick: (items) => {
      const item = items[Math.floor(next() * items.length)]
      if (item === undefined) throw new Error('nothing to choose from')
      return item
    },
    number: (from, to) => from + Math.floor(next() * (to - from + 1)),
  }
}
