import { buildChain } from '../config/chains.ts'
import type { Chains } from '../config/deadlines.ts'
import type { Config } from '../config/load.ts'
import type { Services } from '../config/plugin-type.ts'

/** The chains of a configuration that nobody runs. */
export function chainsOf({ chains }: Config): Chains {
  return {
    inbound: buildChain(chains.inbound, silentServices),
    outbound: buildChain(chains.outbound, silentServices),
  }
}

/** The plugins are made only to ask what time they may take. */
const silentServices = (): Services => ({
  log: { warn: () => undefined, error: () => undefined },
  now: () => 0,
})
