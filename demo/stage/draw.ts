import { randomInt } from 'node:crypto'

export function draw<T>(from: readonly T[]): T {
  return from[randomInt(from.length)] as T
}
