import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { judgedChains } from '../chains.ts'
import { openClient } from '../clients.ts'
import type { Client } from '../clients.ts'
import { openedTogether } from '../closing.ts'
import type { Closable, Closing } from '../closing.ts'
import { startEnvoy } from '../envoy.ts'
import type { Envoy } from '../envoy.ts'
import { startJudge } from '../judge.ts'
import type { StubJudge } from '../judge.ts'
import { startPlumbline } from '../plumbline.ts'
import type { Plumbline } from '../plumbline.ts'
import { freePorts } from '../ports.ts'
import { scratchFolder } from '../scratch.ts'
import { createAuthority } from '../tls/certificates.ts'
import { startUpstream } from '../upstream.ts'
import type { Upstream } from '../upstream.ts'
import { bootstrapOf } from './bootstrap.ts'
import { CLIENT_FILES } from './proxy.ts'
import type { Direction, Proxy } from './proxy.ts'

/** How an attachment reaches Plumbline, and how the direction is said. */
export type Reach = 'socket' | 'tls' | 'tls, a port for each direction'

/** A real Envoy with an attachment's listeners and clusters, a real Plumbline that they lead to, and what lies behind. */
export interface Stand extends Closable {
  readonly envoy: Envoy
  readonly plumbline: Plumbline
  readonly judge: StubJudge
  readonly upstreams: Readonly<Record<Direction, Upstream>>
  client(protocol: 'h1' | 'h2', direction: Direction): Client
}

/** The name that every manifest expects in Plumbline's certificate. */
const SERVER = 'plumbline.plumbline.svc.cluster.local'
const WORKLOAD = 'my-agent'

export async function startStand(proxies: readonly Proxy[], reach: Reach): Promise<Stand> {
  return openedTogether((closing) => build(proxies, reach, closing))
}

async function build(proxies: readonly Proxy[], reach: Reach, closing: Closing): Promise<Stand> {
  const folder = closing.add(await scratchFolder()).path
  const [inbound, outbound, judge] = await Promise.all([startUpstream(), startUpstream(), startJudge()])
  for (const server of [inbound, outbound, judge]) closing.add(server)
  const files = await writeCertificates(folder)
  const [adminPort = 0, one = 0, other = 0] = await freePorts(3)
  const socket = join(folder, 'p.sock')
  const ports = { inbound: one, outbound: reach === 'tls, a port for each direction' ? other : one }
  const plumbline = closing.add(
    await startPlumbline({
      folder,
      socket,
      adminPort,
      token: randomUUID(),
      ...(reach === 'socket' ? {} : { port: ports.outbound }),
      config: { ...judgedChains({ judgeUrl: judge.url }), listener: listenerOf(reach, ports, files) },
    }),
  )
  const envoy = closing.add(
    await startEnvoy({
      folder,
      values: {
        agentPort: inbound.port,
        plumblineAdminPort: adminPort,
        plumblineSocket: socket,
        workload: WORKLOAD,
        names: {},
        tls: undefined,
        messageTimeoutMs: undefined,
      },
      change: (rendered) =>
        bootstrapOf(proxies, {
          ...placesOf(rendered),
          upstreams: { inbound: inbound.port, outbound: outbound.port },
          plumbline: reach === 'socket' ? { socket } : { ports },
          files: clientFiles(files),
        }),
    }),
  )
  return {
    envoy,
    plumbline,
    judge,
    upstreams: { inbound, outbound },
    client: (protocol, direction) =>
      closing.add(openClient(protocol, direction === 'inbound' ? envoy.inboundPort : envoy.outboundPort)),
    close: () => closing.close(),
  }
}

/** What stands in place of the files that configurations name. */
export function clientFiles(files: Files): Readonly<Record<string, string>> {
  return {
    [CLIENT_FILES.cert]: files.clientCert,
    [CLIENT_FILES.key]: files.clientKey,
    [CLIENT_FILES.ca]: files.authority,
  }
}

interface Files {
  readonly authority: string
  readonly serverCert: string
  readonly serverKey: string
  readonly clientCert: string
  readonly clientKey: string
}

/** A server and a client of one authority, as files. */
export async function writeCertificates(folder: string): Promise<Files> {
  const authority = createAuthority('attach')
  const server = authority.issue('plumbline', { dns: [SERVER] })
  const client = authority.issue('gateway', { uris: [`spiffe://cluster.local/ns/agents/sa/${WORKLOAD}`] })
  const contents = {
    authority: authority.cert,
    serverCert: server.cert,
    serverKey: server.key,
    clientCert: client.cert,
    clientKey: client.key,
  }
  const named = Object.keys(contents).map((name) => [name, join(folder, `${name}.pem`)] as const)
  await Promise.all(named.map(([name, path]) => writeFile(path, contents[name as keyof Files], { mode: 0o600 })))
  return Object.fromEntries(named) as unknown as Files
}

function listenerOf(reach: Reach, ports: Readonly<Record<Direction, number>>, files: Files): Record<string, unknown> {
  const tls = { cert: files.serverCert, key: files.serverKey, client_ca: files.authority }
  const address = (direction: Direction) => `127.0.0.1:${ports[direction]}`
  switch (reach) {
    case 'socket':
      return { token_file: undefined }
    case 'tls':
      return { token_file: undefined, tls, ext_proc_addr: address('inbound') }
    case 'tls, a port for each direction':
      return {
        token_file: undefined,
        tls,
        ext_proc_addr: undefined,
        inbound_addr: address('inbound'),
        outbound_addr: address('outbound'),
      }
  }
}

/** Envoy's addresses, as the configuration that this replaces has them. */
function placesOf(rendered: string): { readonly admin: string; readonly ports: Record<Direction, number> } {
  const config = JSON.parse(rendered) as {
    admin: { address: { pipe: { path: string } } }
    static_resources: { listeners: { address: { socket_address: { port_value: number } } }[] }
  }
  const [inbound = 0, outbound = 0] = config.static_resources.listeners.map(
    ({ address }) => address.socket_address.port_value,
  )
  return { admin: config.admin.address.pipe.path, ports: { inbound, outbound } }
}
