import type { z } from 'zod'
import { UNKNOWN_KEY } from './fields.ts'
import { unknownName } from './nearest.ts'
import type { Issue, Path } from './problem.ts'

export type Checked<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly issues: readonly Issue[] }

/** Reads a value by its schema. `at` is where the value stands. */
export function check<T>(schema: z.ZodType<T>, value: unknown, at: Path): Checked<T> {
  const result = schema.safeParse(value)
  if (result.success) return { ok: true, value: result.data }
  return { ok: false, issues: result.error.issues.map((issue) => toIssue(issue, at)) }
}

/** A key that no mapping knows is pointed at itself, everything else at its value. */
function toIssue(issue: z.core.$ZodIssue, at: Path): Issue {
  const path = [...at, ...issue.path.map((step) => (typeof step === 'number' ? step : String(step)))]
  const known: unknown = issue.code === 'custom' ? issue.params?.['known'] : undefined
  if (issue.message !== UNKNOWN_KEY || !Array.isArray(known)) return { path, message: issue.message }
  const names = known.filter((name) => typeof name === 'string')
  return { path, pointsAtKey: true, message: unknownName('key', String(path.at(-1)), names) }
}
