import { type Findings, findings } from '../config/findings.ts'
import type { Config } from '../config/load.ts'
import type { OpenExchange } from '../core/handler.ts'
import type { ExchangeRecord } from '../core/record.ts'
import { createPipeline } from '../pipeline/pipeline.ts'
import { compose, type Surroundings } from './compose.ts'
import { warmUp } from './warm-up.ts'

/** What one configuration decides with, from the first exchange that it opens to the last that it ends. */
export interface Generation {
  readonly findings: Findings
  readonly open: OpenExchange
  warmUp(rounds: number): Promise<void>
  /** Opens no more. What its gates keep open ends with its last exchange. Called once. */
  retire(): void
}

export function createGeneration(config: Config, surroundings: Surroundings): Generation {
  let exchanges = 0
  let retired = false
  const pipeline = compose(config, {
    ...surroundings,
    // The last that is heard of an exchange: no gate still thinks about it.
    record: (record: ExchangeRecord) => {
      exchanges -= 1
      surroundings.record(record)
      closeWhenDone()
    },
  })
  const { open } = createPipeline(pipeline)

  function closeWhenDone(): void {
    if (!retired || exchanges > 0) return
    for (const { plugins } of [pipeline.chains.inbound, pipeline.chains.outbound]) {
      for (const { plugin } of plugins) if (plugin.kind === 'gate') plugin.close?.()
    }
  }

  return {
    findings: findings(config, pipeline.chains),
    open: (caller) => {
      const handler = open(caller)
      exchanges += 1
      return handler
    },
    warmUp: async (rounds) => warmUp(pipeline, rounds),
    retire: () => {
      retired = true
      closeWhenDone()
    },
  }
}
