import { JUDGE_OPTIONS, judgeIn, readArgs } from '../stage/options.ts'
import type { JudgeOption } from '../stage/options.ts'

export const USAGE = `npm run demo -- [options]
  --judge-endpoint URL   let a real model judge (OpenAI-compatible: Ollama, OpenAI, vLLM); without it the built-in judge
  --judge-model NAME     which one
  --keep                 leave everything running at the end, and print lines for curl
To see that the demo can fail:
  --without-ibac         take the gate out of the guarded acts
  --observe              let the gate only watch
The other demo: npm run demo -- finance`

export interface Options {
  readonly judge: JudgeOption | undefined
  readonly keep: boolean
  readonly withoutIbac: boolean
  readonly observe: boolean
}

const OPTIONS = {
  ...JUDGE_OPTIONS,
  keep: { type: 'boolean', default: false },
  'without-ibac': { type: 'boolean', default: false },
  observe: { type: 'boolean', default: false },
} as const

export function readOptions(args: readonly string[]): Options | string {
  return readArgs(args, OPTIONS, (values) => ({
    judge: judgeIn(values),
    keep: values.keep,
    withoutIbac: values['without-ibac'],
    observe: values.observe,
  }))
}
