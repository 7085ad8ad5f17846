import { compose, sessionsOf } from '../../../src/cli/compose.ts'
import { PLUGIN_TYPES } from '../../../src/cli/plugins.ts'
import { readConfig } from '../../../src/config/load.ts'
import { createByteBudget } from '../../../src/core/byte-budget.ts'
import type { Direction } from '../../../src/core/exchange.ts'
import type { OpenExchange } from '../../../src/core/handler.ts'
import type { Chain } from '../../../src/core/plugin.ts'
import type { ExchangeRecord } from '../../../src/core/record.ts'
import { NO_TELEMETRY } from '../../../src/core/telemetry.ts'
import { createPipeline } from '../../../src/pipeline/pipeline.ts'
import { SILENT_LOG } from '../extproc/handlers.ts'
import type { Scripted } from './play.ts'
import { configOf } from './transcript.ts'

export interface Scene {
  readonly open: OpenExchange
  /** The plugins of each chain, in the order of the configuration. */
  readonly order: Readonly<Record<Direction, readonly string[]>>
  /** The record of the next exchange that ends. */
  nextRecord(): Promise<ExchangeRecord>
  later(ms: number): void
}

/** Real parsers, gates and sessions of one configuration; `JUDGE` and `REFLECTOR` answer there. Time stands still. */
export function setScene(config: string, { judge, reflector }: Scripted): Scene {
  const options = { environment: { JUDGE: judge.url, REFLECTOR: reflector.url }, types: PLUGIN_TYPES }
  const loaded = readConfig(configOf(config), `${config}.yaml`, options)
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'))

  let clock = 0
  const records: ExchangeRecord[] = []
  const waiting: ((record: ExchangeRecord) => void)[] = []
  const record = (ended: ExchangeRecord): void => {
    const next = waiting.shift()
    if (next === undefined) records.push(ended)
    else next(ended)
  }
  const now = () => clock
  const pipeline = compose(loaded.config, {
    ...{ log: SILENT_LOG, logOf: () => SILENT_LOG, record, now, telemetry: NO_TELEMETRY },
    sessions: sessionsOf(loaded.config, now),
    answers: createByteBudget(loaded.config.listener.max_bodies_bytes),
  })
  const { inbound, outbound } = pipeline.chains
  return {
    open: createPipeline(pipeline).open,
    order: { inbound: idsIn(inbound), outbound: idsIn(outbound) },
    nextRecord: async () => records.shift() ?? new Promise((done) => waiting.push(done)),
    later: (ms) => (clock += ms),
  }
}

const idsIn = ({ plugins }: Chain) => plugins.map(({ id }) => id)
