import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from '@a2a-js/sdk/client'
import type { Client } from '@a2a-js/sdk/client'

/** The official client of an agent, by the agent's card. */
export function connectAgent(url: string, through: typeof fetch): Promise<Client> {
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl: through })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl: through }),
  })
  return factory.createFromUrl(url)
}
