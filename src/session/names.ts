import { hash } from 'node:crypto'
import { LIMITS } from './limits.ts'

export type NameKind = 'context' | 'task'

/** Whose names they are: nobody finds another's conversation by its name. */
export interface Scope {
  readonly workload: string
  readonly subject: string
}

/** One key for a name in its scope. A digest, so that a name of any length costs the same and no two parts can blend. */
export function nameKey(scope: Scope, kind: NameKind, name: string): string {
  return digest([scope.workload, scope.subject, kind, name])
}

export function digest(parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url')
}

/** Undefined for what cannot be a trace id. */
export function traceKey(workload: string, traceId: string | undefined): string | undefined {
  if (traceId === undefined || traceId === '' || traceId.length > LIMITS.traceIdChars) return undefined
  return JSON.stringify([workload, traceId])
}
