import type { Finding } from '../finding.ts'
import { internalListeners, isExtProc } from '../envoy/processors.ts'
import { forwardings, perRoute } from '../envoy/routes.ts'
import type { Listener, Manager, Processor } from '../envoy/setup.ts'
import { at, numberAt, textAt, treesAt, typeName } from '../envoy/tree.ts'
import { type Check, findingAt, type Subject } from './subject.ts'

const NAME_LOOKUP = 'envoy.filters.http.dynamic_forward_proxy'

/** Istio's own: what it scrapes and how it is asked whether it lives. No traffic of an agent is on them. */
const ISTIO_OWN_PORTS: readonly unknown[] = [15_021, 15_090]

export const filterMissing: Check = (subject) =>
  carriers(subject).flatMap(({ where, filters, listener }) => {
    const ours = subject.processors.some((processor) => processor.manager.where === where)
    if (ours || filters.some(runsOnCondition)) return []
    return [
      {
        id: 'filter_missing' as const,
        where,
        listener,
        wrong: 'its HTTP filters do not have Plumbline among them: everything on it passes unseen',
        mend: { at: 'chain' as const, lines: FILTER_LINES },
      },
    ]
  })

const FILTER_LINES = `http_filters: # first, before every other filter
  - name: envoy.filters.http.ext_proc
    typed_config: # as of the listener that has it, or of envoy/sidecar.yaml; mind x-plumbline-direction`

/** Managers that send requests on. */
function carriers({ setup }: Subject): readonly Manager[] {
  return setup.listeners
    .filter(
      (listener) => !ISTIO_OWN_PORTS.includes(numberAt(listener.options, 'address', 'socket_address', 'port_value')),
    )
    .flatMap(({ managers }) => managers)
    .filter((manager) => !answersItself(manager) && !onlyTunnelsInside(manager, setup.clusters))
}

/** Every route answers in place of a server. A manager whose routes are not known may send anything anywhere. */
function answersItself(manager: Manager): boolean {
  const routes = treesAt(manager.routes, 'virtual_hosts').flatMap((host) => treesAt(host, 'routes'))
  return routes.length > 0 && forwardings(manager).length === 0
}

/** What it ends is CONNECT, whose payload goes to a listener of its own. */
function onlyTunnelsInside(manager: Manager, clusters: Subject['setup']['clusters']): boolean {
  const all = forwardings(manager)
  return (
    all.length > 0 && all.every((each) => each.connect && each.clusters.every((name) => leadsInside(clusters, name)))
  )
}

const leadsInside = (clusters: Subject['setup']['clusters'], name: string) =>
  internalListeners(clusters.get(name)).length > 0

/** The filter stands inside another one, which decides for each request whether it runs. */
const runsOnCondition = (filter: Manager['filters'][number]): boolean =>
  !isExtProc(filter) && JSON.stringify(filter.options).includes('.ext_proc.v3.ExternalProcessor')

export const filterConditional: Check = (subject) =>
  carriers(subject).flatMap(({ where, filters, listener }) =>
    filters.filter(runsOnCondition).map(({ name }) => ({
      id: 'filter_conditional' as const,
      where,
      listener,
      wrong: `the filter ${name} decides for each request whether Plumbline sees it; nothing inside it is checked here`,
      mend: { at: 'chain' as const, lines: FILTER_LINES },
    })),
  )

/** One finding for a filter chain, however many of its routes do so. */
export const filterDisabled: Check = ({ setup, processors }) =>
  bases(processors).flatMap((processor) => {
    const { manager, filter } = processor
    const off = forwardings(manager).filter(
      (each) =>
        perRoute(filter, each).kind === 'off' && !each.clusters.every((name) => leadsInside(setup.clusters, name)),
    )
    const unrouted = filter.disabled && forwardings(manager).length === 0
    if (off.length === 0 && !unrouted) return []
    const places = off.map(({ where }) => where.slice(manager.where.length + 2))
    const lines = filter.disabled
      ? `disabled: false # of the filter ${filter.name}, or switch it on in typed_per_filter_config of each route`
      : `typed_per_filter_config: {} # without ${filter.name}`
    return [
      findingAt(processor, 'filter_disabled', {
        wrong: unrouted ? 'the filter is switched off' : `it is switched off on ${fewOf(places)}`,
        mend: { at: filter.disabled ? 'chain' : 'route', lines },
      }),
    ]
  })

