import type { Action } from '../../../src/core/action.ts'
import type { ChainFacts } from '../../../src/config/plugin-type.ts'
import type { Exchange } from '../../../src/core/exchange.ts'
import type { Gate } from '../../../src/core/plugin.ts'
import type { Ruling } from '../../../src/core/ruling.ts'
import type { ChatMessage, Conversation, RecalledConversation } from '../../../src/core/session.ts'
import type { SparcConfig } from '../../../src/gates/sparc/config.ts'
import { sparcType } from '../../../src/gates/sparc/index.ts'
import type { Question, Reflection } from '../../../src/gates/sparc/reflector.ts'
import { createSparc } from '../../../src/gates/sparc/sparc.ts'
import { createVerdictCache } from '../../../src/gates/kit/verdict-cache.ts'
import { gateExchange, sessionOf, sessions, type GateGiven } from './kit.ts'

export const HTTP = { reflector_endpoint: 'http://reflector.test:8090' }

export const sparcConfig = (config: object = {}): SparcConfig => sparcType.schema.parse({ ...HTTP, ...config })

export const SPARC_CHAIN: ChainFacts = {
  direction: 'outbound',
  lentHosts: [],
  siblings: [
    { name: 'inference-parser', mode: 'enforce', config: { hosts: [] } },
    { name: 'mcp-parser', mode: 'enforce', config: { hosts: [], paths: ['/mcp'] } },
  ],
}

/** The gate as it stands in a chain. */
export function placedSparc(config: object = {}): Gate {
  const log = { warn: () => undefined, error: () => undefined }
  return sparcType.create(sparcConfig(config), { log, now: () => 0 }, SPARC_CHAIN)
}

export type Reflecting = (question: Question, signal: AbortSignal) => Reflection | Promise<Reflection>

/** The gate with a reflector of the test's own. */
export function sparcWith(reflecting: Reflecting, config: object = {}): { gate: Gate; questions: Question[] } {
  const questions: Question[] = []
  const clock = { nowMs: 0 }
  const now = () => (clock.nowMs += 7)
  const checked = sparcConfig(config)
  const gate = createSparc({
    config: checked,
    reflector: {
      track: checked.track,
      reflect: async (question, signal) => {
        questions.push(question)
        return reflecting(question, signal)
      },
    },
    cache: createVerdictCache({ ttlMs: checked.cache_ttl_ms, keeps: ({ kind }) => kind === 'verdict', now: () => 0 }),
    exempts: () => undefined,
    now,
  })
  return { gate, questions }
}

type Verdict = Extract<Reflection, { readonly kind: 'verdict' }>

export const approves: Reflecting = () => ({
  kind: 'verdict',
  decision: 'approve',
  issues: [],
  score: 0.9,
  executionMs: 3,
})

export const UNGROUNDED = {
  issue_type: 'semantic_parameter',
  metric_name: 'id.parameter_hallucination_check',
  explanation: 'The value of id was never mentioned.',
  correction: null,
}

export const rejection = (more: Partial<Verdict> = {}): Verdict => ({
  kind: 'verdict',
  decision: 'reject',
  issues: [UNGROUNDED],
  score: 0.2,
  executionMs: 4,
  ...more,
})

export const rejects =
  (more: Partial<Verdict> = {}): Reflecting =>
  () =>
    rejection(more)

export const isAway: Reflecting = () => ({ kind: 'unavailable', failure: 'status 500' })

export const spec = (name: string) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: { id: { type: 'string' } } } },
})

export const talk = (
  messages: readonly ChatMessage[] = [
    { role: 'system', text: 'Be brief.' },
    { role: 'user', text: 'Refund my last order' },
  ],
  tools: readonly unknown[] = [spec('refund')],
): Conversation => ({ messages, tools })

export const recalled = (more: Partial<RecalledConversation> = {}): RecalledConversation => ({
  ...talk(),
  proposedIt: true,
  ...more,
})

/** A call on its way to its server, of a session that remembers a conversation. */
export const onItsWay = (
  conversation: RecalledConversation | undefined = recalled(),
  given: GateGiven = {},
): Exchange =>
  gateExchange({
    session: sessions('exact', sessionOf('s-1', ['Refund'], { conversation: () => conversation })),
    ...given,
  })

/** A call that the answer to this exchange proposes. */
export const inAnswer = (conversation: Conversation | undefined = talk(), given: GateGiven = {}): Exchange => ({
  ...gateExchange({ host: 'llm.test', path: '/v1/chat/completions', body: {}, ...given }),
  conversation,
})

export const proposed = (tool: string, argumentsText: string): Action => ({
  kind: 'tool-call',
  tool,
  args: argumentsText,
  proposed: { id: 'call-1', tool, argumentsText },
  effect: 'unknown',
  home: 'unstated',
})

export function askSparc(
  gate: Gate,
  action: Action,
  x: Exchange,
  signal = new AbortController().signal,
): Promise<Ruling> {
  return gate.judge(action, x, signal)
}
