import type { Direction } from '../../core/exchange.ts'
import type { Finding } from '../finding.ts'
import { endpointsOf, goesByHost, internalListeners } from '../envoy/processors.ts'
import { forwardings } from '../envoy/routes.ts'
import type { Processor } from '../envoy/setup.ts'
import { isTree, textAt, type Tree } from '../envoy/tree.ts'
import type { Needs } from '../needs.ts'
import { bases, fewOf } from './attachment.ts'
import { directionOf } from './processing.ts'
import { type Check, clusterOf, filterLines, findingAt, ofEach, type Subject } from './subject.ts'

const DIRECTION = 'x-plumbline-direction'
const TOKEN = 'x-plumbline-token'

const metadataLines = (key: string, value: string) =>
  filterLines(`grpc_service:\n  initial_metadata:\n    - { key: ${key}, value: ${value} }`)

export const directionMissing = ofEach('direction_missing', (processor, subject) => {
  if (processor.said.has(DIRECTION) || saidByAddress(processor, subject) !== undefined) return undefined
  const unsure = subject.needs === undefined ? ' (unless Plumbline has a listener for each; --config says so)' : ''
  return {
    wrong: `the filter does not say which way its traffic flows: every exchange is refused, 500 plumbline.no_direction${unsure}`,
    mend: metadataLines(DIRECTION, processor.expected ?? 'inbound # or outbound'),
  }
})

export const directionWrong = ofEach('direction_wrong', (processor, subject) => {
  const values = processor.said.get(DIRECTION) ?? []
  const [first] = values
  if (first === undefined) return wrongAddress(processor, subject)
  const right = saidByAddress(processor, subject) ?? processor.expected
  const said = directionOf(first)
  const mend = metadataLines(DIRECTION, right ?? 'inbound # or outbound')
  if (values.length > 1) return { wrong: `${DIRECTION} is said twice, which counts as not said`, mend }
  if (said === undefined) {
    // One that is taken from the request is another finding.
    if (fromRequest(first)) return undefined
    return {
      wrong: `${DIRECTION} is "${first}": inbound and outbound are all there is; every exchange is refused`,
      mend,
    }
  }
  if (right === undefined || right === said) return undefined
  return { wrong: `${DIRECTION} is ${said}, and this is where ${right} traffic flows: it meets the wrong chain`, mend }
})

function wrongAddress(processor: Processor, subject: Subject) {
  const said = saidByAddress(processor, subject)
  if (said === undefined || processor.expected === undefined || said === processor.expected) return undefined
  return {
    wrong: `its cluster leads to listener.${said}_addr, and this is where ${processor.expected} traffic flows`,
    mend: filterLines(
      `grpc_service:\n  envoy_grpc: { cluster_name: the cluster that leads to listener.${processor.expected}_addr }`,
    ),
  }
}

/** The direction that the address of Plumbline stands for, where it has one for each. */
function saidByAddress(processor: Processor, subject: Subject): Direction | undefined {
  const endpoints = endpointsOf(clusterOf(subject, processor))
  return subject.needs?.listeners.find(({ address }) => endpoints.some((each) => samePlace(each, address)))?.direction
}

/** The host differs by where one stands; the port and the path do not. */
const samePlace = (a: string, b: string): boolean =>
  a.startsWith('unix:') || b.startsWith('unix:') ? a === b : a.split(':').at(-1) === b.split(':').at(-1)

/** Two listeners that declare the same direction mean it; where nothing declares one, it is rather a copy. */
export const directionSame: Check = (subject) => {
  const all = bases(subject.processors)
  const said = all.map((each) => directionOf(each.said.get(DIRECTION)?.[0]) ?? saidByAddress(each, subject))
  const [first] = said
  const copied = all.find(({ expected }) => expected === undefined)
  const listeners = new Set(all.map(({ listener }) => listener.name))
  if (first === undefined || copied === undefined || listeners.size < 2) return []
  return said.every((each) => each === first)
    ? [alone(copied, first, first === 'inbound' ? 'outbound' : 'inbound')]
    : []
}

const alone = (processor: Processor, first: Direction, other: Direction): Finding => ({
  ...findingAt(processor, 'direction_same', {
    wrong: `all filters say ${first}: Plumbline never sees ${other} traffic, and intents need the one, actions the other`,
    mend: metadataLines(DIRECTION, `${other} # of the listener where it flows`),
  }),
  where: 'all listeners',
})

