import { startAgent } from '../demo/mail/agent.ts'
import { forward } from './forward.ts'
import { agentAt, HOSTS, proxyAt } from './places.ts'

/** Where Envoy looks for it: on the loopback that they share. */
export async function playAgent(): Promise<void> {
  const agent = await startAgent(() => HOSTS)
  agent.useProxy(proxyAt)
  await forward({ host: '127.0.0.1', port: agentAt }, { host: '127.0.0.1', port: agent.port })
}
