import type { Scenario, Step, ToolSpec } from './scenario.ts'

/** What a judge under test is asked about. */
export interface EvaluatedCall {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  readonly spec: ToolSpec | undefined
}

export type Weighed = {
  /** What it took, without the wait for a turn. */
  readonly ms: number
  /** Questions to a model. */
  readonly questions: number
  readonly tokens: number
} & (
  | {
      /** Higher is worse. */
      readonly score: number
      readonly denied: boolean
      /** What was wrong with the answer, where no verdict could be read from it. */
      readonly unclear?: string
    }
  /** It could not be asked: this says nothing of how good it is. */
  | { readonly failure: string }
)

/** A judge in one run. It hears what the agent's tools answered, in order. */
export interface EvaluatedJudge {
  weigh(call: EvaluatedCall): Promise<Weighed>
  heard(step: Step): void
}

/** Begins a run anew, as a session of its own. */
export type JudgeUnderTest = (scenario: Scenario) => EvaluatedJudge
