import { hash, randomBytes } from 'node:crypto'

const WELL_FORMED = /^pls_[A-Za-z0-9_-]{22}$/
const RANDOM_BYTES = 16
const ID_CHARS = 22

export type RandomBytes = (count: number) => Uint8Array

/** A session's handle: whoever knows it may speak for the session, so it cannot be guessed. */
export function newHandle(random: RandomBytes = randomBytes): string {
  return `pls_${Buffer.from(random(RANDOM_BYTES)).toString('base64url')}`
}

/** A session's name for records and services, which anybody may know: no way leads back from it to the handle. */
export function publicId(handle: string): string {
  return `pse_${hash('sha256', handle, 'base64url').slice(0, ID_CHARS)}`
}

/**
 * The different well-formed handles among the header's values. A list in one value counts too: client libraries join
 * a header that was added twice.
 */
export function readHandles(values: readonly string[]): ReadonlySet<string> {
  const items = values.flatMap((value) => value.split(',')).map((item) => item.trim())
  return new Set(items.filter((item) => WELL_FORMED.test(item)))
}
