import { createHash, randomBytes } from 'node:crypto'

/** What looks drawn by lot, and is the same each time for one seed: a run that went wrong can be played again. */
export interface Draw {
  of<T>(from: readonly T[]): T
  /** From `least` to below `end`. */
  number(least: number, end: number): number
}

export function newSeed(): string {
  return randomBytes(4).toString('hex')
}

export function drawBy(seed: string): Draw {
  let drawn = 0
  const below = (count: number): number => {
    drawn += 1
    return createHash('sha256').update(`${seed} ${drawn}`).digest().readUInt32BE() % count
  }
  return {
    of: <T>(from: readonly T[]) => from[below(from.length)] as T,
    number: (least, end) => least + below(end - least),
  }
}
