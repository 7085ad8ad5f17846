import type { JudgeUnderTest } from './judge.ts'
import type { Scenario } from './scenario.ts'

/** What was said of one step of a run, in as few letters as a journal of many thousand wants. */
export interface Decision {
  readonly score?: number
  readonly denied?: boolean
  readonly failure?: string
  readonly unclear?: string
  readonly ms: number
  readonly questions: number
  readonly tokens: number
}

export interface Played {
  readonly id: string
  readonly decisions: readonly Decision[]
  /** What taking in the tools' answers took, and how much that was. */
  readonly intakeMs: number
  readonly intakeCharacters: number
}

/**
 * Has each call of a run judged as if all before it had been let through: what is measured is each decision, and not
 * what would have become of the run after the first refusal.
 */
export async function play(scenario: Scenario, judge: JudgeUnderTest): Promise<Played> {
  const judging = judge(scenario)
  const decisions: Decision[] = []
  let intakeMs = 0
  let intakeCharacters = 0
  for (const step of scenario.steps) {
    const { tool, args } = step
    const weighed = await judging.weigh({ tool, args, spec: scenario.tools.get(tool) })
    decisions.push({ ...weighed, ms: rounded(weighed.ms) })
    const start = performance.now()
    judging.heard(step)
    intakeMs += performance.now() - start
    intakeCharacters += step.answer.length
  }
  return { id: scenario.id, decisions, intakeMs: rounded(intakeMs), intakeCharacters }
}

/** Microseconds are enough. */
function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000
}

/** Plays all, so many at once. `played` is called in the order in which they end. */
export async function playAll(
  scenarios: readonly Scenario[],
  judge: JudgeUnderTest,
  concurrency: number,
  played: (one: Played) => void,
): Promise<void> {
  const left = scenarios.values()
  const worker = async (): Promise<void> => {
    for (const scenario of left) {
      played(await play(scenario, judge))
      // A judge that never waits would let nobody else have a turn: neither a signal nor the progress.
      await new Promise(setImmediate)
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, concurrency) }, worker))
}
