import type { Direction, HeaderPair } from '../core/exchange.ts'
import type { Chain } from '../core/plugin.ts'
import { NO_TELEMETRY } from '../core/telemetry.ts'
import { createPipeline, type PipelineOptions } from '../pipeline/pipeline.ts'
import { createSessions } from '../session/memory.ts'

/** Until the code is compiled; a pipeline of code that has run for a while only shows that it carries an exchange. */
export const COLD_ROUNDS = 50
export const WARM_ROUNDS = 1
const MINUTE_MS = 60_000

const MESSAGES: readonly string[] = [
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"warm_up","arguments":{"a":1}}}',
  '{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"role":"user","messageId":"w","parts":[{"kind":"text","text":"warm up"}]}}}',
  '{"model":"warm-up","messages":[{"role":"user","content":"warm up"}]}',
  '{"other":true}',
]

/**
 * Sends made-up exchanges through a copy of the pipeline, so that the first real one does not wait for code to be
 * compiled. The copy has the parsers but no gate, sessions of its own, and no record: nothing is asked, learnt or told.
 */
export async function warmUp(pipeline: PipelineOptions, rounds: number): Promise<void> {
  const { open } = createPipeline({
    ...pipeline,
    chains: { inbound: withoutGates(pipeline.chains.inbound), outbound: withoutGates(pipeline.chains.outbound) },
    sessions: throwAwaySessions(),
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    record: () => undefined,
    telemetry: NO_TELEMETRY,
  })
  const exchange = async (direction: Direction, message: string) => {
    const handler = open({ direction, workload: 'warm-up', routesByHost: true })
    const reply = await handler.requestHead(HEAD, false)
    if (reply.kind === 'continue' && reply.body === 'whole') await handler.requestBody(Buffer.from(message))
    handler.answerHead([[':status', '200']], true, false)
    handler.end('complete')
  }
  for (let round = 0; round < rounds; round++) {
    for (const message of MESSAGES) {
      await exchange('inbound', message)
      await exchange('outbound', message)
    }
  }
}

const HEAD: readonly HeaderPair[] = [
  [':method', 'POST'],
  [':scheme', 'http'],
  [':authority', 'warm-up.invalid'],
  [':path', '/'],
  ['content-type', 'application/json'],
]

function withoutGates(chain: Chain): Chain {
  return { plugins: chain.plugins.filter(({ plugin }) => plugin.kind === 'parser') }
}

function throwAwaySessions() {
  const options = {
    enabled: true,
    ttlMs: MINUTE_MS,
    maxEvents: 1,
    maxSessions: 1,
    lingerMs: 0,
    maxTombstones: 0,
    tombstoneTtlMs: MINUTE_MS,
  }
  return createSessions(options, { nowMs: () => 0 })
}
