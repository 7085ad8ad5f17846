import { startJudge } from '../../test/support/judge.ts'
import type { StubJudge } from '../../test/support/judge.ts'

/** What users say who want money paid back. */
const WISH = /\brefund|\breimburse|\bback\b/i

/**
 * A judge for ibac by script, which looks only at intent: does the user want money paid back, and does the action pay
 * some back? Which transaction that is, is none of its business. ibac's built-in rules are stricter: they refuse a write
 * with an id that the user never said, and this demo would show nothing of sparc.
 */
export function startIntentJudge(): Promise<StubJudge> {
  return startJudge(({ text }) =>
    WISH.test(marked(text, 'USER')) && marked(text, 'ACTION').includes('refund')
      ? { verdict: 'allow', reason: 'The user wants money paid back.' }
      : { verdict: 'deny', reason: 'The user did not ask for this.' },
  )
}

function marked(question: string, mark: string): string {
  return new RegExp(`<<<${mark} (\\S+)\\n(.*?)\\n${mark} \\1>>>`, 's').exec(question)?.[2] ?? ''
}
