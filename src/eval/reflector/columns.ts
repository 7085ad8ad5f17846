import { createEmbeddedReflector } from '../../gates/sparc/embedded/index.ts'
import type { Reflector } from '../../gates/sparc/reflector.ts'

/** What is measured side by side: the specifications alone, and each policy of the embedded reflector. */
export const POLICIES = ['default', 'balanced', 'strict'] as const
export type Policy = (typeof POLICIES)[number]
export type Column = 'static' | Policy

export function reflectorOf(column: Column): Reflector {
  const options = column === 'static' ? { track: 'syntax' as const } : { track: 'embedded' as const, policy: column }
  return createEmbeddedReflector(options)
}
