import { randomBytes } from 'node:crypto'

const WELL_FORMED = /^pls_[A-Za-z0-9_-]{22}$/
const RANDOM_BYTES = 16

export type RandomBytes = (count: number) => Uint8Array

/** A session's id, which is also its handle: whoever knows it may speak for the session, so it cannot be guessed. */
export function newHandle(random: RandomBytes = randomBytes): string {
  return `pls_${Buffer.from(random(RANDOM_BYTES)).toString('base64url')}`
}

/**
 * The different well-formed handles among the header's values. A list in one value counts too: client libraries join
 * a header that was added twice.
 */
export function readHandles(values: readonly string[]): ReadonlySet<string> {
  const items = values.flatMap((value) => value.split(',')).map((item) => item.trim())
  return new Set(items.filter((item) => WELL_FORMED.test(item)))
}
