import type { Grounding } from './grounding/grounding.ts'

/** Between them lies the decision, so that a score alone tells it. */
const MOST_REJECTED = 0.45
const LEAST_APPROVED = 0.5
/** What a call is worth as a whole with such a finding in it. */
const MOST_INVENTED = 0.2
const MOST_OPTION_UNNAMED = 0.4
const MOST_MISFORMED = 0.1
/** A tool that fits this far fits. */
const FITS = 0.4

/**
 * SPARC's score: the mean of how the call does as a whole (its weakest value), of how its values do, and of how its tool
 * fits. Undefined when nothing could be graded: what was not looked at has no grade.
 */
export function scoreOf(grounding: Grounding, rejected: boolean): number | undefined {
  const { levels, relevance } = grounding
  const fits = relevance === undefined ? [] : [Math.min(1, relevance / FITS)]
  const ofValues = levels.length === 0 ? [] : [wholeOf(grounding), mean(levels)]
  const parts = [...ofValues, ...fits]
  if (parts.length === 0) return rejected ? 0 : undefined
  // That the tool fits is no excuse for what was made up.
  const overall = rejected && ofValues.length > 0 ? Math.min(mean(parts), mean(ofValues)) : mean(parts)
  return rejected ? Math.min(overall, MOST_REJECTED) : Math.max(overall, LEAST_APPROVED)
}

function wholeOf({ levels, inventions, findings }: Grounding): number {
  const isMisformed = findings.some(({ name }) => name === 'format_mismatch' || name === 'wrong_order')
  const hasInvention =
    inventions.some(({ grade }) => grade.kind !== 'enum' || grade.contradicts) ||
    findings.some(({ name }) => name !== 'no_tool_fits')
  return Math.min(
    ...levels,
    hasInvention ? MOST_INVENTED : 1,
    inventions.length > 0 ? MOST_OPTION_UNNAMED : 1,
    isMisformed ? MOST_MISFORMED : 1,
  )
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length
}
