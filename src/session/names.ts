import { hash } from 'node:crypto'
import { LIMITS } from './limits.ts'

export type NameKind = 'context' | 'task'

/** Whose names they are: nobody finds another's conversation by its name. */
export interface Scope {
  readonly workload: string
  readonly subject: string
}

/** One key for a name in its scope. */
export function nameKey(scope: Scope, kind: NameKind, name: string): string {
  return keyOf([scope.workload, scope.subject, kind, name])
}

/** No two lists of parts have the same key, and a key is short however long its parts are. */
export function keyOf(parts: readonly string[]): string {
  const plain = JSON.stringify(parts)
  return plain.length <= LIMITS.keyChars ? plain : hash('sha256', plain, 'base64url')
}

/** Undefined for what cannot be a trace id. */
export function traceKey(workload: string, traceId: string | undefined): string | undefined {
  if (traceId === undefined || traceId === '' || traceId.length > LIMITS.traceIdChars) return undefined
  return keyOf([workload, traceId])
}
