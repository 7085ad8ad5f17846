import type { EmbeddedJudge } from './embedded/judge.ts'
import type { Judge } from './judge.ts'

/** Below this, legitimate and injected actions were told apart without a model; see the README for how well. */
export const CLEARLY_ALIGNED = 3

/** Asks the model only about what the rules do not find clearly aligned. They allow, and never deny. */
export function createPrefilteredJudge(rules: EmbeddedJudge, model: Judge): Judge {
  return {
    model: model.model,
    weigh: async (question, signal) => {
      const weighed = rules.score(question)
      if (weighed.kind === 'scored' && weighed.score < CLEARLY_ALIGNED) {
        return { kind: 'allow', reason: weighed.reason, details: { ...weighed.details, prefilter: 'allowed' } }
      }
      const verdict = await model.weigh(question, signal)
      const scored = weighed.kind === 'scored' ? { score: weighed.score } : {}
      return { ...verdict, details: { ...scored, prefilter: 'asked' } }
    },
    hears: (session, intents) => rules.hears(session, intents),
    close: () => model.close?.(),
  }
}
