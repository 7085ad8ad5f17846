import { RE2JS } from 're2js'

/** A pattern comes from whoever wrote the tool, and must not search back and forth in our time. */
const LONGEST_PATTERN = 1000
const KEPT_PATTERNS = 500

const kept = new Map<string, ((text: string) => boolean) | undefined>()

/** Whether a text has a match, in time that grows with the text only; undefined for what no such engine can read. */
export function patternTest(pattern: string): ((text: string) => boolean) | undefined {
  if (kept.has(pattern)) return kept.get(pattern)
  if (kept.size >= KEPT_PATTERNS) kept.clear()
  const test = compile(pattern)
  kept.set(pattern, test)
  return test
}

function compile(pattern: string): ((text: string) => boolean) | undefined {
  if (pattern.length > LONGEST_PATTERN) return undefined
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern))
    return (text) => compiled.matcher(text).find()
  } catch {
    return undefined
  }
}