/** Envoy puts these in from its own surroundings. Everything else comes from the request, the connection or another filter. */
const STATIC_COMMANDS = /%(?!(?:ENVIRONMENT|HOSTNAME|CEL\(xds\.)|%)[A-Z_]+/

const fromRequest = (value: string) => STATIC_COMMANDS.test(value)

export const metadataFromRequest = ofEach('metadata_from_request', ({ said, expected }) => {
  const taken = [...said].filter(([key, values]) => key.startsWith('x-plumbline-') && values.some(fromRequest))
  const [first] = taken
  if (first === undefined) return undefined
  const [key, [value]] = first
  const right = key === DIRECTION ? (expected ?? 'inbound # or outbound') : 'a value that stands here'
  return {
    wrong: `${key} is taken from the request (${value}): a client says who speaks`,
    mend: metadataLines(key, right),
  }
})

export const routingClaim = ofEach('routing_claim', (processor, { setup, needs }) => {
  const claimed = processor.said.get('x-plumbline-routing')?.includes('host') === true
  const outbound = (directionOf(processor.said.get(DIRECTION)?.[0]) ?? processor.expected) === 'outbound'
  if (!claimed && !(needs?.routesByHost === true && outbound)) return undefined
  const elsewhere = forwardings(processor.manager).flatMap(({ where, domains, clusters }) =>
    clusters
      .filter((name) => !followsHost(setup.clusters.get(name), domains, goesByHost(setup, name)))
      .map((name) => `${where} to ${name}`),
  )
  if (elsewhere.length === 0) return undefined
  return {
    wrong: `"routing: host" is claimed, and these routes do not go by Host: ${fewOf(elsewhere)}; a client could name a trusted host and send elsewhere`,
    mend: claimed
      ? { at: 'filter', lines: 'grpc_service: # without x-plumbline-routing' }
      : { at: 'plumbline', lines: 'listener: # without routing' },
  }
})

/** By Host: the name is looked up, or the names that lead to a fixed cluster are listed. A listener of this Envoy is looked at by itself. */
function followsHost(cluster: Tree | undefined, domains: readonly string[], byHost: boolean): boolean {
  if (internalListeners(cluster).length > 0) return true
  if (byHost || !isTree(cluster)) return byHost || cluster === undefined
  return textAt(cluster, 'type') !== 'ORIGINAL_DST' && !domains.includes('*')
}

export const tokenMissing: Check = (subject) => [...openPorts(subject), ...openListeners(subject.needs)]

/** As Envoy sees it: a port, no TLS, and nothing that says who it is. */
function openPorts(subject: Subject): readonly Finding[] {
  return bases(subject.processors).flatMap((processor) => {
    const cluster = clusterOf(subject, processor)
    const ports = endpointsOf(cluster).filter((address) => !address.startsWith('unix:'))
    if (ports.length === 0 || cluster?.['transport_socket'] !== undefined || processor.said.has(TOKEN)) return []
    return [
      findingAt(processor, 'token_missing', {
        wrong: `it speaks to ${fewOf(ports)} without TLS and without a token: whoever reaches that port can do the same, and forge what a user asked`,
        mend: metadataLines(TOKEN, "'%ENVIRONMENT(PLUMBLINE_TOKEN)%'"),
      }),
    ]
  })
}

/** As Plumbline's own configuration says. */
function openListeners(needs: Needs | undefined): readonly Finding[] {
  if (needs === undefined || needs.token || needs.tls) return []
  return needs.listeners
    .filter(({ address }) => !address.startsWith('unix:'))
    .map(({ address }): Finding => ({
      id: 'token_missing',
      where: `Plumbline on ${address}`,
      wrong: 'it asks for no token and no certificate: whoever reaches the port can forge what a user asked',
      mend: {
        at: 'plumbline',
        lines: 'listener:\n  token_file: /etc/plumbline/token # its content in PLUMBLINE_TOKEN of Envoy',
      },
    }))
}

export const tokenUnsent = ofEach('token_unsent', ({ said }, { needs }) =>
  needs?.token === true && !said.has(TOKEN)
    ? {
        wrong: 'Plumbline wants a token (listener.token_file), and the filter sends none: everything is answered 503',
        mend: metadataLines(TOKEN, "'%ENVIRONMENT(PLUMBLINE_TOKEN)%'"),
      }
    : undefined,
)
