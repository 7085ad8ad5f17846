import { z } from 'zod'
import type { Field } from '../../config/fields.ts'
import { meant } from '../../config/meaning.ts'
import { Substituted } from '../../config/substituted.ts'

/** Members of a JSON object that is sent on as it stands: any keys, any values. */
export function jsonMembers(): Field<Readonly<Record<string, unknown>>> {
  const members = z.unknown().transform((input, context) => {
    const value = unwrap(input ?? {})
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Readonly<Record<string, unknown>>
    }
    context.issues.push({ code: 'custom', message: 'must be a mapping', input })
    return z.NEVER
  })
  return meant(members, { schema: { type: ['object', 'null'] }, values: 'mapping' })
}

/** What came from the environment has no field here whose type it could take: it is text. */
function unwrap(value: unknown): unknown {
  if (value instanceof Substituted) return value.text
  if (Array.isArray(value)) return value.map(unwrap)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unwrap(item)]))
}