export const fewOf = (names: readonly string[]): string =>
  names.length <= 3 ? names.join('; ') : `${names.slice(0, 3).join('; ')} and ${names.length - 3} more`

/** The filters themselves, without what routes make of them. */
export const bases = (processors: readonly Processor[]): readonly Processor[] =>
  processors.filter(({ where, manager }) => where === manager.where)

export const filterLate: Check = ({ processors }) =>
  bases(processors).flatMap((processor) => {
    const { filters } = processor.manager
    const before = filters.slice(0, filters.indexOf(processor.filter))
    const looksUp = before.some(({ options, name }) => name === NAME_LOOKUP || isNameLookup(typeUrl(options)))
    if (!looksUp) return []
    return [
      findingAt(processor, 'filter_late', {
        wrong:
          'the name of the host is looked up before Plumbline judges: the look-up alone tells what the agent wanted',
        mend: { at: 'chain', lines: `http_filters: # in this order\n  - ${processor.filter.name}\n  - ${NAME_LOOKUP}` },
      }),
    ]
  })

const typeUrl = (options: unknown): string => textAt(options, '@type') ?? ''
const isNameLookup = (url: string) => url.includes('.dynamic_forward_proxy.')

export const tcpUnseen: Check = ({ setup }) =>
  setup.listeners
    .filter(({ opaque }) => opaque.length > 0)
    .map(({ name, opaque }): Finding => ({
      id: 'tcp_unseen',
      where: `listener ${name}`,
      listener: name,
      wrong: `what goes through ${fewOf(opaque)} is no HTTP to Envoy, and Plumbline never sees it`,
      mend: {
        at: 'elsewhere',
        lines:
          'Take these filter chains away, or let nothing reach them that matters: a network policy, REGISTRY_ONLY in Istio.',
      },
    }))

const upgradesOf = (manager: Manager) =>
  treesAt(manager.options, 'upgrade_configs').filter((each) => at(each, 'enabled') !== false)

export const upgradeUnseen: Check = ({ processors }) =>
  bases(processors).flatMap((processor) => {
    const open = upgradesOf(processor.manager)
      .filter((each) => each['filters'] !== undefined)
      .filter(
        (each) => !treesAt(each, 'filters').some((filter) => typeName(filter['typed_config']) === 'ExternalProcessor'),
      )
      .map((each) => textAt(each, 'upgrade_type') ?? '?')
    if (open.length === 0) return []
    return [
      findingAt(processor, 'upgrade_unseen', {
        wrong: `upgrades to ${open.join(', ')} have filters of their own, without Plumbline`,
        mend: { at: 'manager', lines: 'upgrade_configs: []' },
      }),
    ]
  })

export const upgradeRefused: Check = ({ processors }) =>
  bases(processors).flatMap((processor) => {
    const offered = upgradesOf(processor.manager)
      .filter((each) => each['filters'] === undefined)
      .map((each) => textAt(each, 'upgrade_type') ?? '?')
    if (offered.length === 0) return []
    return [
      findingAt(processor, 'upgrade_refused', {
        wrong: `upgrades to ${offered.join(', ')} are offered; Plumbline refuses each with 403, as nothing in them can be read`,
        mend: { at: 'manager', lines: 'upgrade_configs: []' },
      }),
    ]
  })

export const connectOpen: Check = ({ setup }) =>
  setup.listeners.flatMap((listener: Listener) =>
    listener.managers.flatMap((manager) =>
      forwardings(manager)
        .filter((each) => each.connect && !each.clusters.every((name) => leadsInside(setup.clusters, name)))
        .filter((each) => connects(each.route) || connects(manager.options))
        .map(({ where }): Finding => ({
          id: 'connect_open',
          where,
          listener: listener.name,
          wrong: 'CONNECT leads outside: what goes through a tunnel cannot be read',
          mend: {
            at: 'route',
            lines: 'match: { connect_matcher: {} }\ndirect_response: { status: 403 }',
          },
        })),
    ),
  )

const connects = (options: unknown): boolean =>
  [...treesAt(options, 'upgrade_configs'), ...treesAt(options, 'route', 'upgrade_configs')].some(
    (each) => textAt(each, 'upgrade_type')?.toUpperCase() === 'CONNECT' && at(each, 'enabled') !== false,
  )
