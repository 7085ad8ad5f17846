/** Between them lies the decision, so that a score alone tells it. */
const MOST_REJECTED = 0.45
const LEAST_APPROVED = 0.5
const MOST_INVENTED = 0.2

/**
 * SPARC's score: the mean of how the call does as a whole (its weakest value) and of how its values do. Undefined when
 * nothing could be graded: what was not looked at has no grade.
 */
export function scoreOf(levels: readonly number[], rejected: boolean): number | undefined {
  if (levels.length === 0) return undefined
  const weakest = Math.min(...levels)
  const general = rejected ? Math.min(weakest, MOST_INVENTED) : weakest
  const parameter = levels.reduce((sum, level) => sum + level, 0) / levels.length
  const overall = (general + parameter) / 2
  return rejected ? Math.min(overall, MOST_REJECTED) : Math.max(overall, LEAST_APPROVED)
}
