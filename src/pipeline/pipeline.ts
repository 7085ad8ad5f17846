import type { ByteBudget } from '../core/byte-budget.ts'
import type { Direction } from '../core/exchange.ts'
import type { OpenExchange } from '../core/handler.ts'
import type { Chain, Gate, Parser, Placed } from '../core/plugin.ts'
import type { ExchangeRecord } from '../core/record.ts'
import type { Sessions } from '../core/session.ts'
import type { Telemetry } from '../core/telemetry.ts'
import { createExchangeRun } from './exchange-run.ts'
import type { HoldLimits } from './guarded-answer.ts'
import { onlyWatches } from './judging.ts'
import { ResultNews } from './result-news.ts'

export interface PipelineLog {
  info(facts: Readonly<Record<string, unknown>>, message: string): void
  warn(facts: Readonly<Record<string, unknown>>, message: string): void
  error(facts: Readonly<Record<string, unknown>>, message: string): void
}

export interface PipelineLimits {
  /** Of a body after its content-encoding is undone. */
  readonly bodyBytes: number
  /** How many decoded bytes one encoded byte may become. */
  readonly ratio: number
  /** Of one answer whose calls wait for their rulings. */
  readonly hold: HoldLimits
  /** From the moment a request, or a call that an answer proposes, is complete to our word on it; by direction. */
  readonly verdictDeadlineMs: Readonly<Record<Direction, number>>
}

export interface PipelineOptions {
  readonly chains: Readonly<Record<Direction, Chain>>
  readonly sessions: Sessions
  readonly limits: PipelineLimits
  /** For all answers that are read or held, together; beyond it reading stops, the answers go on. */
  readonly answers: ByteBudget
  readonly telemetry: Telemetry
  readonly log: PipelineLog
  readonly record: (record: ExchangeRecord) => void
  /** Milliseconds, monotone. */
  readonly now: () => number
}

/** A chain, sorted by kind; its order holds within a kind. */
export interface SortedChain {
  readonly all: readonly Placed[]
  readonly parsers: readonly Placed<Parser>[]
  readonly gates: readonly Placed<Gate>[]
  /** The gates that look at requests, and those that look at what answers propose; a gate may do both. */
  readonly atRequest: readonly Placed<Gate>[]
  readonly atCompletion: readonly Placed<Gate>[]
  /** The gates that look at what tools answered. */
  readonly atResults: readonly Placed<Gate>[]
  /** How much of it is kept for them; undefined where there are none. */
  readonly resultsBytes: number | undefined
  readonly news: ResultNews
  /** At least one gate enforces: then each action needs a ruling. */
  readonly enforces: boolean
  /** No gate at all, not even one that is off: then its parsers refuse what they cannot read. */
  readonly ungated: boolean
}

export interface RunContext extends Omit<PipelineOptions, 'chains'> {
  readonly chains: Readonly<Record<Direction, SortedChain>>
}

function sortChain(chain: Chain, log: PipelineLog): SortedChain {
  const live = chain.plugins.filter((p) => p.mode !== 'off')
  const gates = live.filter((p): p is Placed<Gate> => p.plugin.kind === 'gate')
  const wishes = gates.flatMap(({ plugin }) => (plugin.needsResults === undefined ? [] : [plugin.needsResults.bytes]))
  const atResults = gates.filter(({ plugin }) => plugin.needsResults !== undefined)
  return {
    all: chain.plugins,
    parsers: live.filter((p): p is Placed<Parser> => p.plugin.kind === 'parser'),
    gates,
    atRequest: gates.filter((g) => g.plugin.points.includes('request')),
    atCompletion: gates.filter((g) => g.plugin.points.includes('completion')),
    atResults,
    resultsBytes: wishes.length === 0 ? undefined : Math.max(...wishes),
    news: new ResultNews(atResults, ({ id }, cause) => {
      log.error({ plugin: id, err: cause }, 'a gate failed over new results')
    }),
    enforces: gates.some((g) => !onlyWatches(g)),
    ungated: chain.plugins.every((p) => p.plugin.kind === 'parser'),
  }
}

export function createPipeline(options: PipelineOptions): { readonly open: OpenExchange } {
  const context: RunContext = {
    ...options,
    chains: {
      inbound: sortChain(options.chains.inbound, options.log),
      outbound: sortChain(options.chains.outbound, options.log),
    },
  }
  return { open: (caller) => createExchangeRun(caller, context) }
}
