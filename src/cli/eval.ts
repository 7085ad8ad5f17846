import { BadData } from '../eval/rows.ts'
import { NoData } from './eval-files.ts'
import { evalImport } from './eval-import.ts'
import { evalJudge } from './eval-judge.ts'
import { evalReflector } from './eval-reflector.ts'
import type { EvalUsage } from './eval-usage.ts'
import { messageOf } from '../core/message-of.ts'

const FAILED = 1
const WRONG = 2

/** Gives the exit code. */
export async function evaluate(usage: EvalUsage): Promise<number> {
  try {
    await measure(usage)
    return 0
  } catch (error) {
    if (error instanceof NoData || error instanceof BadData) {
      console.error(error.message)
      return WRONG
    }
    console.error(messageOf(error))
    return FAILED
  }
}

function measure(usage: EvalUsage): Promise<void> {
  switch (usage.what) {
    case 'reflector':
      return evalReflector(usage)
    case 'judge':
      return evalJudge(usage)
    case 'import':
      return evalImport(usage)
  }
}
