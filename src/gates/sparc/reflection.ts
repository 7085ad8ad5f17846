import { member } from '../../json/member.ts'
import type { Issue, Reflection } from './reflector.ts'

/** What a service that answered may still not have: a verdict. */
const MALFORMED = 'malformed answer'
const DECIDED_NOTHING = 'decision error'

/**
 * The verdict in a service's answer. Each member is what the interface says or there is no verdict: half-understood, a
 * reject could pass for an approval.
 */
export function readReflection(answer: unknown): Reflection {
  const decision = member(answer, 'decision')
  if (decision === 'error') return unavailable(DECIDED_NOTHING)
  if (decision !== 'approve' && decision !== 'reject') return unavailable(MALFORMED)
  const issues = issuesIn(member(answer, 'issues'))
  const score = member(answer, 'overall_avg_score') ?? undefined
  const executionMs = member(answer, 'execution_time_ms')
  if (issues === undefined || !isScore(score) || !isDuration(executionMs)) return unavailable(MALFORMED)
  return { kind: 'verdict', decision, issues, score, executionMs }
}

function unavailable(failure: string): Reflection {
  return { kind: 'unavailable', failure }
}

function issuesIn(value: unknown): readonly Issue[] | undefined {
  if (!Array.isArray(value)) return undefined
  const issues = value.map(issueIn)
  return issues.every((issue) => issue !== undefined) ? issues : undefined
}

function issueIn(value: unknown): Issue | undefined {
  const issue_type = member(value, 'issue_type')
  const metric_name = member(value, 'metric_name')
  const explanation = member(value, 'explanation')
  const texts = typeof issue_type === 'string' && typeof metric_name === 'string' && typeof explanation === 'string'
  return texts ? { issue_type, metric_name, explanation, correction: member(value, 'correction') ?? null } : undefined
}

function isScore(value: unknown): value is number | undefined {
  return value === undefined || (typeof value === 'number' && value >= 0 && value <= 1)
}

function isDuration(value: unknown): value is number {
  return typeof value === 'number' && value >= 0
}
