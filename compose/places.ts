import type { Hosts } from '../demo/mail/story.ts'

/** Where everybody is. compose.yaml says the same; the test that starts all this on one machine puts other ports in. */
function port(name: string, usual: number): number {
  return Number(process.env[name] ?? usual)
}

/** By these names the servers are known, on Docker's network as in Plumbline's configuration. */
export const HOSTS: Hosts = {
  mailHost: 'mail.demo.example',
  modelHost: 'model.demo.example',
  evilHost: 'evil.demo.example',
}

/** Of a server, for the agent. */
export const servedAt = port('SERVE_PORT', 80)
/** Of a server, for whoever wants to know what reached it. */
export const toldAt = port('TELL_PORT', 9000)
/** Of the agent, and of the proxy beside it. */
export const agentAt = port('AGENT_PORT', 8001)
export const proxyAt = port('PROXY_PORT', 3128)

export interface Place {
  readonly host: string
  readonly port: number
}

export const envoyInbound = place('ENVOY_INBOUND', { host: 'envoy', port: 8000 })
export const evilDelivery = place('EVIL', { host: HOSTS.evilHost, port: 80 })
export const evilTold = place('EVIL_TOLD', { host: HOSTS.evilHost, port: 9000 })
export const mailTold = place('MAIL_TOLD', { host: HOSTS.mailHost, port: 9000 })

function place(name: string, usual: Place): Place {
  const [host, given] = (process.env[name] ?? '').split(':')
  return host === undefined || given === undefined ? usual : { host, port: Number(given) }
}
