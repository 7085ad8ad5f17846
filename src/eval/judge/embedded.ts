import type { Action } from '../../core/action.ts'
import type { RecalledConversation, SeenResult, SessionView } from '../../core/session.ts'
import { createEmbeddedJudge } from '../../gates/ibac/embedded/judge.ts'
import { exchangeFor, sessionWith } from './exchange.ts'
import type { EvaluatedCall, JudgeUnderTest, Weighed } from './judge.ts'
import type { Scenario } from './scenario.ts'

export interface EmbeddedOptions {
  readonly denyAt: number
  readonly maxResultsBytes: number
}

/** Above all that can be weighed. */
const UNREADABLE = 100

/** The gate's own judge, in a session that knows what the run showed so far. */
export function embeddedJudge({ denyAt, maxResultsBytes }: EmbeddedOptions): JudgeUnderTest {
  const judge = createEmbeddedJudge({
    denyAt,
    maxResultsBytes,
    trusts: () => false,
    effectNamed: () => undefined,
    delegationPhrases: [],
  })
  return (scenario) => {
    const results: SeenResult[] = []
    const session = sessionOf(scenario, results)
    const x = exchangeFor(session)
    const shown = { json: '', actionBytes: 0, whole: true }
    return {
      weigh: (call): Promise<Weighed> => {
        const start = performance.now()
        const weighed = judge.score({ action: onItsWay(call), x, shown, session, intents: [scenario.intent] })
        const spent = { ms: performance.now() - start, questions: 0, tokens: 0 }
        // What cannot be weighed the gate denies.
        if (weighed.kind === 'unreadable') return Promise.resolve({ ...spent, score: UNREADABLE, denied: true })
        const { score, onlyReads } = weighed
        return Promise.resolve({ ...spent, score, denied: score >= denyAt && !onlyReads })
      },
      heard: ({ tool, args, answer }) => {
        results.push({ tool, args, text: answer, cut: false })
        while (judge.hears(session, [scenario.intent]) === 'more');
      },
    }
  }
}

function sessionOf({ intent, system, tools }: Scenario, list: readonly SeenResult[]): SessionView {
  const conversation: RecalledConversation = {
    messages: system === '' ? [] : [{ role: 'system', text: system }],
    tools: [...tools.values()].map((spec) => ({ type: 'function', function: spec })),
    proposedIt: true,
  }
  return { ...sessionWith(intent), results: { list, incomplete: false }, conversation: () => conversation }
}

/** A call to one of the agent's own tools, as most runs have them. */
function onItsWay({ tool, args }: EvaluatedCall): Action {
  return { kind: 'tool-call', effect: 'unknown', home: 'own', tool, args }
}
