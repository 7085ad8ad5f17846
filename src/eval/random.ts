/** Numbers that look drawn, and are the same for the same seed on every machine. */
export interface Random {
  /** From 0 to below 1. */
  readonly next: () => number
  /** A whole number from 0 to below `count`. */
  readonly below: (count: number) => number
  readonly pick: <T>(from: readonly T[]) => T | undefined
}

export function newRandom(seed: string): Random {
  let state = hashOf(seed)
  // Mulberry32: one addition and three mixings, good enough to shuffle and resample.
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (count: number): number => Math.floor(next() * count)
  return { next, below, pick: (from) => from[below(from.length)] }
}

/** FNV-1a: seeds that differ in one letter give rows that have nothing in common. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash
}

/** All of them in another order. */
export function shuffled<T>(items: readonly T[], random: Random): readonly T[] {
  const left = [...items]
  for (let at = left.length - 1; at > 0; at--) {
    const other = random.below(at + 1)
    const moved = left[at] as T
    left[at] = left[other] as T
    left[other] = moved
  }
  return left
}
