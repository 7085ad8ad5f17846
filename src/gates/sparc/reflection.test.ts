import { describe, expect, test } from 'vitest'
import { readReflection } from './reflection.ts'

const issue = { issue_type: 'static', metric_name: 'm', explanation: 'e', correction: { a: 1 } }
const answer = { decision: 'reject', issues: [issue], overall_avg_score: 0.5, execution_time_ms: 12.5 }

describe('a verdict', () => {
  test.each<[string, object, object]>([
    ['a reject', answer, { decision: 'reject', issues: [issue], score: 0.5, executionMs: 12.5 }],
    ['an approval', { ...answer, decision: 'approve', issues: [] }, { decision: 'approve', issues: [] }],
    ['the least score', { ...answer, overall_avg_score: 0 }, { score: 0 }],
    ['the best score', { ...answer, overall_avg_score: 1 }, { score: 1 }],
    ['no score', { ...answer, overall_avg_score: null }, { score: undefined }],
    ['a score that is left out', { ...answer, overall_avg_score: undefined }, { score: undefined }],
    ['no correction', { ...answer, issues: [{ ...issue, correction: undefined }] }, { issues: [{ correction: null }] }],
    ['members that we do not know', { ...answer, verdicts: [{ decision: 'approve' }], x: 1 }, { decision: 'reject' }],
  ])('%s', (_name, given, expected) => {
    expect(readReflection(given)).toMatchObject({ kind: 'verdict', ...expected })
  })
})

// req: sparc:reason:reflector_unavailable
describe('no verdict', () => {
  test.each<[string, unknown]>([
    ['nothing', null],
    ['a list', [answer]],
    ['a text', 'approve'],
    ['no decision', { ...answer, decision: undefined }],
    ['another word', { ...answer, decision: 'APPROVE' }],
    ['a flag', { ...answer, decision: true }],
    ['several words', { ...answer, decision: ['approve'] }],
    ['no issues', { ...answer, issues: undefined }],
    ['issues that are no list', { ...answer, issues: {} }],
    ['an issue that is none', { ...answer, issues: ['wrong'] }],
    ['an issue without explanation', { ...answer, issues: [{ ...issue, explanation: undefined }] }],
    ['an issue of another type', { ...answer, issues: [{ ...issue, issue_type: 1 }] }],
    ['an issue with a number for a name', { ...answer, issues: [{ ...issue, metric_name: 1 }] }],
    ['a score above 1', { ...answer, overall_avg_score: 2 }],
    ['a score below 0', { ...answer, overall_avg_score: -0.1 }],
    ['a score in words', { ...answer, overall_avg_score: '0.5' }],
    ['no time', { ...answer, execution_time_ms: undefined }],
    ['a time in words', { ...answer, execution_time_ms: '12' }],
    ['a time before the question', { ...answer, execution_time_ms: -1 }],
  ])('%s', (_name, given) => {
    expect(readReflection(given)).toEqual({ kind: 'unavailable', failure: 'malformed answer' })
  })

  test('an error of the service', () => {
    const given = { ...answer, decision: 'error', issues: 'canary' }
    expect(readReflection(given)).toEqual({ kind: 'unavailable', failure: 'decision error' })
  })
})
