import type { Head } from '../../core/exchange.ts'
import type { Operation } from './operations.ts'
import { readMembers } from './members.ts'

const MAX_BYTES = 4096

/**
 * Whether a poll is nothing but a poll: it is small, has all that the operation needs and nothing that it does not know.
 * Looking like housekeeping is no way past a gate.
 */
export function isPlainPoll(operation: Operation, params: Readonly<Record<string, unknown>>, bytes: number): boolean {
  if (operation.kind !== 'poll' || bytes > MAX_BYTES) return false
  const members = readMembers(params, [...operation.fits.keys()])
  if (!members.ok || Object.keys(params).some((key) => params[key] !== null && !isKnown(operation, key))) return false
  if (operation.task !== undefined && !members.of.has(operation.task)) return false
  return [...members.of].every(([name, value]) => operation.fits.get(name)?.(value) === true)
}

function isKnown(operation: Pick<Operation, 'fits'>, key: string): boolean {
  return operation.fits.has(key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()))
}

/** The query of a poll: the operation's own parameters as text, and the version of the protocol. */
export function isPlainQuery(operation: Pick<Operation, 'fits'>, head: Head): boolean {
  if (head.query.length > MAX_BYTES) return false
  return [...new URLSearchParams(head.query)].every(
    ([key, value]) => (key === 'A2A-Version' || isKnown(operation, key)) && /^[\x21-\x7e]{0,256}$/.test(value),
  )
}
