import type { Head } from '../../core/exchange.ts'
import { isPlainlyAddressed } from '../../http/overrides.ts'
import { HOUSEKEEPING_BYTES } from '../kit/housekeeping.ts'
import type { Operation } from './operations.ts'
import { readMembers } from './members.ts'

/**
 * Whether a poll is nothing but a poll: it is small, has all that the operation needs and nothing that it does not know.
 * Looking like housekeeping is no way past a gate.
 */
export function isPlainPoll(operation: Operation, params: Readonly<Record<string, unknown>>, bytes: number): boolean {
  if (operation.kind !== 'poll' || bytes > HOUSEKEEPING_BYTES) return false
  const members = readMembers(params, [...operation.fits.keys()])
  if (!members.ok || Object.keys(params).some((key) => knownName(operation, key) === undefined)) return false
  if (operation.task !== undefined && !members.of.has(operation.task)) return false
  return [...members.of].every(([name, value]) => operation.fits.get(name)?.(value) === true)
}

/** The operation's own name for a parameter, in either spelling. */
function knownName(operation: Pick<Operation, 'fits'>, key: string): string | undefined {
  const name = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return operation.fits.has(name) ? name : undefined
}

/**
 * Whether the request line is nothing but a poll's: no server takes it for another, and its query has the operation's own
 * parameters as text, each once, and the version of the protocol.
 */
export function isPlainLine(operation: Pick<Operation, 'fits'>, head: Head): boolean {
  if (head.query.length > HOUSEKEEPING_BYTES || !isPlainlyAddressed(head.headers)) return false
  const seen = new Set<string>()
  return [...new URLSearchParams(head.query)].every(([key, value]) => {
    const name = key === 'A2A-Version' ? key : knownName(operation, key)
    if (name === undefined || seen.has(name)) return false
    seen.add(name)
    const fits = operation.fits.get(name)
    return fits === undefined ? /^\d{1,3}(\.\d{1,3})?$/.test(value) : readingsOf(value).some(fits)
  })
}

/** What the text of a query can stand for. */
function readingsOf(value: string): readonly unknown[] {
  if (/^\d{1,9}$/.test(value)) return [value, Number(value)]
  return value === 'true' || value === 'false' ? [value, value === 'true'] : [value]
}
