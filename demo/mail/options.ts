import { JUDGE_OPTIONS, judgeIn, readArgs } from '../stage/options.ts'
import type { JudgeOption } from '../stage/options.ts'

export const USAGE = `npm run demo -- [options]
  --judge-endpoint URL   let a real model judge (OpenAI-compatible: Ollama, OpenAI, vLLM); without it the built-in judge
  --judge-model NAME     which one
  --rounds N             play it N times in one go, with wording drawn anew each time, and count what was not as it should be
  --seed TEXT            draw by this, to play again what was played before: each run names its own
  --keep                 leave everything running at the end, and print lines for curl
To see that the demo can fail:
  --without-ibac         take the gate out of the guarded acts
  --observe              let the gate only watch
The other demo: npm run demo -- finance`

/** Of the gate in the guarded acts. */
export interface GateOptions {
  readonly judge: JudgeOption | undefined
  readonly withoutIbac: boolean
  readonly observe: boolean
}

export interface Options extends GateOptions {
  /** One is told as a story. */
  readonly rounds: number
  /** Absent: another one each time. */
  readonly seed: string | undefined
  readonly keep: boolean
}

const OPTIONS = {
  ...JUDGE_OPTIONS,
  rounds: { type: 'string', default: '1' },
  seed: { type: 'string' },
  keep: { type: 'boolean', default: false },
  'without-ibac': { type: 'boolean', default: false },
  observe: { type: 'boolean', default: false },
} as const

export function readOptions(args: readonly string[]): Options | string {
  return readArgs(args, OPTIONS, (values) => ({
    judge: judgeIn(values),
    ...roundsIn(values),
    withoutIbac: values['without-ibac'],
    observe: values.observe,
  }))
}

interface RoundValues {
  readonly rounds: string
  readonly seed?: string | undefined
  readonly keep: boolean
}

/** More would be more names than Envoy should be given at once. */
const MOST_ROUNDS = 500

function roundsIn({ rounds, seed, keep }: RoundValues): Pick<Options, 'rounds' | 'seed' | 'keep'> {
  const number = /^[1-9]\d{0,2}$/.test(rounds) ? Number(rounds) : Infinity
  if (number > MOST_ROUNDS) throw new Error(`--rounds is a whole number from 1 to ${MOST_ROUNDS}`)
  if (seed === '') throw new Error('--seed is empty')
  if (keep && number > 1) throw new Error('--keep leaves one round running, so it does not go with --rounds')
  return { rounds: number, seed, keep }
}
