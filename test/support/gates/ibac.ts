import type { Action } from '../../../src/core/action.ts'
import type { ChainFacts } from '../../../src/config/plugin-type.ts'
import type { Exchange } from '../../../src/core/exchange.ts'
import type { Gate } from '../../../src/core/plugin.ts'
import type { Ruling } from '../../../src/core/ruling.ts'
import type { IbacConfig } from '../../../src/gates/ibac/config.ts'
import { ibacType } from '../../../src/gates/ibac/index.ts'
import { createIbac } from '../../../src/gates/ibac/ibac.ts'
import type { Case, Judge } from '../../../src/gates/ibac/judge.ts'
import type { Verdict } from '../../../src/gates/ibac/verdict.ts'

export const LLM = { judge_endpoint: 'http://judge.test:11434', judge_model: 'm' }

export const configOf = (config: object = {}): IbacConfig => ibacType.schema.parse({ ...LLM, ...config })

export const CHAIN: ChainFacts = {
  direction: 'outbound',
  lentHosts: [],
  siblings: [{ name: 'mcp-parser', mode: 'enforce', config: { hosts: [], paths: ['/mcp'] } }],
}

/** The gate as it stands in a chain. */
export function placedGate(config: object = {}): Gate {
  let clock = 0
  const log = { warn: () => undefined, error: () => undefined }
  return ibacType.create(configOf(config), { log, now: () => (clock += 5) }, CHAIN)
}

/** The gate with a judge of the test's own. */
export function gateWith(judge: Judge['weigh'], config: object = {}): { gate: Gate; cases: Case[] } {
  const cases: Case[] = []
  let clock = 0
  const gate = createIbac({
    config: configOf(config),
    judge: {
      model: 'stub',
      weigh: (question, signal) => {
        cases.push(question)
        return judge(question, signal)
      },
    },
    exempts: () => undefined,
    goesToModel: () => false,
    now: () => (clock += 7),
  })
  return { gate, cases }
}

export const says = (kind: 'allow' | 'deny' | 'uncertain', reason = 'because'): Judge['weigh'] =>
  always({ kind, reason })

export const always =
  (verdict: Verdict): Judge['weigh'] =>
  () =>
    Promise.resolve(verdict)

export function ask(gate: Gate, action: Action, x: Exchange, signal = new AbortController().signal): Promise<Ruling> {
  return gate.judge(action, x, signal)
}
