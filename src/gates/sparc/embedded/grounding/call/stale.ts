import type { Evidence } from '../evidence.ts'
import type { Leaf } from '../leaves.ts'
import { rounded } from '../said/numbers.ts'
import type { Finding } from './finding.ts'

const CORRECTION =
  /^\s*(?:no|actually|sorry|wait|instead|make it|make that|change it|change that|oops|correction)(?![a-z])/
const LONGEST = 120

/** The user just corrected a number, and the call has none of the new ones. */
export function staleFindings(leaves: readonly Leaf[], { user }: Evidence): readonly Finding[] {
  const last = user.at(-1)
  if (last === undefined || user.length < 2 || last.text.length >= LONGEST || !CORRECTION.test(last.search.plain))
    return []
  const { values } = last.facts.numbers()
  const numbers = leaves.filter(({ value }) => /^-?\d+(?:\.\d+)?$/.test(String(value)))
  if (values.size === 0 || numbers.length === 0) return []
  if (leaves.some(({ value }) => hasOne(String(value), values))) return []
  return [
    {
      name: 'stale_value',
      parameters: [...new Set(numbers.map(({ parameter }) => parameter))],
      explanation: "The user's last message corrects a number, and the call has none of its numbers.",
      question: 'Which number should the call have after the last correction?',
    },
  ]
}

function hasOne(value: string, values: ReadonlySet<number>): boolean {
  return (value.slice(0, 500).match(/\d{1,15}(?:\.\d{1,15})?/g) ?? []).some((digits) =>
    values.has(rounded(Number(digits))),
  )
}
