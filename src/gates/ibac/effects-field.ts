import { checked, type Field } from '../../config/fields.ts'
import { compileGlobs, footgun } from '../../http/globs.ts'
import { jsonMembers } from '../kit/json-members.ts'
import { TIERS, type Effect } from './embedded/effects.ts'

export type NamedEffects = Readonly<Record<string, Effect>>

const EFFECTS = Object.keys(TIERS)

/** Tool globs, and what the tools that they match do. */
export function effectsField(): Field<NamedEffects> {
  const field = checked(jsonMembers(), effectsFault, { schema: { additionalProperties: { enum: EFFECTS } } })
  return field as Field<NamedEffects>
}

function effectsFault(effects: Readonly<Record<string, unknown>>): string | undefined {
  for (const [glob, effect] of Object.entries(effects)) {
    const fault = footgun(glob, 'tool')
    if (fault !== undefined) return fault
    if (!isEffect(effect)) return `must say of ${JSON.stringify(glob)} one of ${EFFECTS.join(', ')}`
  }
  return undefined
}

function isEffect(effect: unknown): effect is Effect {
  return typeof effect === 'string' && EFFECTS.includes(effect)
}

/** The effect of the first glob that matches a tool. */
export function compileEffects(effects: NamedEffects): (tool: string) => Effect | undefined {
  const compiled = Object.entries(effects).map(([glob, effect]) => ({ matches: compileGlobs([glob], 'tool'), effect }))
  return (tool) => compiled.find(({ matches }) => matches(tool))?.effect
}
