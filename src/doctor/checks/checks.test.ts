import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { applyMend, managerIn, processorIn } from '../../../test/support/mend.ts'
import type { Json } from '../../../test/support/sidecar.ts'
import type { CheckId } from '../catalogue.ts'
import { readBootstrap } from '../envoy/bootstrap.ts'
import { examineEnvoy } from '../examine.ts'
import type { Finding } from '../finding.ts'
import type { Known, Needs } from '../needs.ts'
import { CONFIGURATION_CHECKS } from './index.ts'

type Tree = Record<string, Json>

const SHIPPED = JSON.stringify(parse(readFileSync('envoy/sidecar.yaml', 'utf8')))

const NEEDS: Needs = {
  messageTimeoutMs: { inbound: 2500, outbound: 7500 },
  maxBodyBytes: 10_485_760,
  maxStreams: 1000,
  listeners: [{ address: 'unix:/run/plumbline/plumbline.sock' }],
  token: true,
  tls: false,
  routesByHost: false,
  digest: 'aa',
}
const KNOWN: Known = { needs: NEEDS, nodeVersion: '20.19.0' }

function found(config: string, known: Known = KNOWN): readonly Finding[] {
  const setup = readBootstrap(config)
  if ('wrong' in setup) throw new Error(setup.wrong)
  return examineEnvoy([{ name: 'file', setup }], undefined, known).findings
}

interface Parts {
  readonly config: Tree
  readonly resources: { readonly listeners: Tree[]; readonly clusters: Tree[] }
  readonly inbound: Tree
  readonly outbound: Tree
  readonly cluster: Tree
}

function changed(change: (parts: Parts) => void): string {
  const config = JSON.parse(SHIPPED) as Tree
  const resources = config['static_resources'] as unknown as Parts['resources']
  const [inbound, outbound] = resources.listeners
  const [cluster] = resources.clusters
  if (inbound === undefined || outbound === undefined || cluster === undefined) throw new Error('another file')
  change({ config, resources, inbound, outbound, cluster })
  return JSON.stringify(config)
}

const filterOf = (listener: Tree) => processorIn(managerIn(listener))
const filtersOf = (listener: Tree) => managerIn(listener)['http_filters'] as Tree[]
const service = (listener: Tree) => filterOf(listener)['grpc_service'] as { initial_metadata: Tree[] }
const hostsOf = (listener: Tree) =>
  (managerIn(listener)['route_config'] as { virtual_hosts: (Tree & { routes: Tree[] })[] }).virtual_hosts
const routeOf = (listener: Tree) => hostsOf(listener).at(-1)?.routes.at(-1) ?? {}
const actionOf = (listener: Tree) => routeOf(listener)['route'] as Tree

/** One change to the shipped filter of the outbound listener. */
const set = (member: string, value: Json) => changed(({ outbound }) => void (filterOf(outbound)[member] = value))
const modes = (changes: Tree) =>
  changed(({ outbound }) => void Object.assign(filterOf(outbound)['processing_mode'] as Tree, changes))
const manager = (member: string, value: Json) => changed(({ outbound }) => void (managerIn(outbound)[member] = value))
function said(key: string, value: string | undefined): string {
  return changed(({ outbound }) => {
    const kept = service(outbound).initial_metadata.filter((entry) => entry['key'] !== key)
    service(outbound).initial_metadata = value === undefined ? kept : [...kept, { key, value }]
  })
}
const perRoute = (value: Json) =>
  changed(
    ({ outbound }) => void (routeOf(outbound)['typed_per_filter_config'] = { 'envoy.filters.http.ext_proc': value }),
  )

const PER_ROUTE = 'type.googleapis.com/envoy.extensions.filters.http.ext_proc.v3.ExtProcPerRoute'
const OUTBOUND = 'listener outbound'
const ON_ROUTE = 'listener outbound, virtual host by_host, route /'
const CLUSTER = 'cluster plumbline'

interface Row {
  readonly id: CheckId
  readonly name: string
  readonly config: string
  readonly where: string
  readonly wrong: RegExp
  readonly known?: Known
  /** The lines are for people, or mend another place than where one can put them blindly. */
  readonly byHand?: true
}

const ROWS: readonly Row[] = [
  {
    id: 'filter_missing',
    name: 'no filter on one listener',
    config: changed(({ outbound }) => void filtersOf(outbound).shift()),
    where: OUTBOUND,
    wrong: /everything on it passes unseen/,
    byHand: true,
  },
  {
    id: 'filter_missing',
    name: 'a listener that somebody added',
    config: changed(({ resources, outbound }) => {
      const copy = { ...(JSON.parse(JSON.stringify(outbound)) as Tree), name: 'forgotten' }
      filtersOf(copy).shift()
      resources.listeners.push(copy)
    }),
    where: 'listener forgotten',
    wrong: /everything on it passes unseen/,
    byHand: true,
  },
  {
    id: 'filter_disabled',
    name: 'on one route',
    config: perRoute({ '@type': PER_ROUTE, disabled: true }),
    where: OUTBOUND,
    wrong: /virtual host by_host, route \//,
    byHand: true,
  },
  {
    id: 'filter_disabled',
    name: 'on one route, by the general switch',
    config: perRoute({ '@type': 'type.googleapis.com/envoy.config.route.v3.FilterConfig', disabled: true }),
    where: OUTBOUND,
    wrong: /virtual host by_host, route \//,
    byHand: true,
  },
  {
    id: 'filter_disabled',
    name: 'for all routes that do not switch it on',
    config: changed(({ outbound }) => void ((filtersOf(outbound)[0] as Tree)['disabled'] = true)),
    where: OUTBOUND,
    wrong: /is switched off on .*tls_by_envoy.*by_host/,
    byHand: true,
  },
  {
    id: 'filter_conditional',
    name: 'inside a filter that asks a matcher',
    config: changed(({ outbound }) => {
      const [filter] = filtersOf(outbound)
      const inner = { name: 'inner', typed_config: filter?.['typed_config'] ?? {} }
      filtersOf(outbound)[0] = {
        name: 'composite',
        typed_config: {
          '@type': 'type.googleapis.com/envoy.extensions.common.matching.v3.ExtensionWithMatcher',
          extension_config: inner,
        },
      }
    }),
    where: OUTBOUND,
    wrong: /composite decides for each request/,
    byHand: true,
  },
  {
    id: 'filter_late',
    name: 'after the look-up',
    config: changed(({ outbound }) => {
      const filters = filtersOf(outbound)
      filters.splice(1, 0, ...filters.splice(0, 1))
    }),
    where: OUTBOUND,
    wrong: /looked up before Plumbline judges/,
    byHand: true,
  },
  {
    id: 'tcp_unseen',
    name: 'a chain that only forwards bytes',
    config: changed(
      ({ outbound }) =>
        void (outbound['filter_chains'] as Tree[]).push({
          name: 'tls',
          filters: [{ name: 'envoy.filters.network.tcp_proxy' }],
        }),
    ),
    where: OUTBOUND,
    wrong: /through tls is no HTTP/,
    byHand: true,
  },
  {
    id: 'upgrade_unseen',
    name: 'filters of its own',
    config: manager('upgrade_configs', [{ upgrade_type: 'websocket', filters: [{ name: 'router' }] }]),
    where: OUTBOUND,
    wrong: /websocket have filters of their own/,
  },
  {
    id: 'upgrade_refused',
    name: 'offered',
    config: manager('upgrade_configs', [{ upgrade_type: 'websocket' }]),
    where: OUTBOUND,
    wrong: /websocket are offered/,
  },
  {
    id: 'connect_open',
    name: 'on a route of its own',
    config: changed(({ outbound }) => {
      hostsOf(outbound)[1]?.routes.unshift({
        match: { connect_matcher: {} },
        route: { cluster: 'by_host', upgrade_configs: [{ upgrade_type: 'CONNECT', connect_config: {} }] },
      })
    }),
    where: 'listener outbound, virtual host by_host, route 1',
    wrong: /CONNECT leads outside/,
    byHand: true,
  },
  {
    id: 'fail_open',
    name: 'set',
    config: set('failure_mode_allow', true),
    where: OUTBOUND,
    wrong: /failure_mode_allow is true/,
  },
  {
    id: 'fail_open',
    name: 'set for one route',
    config: perRoute({ '@type': PER_ROUTE, overrides: { failure_mode_allow: true } }),
    where: ON_ROUTE,
    wrong: /failure_mode_allow is true/,
    byHand: true,
  },
  {
    id: 'observes_only',
    name: 'set',
    config: set('observability_mode', true),
    where: OUTBOUND,
    wrong: /waits for no verdict/,
  },
  {
    id: 'body_mode',
    name: 'NONE',
    config: modes({ request_body_mode: 'NONE' }),
    where: OUTBOUND,
    wrong: /^request_body_mode is NONE/,
  },
  {
    id: 'body_mode',
    name: 'left out, which is NONE',
    config: changed(
      ({ outbound }) => void delete (filterOf(outbound)['processing_mode'] as Tree)['response_body_mode'],
    ),
    where: OUTBOUND,
    wrong: /^response_body_mode is NONE/,
  },
  {
    id: 'body_mode',
    name: 'STREAMED by its number',
    config: modes({ request_body_mode: 1 }),
    where: OUTBOUND,
    wrong: /STREAMED: the head goes on/,
  },
  {
    id: 'body_mode',
    name: 'BUFFERED_PARTIAL',
    config: modes({ response_body_mode: 'BUFFERED_PARTIAL' }),
    where: OUTBOUND,
    wrong: /longer than the buffer/,
  },
  {
    id: 'body_mode',
    name: 'NONE for one route',
    config: perRoute({
      '@type': PER_ROUTE,
      overrides: {
        processing_mode: {
          response_body_mode: 'BUFFERED',
          request_trailer_mode: 'SEND',
          response_trailer_mode: 'SEND',
        },
      },
    }),
    where: ON_ROUTE,
    wrong: /^request_body_mode is NONE/,
    byHand: true,
  },
  {
    id: 'head_mode',
    name: 'answers without heads',
    config: modes({ response_header_mode: 'SKIP' }),
    where: OUTBOUND,
    wrong: /^response_header_mode: not SEND$/,
  },
  {
    id: 'head_mode',
    name: 'trailers left to the default',
    config: modes({ request_trailer_mode: 'DEFAULT' }),
    where: OUTBOUND,
    wrong: /request_trailer_mode: not SEND: a body that ends in trailers/,
  },
  {
    id: 'headers_hidden',
    name: 'one header',
    config: set('forward_rules', { disallowed_headers: { patterns: [{ exact: 'x' }] } }),
    where: OUTBOUND,
    wrong: /keeps headers from Plumbline/,
    byHand: true,
  },
  {
    id: 'body_early',
    name: 'set',
    config: set('send_body_without_waiting_for_header_response', true),
    where: OUTBOUND,
    wrong: /ignores every override/,
  },
  {
    id: 'override_refused',
    name: 'not allowed at all',
    config: set('allow_mode_override', false),
    where: OUTBOUND,
    wrong: /allow_mode_override is not true/,
  },
  {
    id: 'override_refused',
    name: 'one pair left out',
    config: changed(({ outbound }) => void (filterOf(outbound)['allowed_override_modes'] as Tree[]).pop()),
    where: OUTBOUND,
    wrong: /lacks NONE\/FULL_DUPLEX_STREAMED/,
  },
  {
    id: 'override_refused',
    name: 'a pair that leaves trailers to the default',
    config: changed(({ outbound }) => {
      const first = (filterOf(outbound)['allowed_override_modes'] as Tree[])[0] ?? {}
      delete first['request_trailer_mode']
    }),
    where: OUTBOUND,
    wrong: /lacks NONE\/BUFFERED/,
  },
  {
    id: 'refusal_disabled',
    name: 'set',
    config: set('disable_immediate_response', true),
    where: OUTBOUND,
    wrong: /ends as an error/,
  },
  {
    id: 'mutation_lenient',
    name: 'left out',
    config: changed(({ outbound }) => void delete filterOf(outbound)['mutation_rules']),
    where: OUTBOUND,
    wrong: /skipped without a word/,
  },
  {
    id: 'route_cache',
    name: 'cleared',
    config: set('route_cache_action', 'CLEAR'),
    where: OUTBOUND,
    wrong: /chosen again/,
  },
  {
    id: 'timeout_short',
    name: 'a moment too short',
    config: set('message_timeout', '7.499s'),
    where: OUTBOUND,
    wrong: /is 7.499s, and this configuration needs 7.5s/,
  },
  {
    id: 'timeout_short',
    name: 'left out',
    config: changed(({ outbound }) => void delete filterOf(outbound)['message_timeout']),
    where: OUTBOUND,
    wrong: /is not set, so 200 ms/,
  },
  {
    id: 'timeout_short',
    name: 'left out, and what is needed is not known',
    config: changed(({ outbound }) => void delete filterOf(outbound)['message_timeout']),
    known: { needs: undefined, nodeVersion: undefined },
    where: OUTBOUND,
    wrong: /Envoy waits 200 ms/,
  },
  {
    id: 'buffer_small',
    name: 'one byte too small',
    config: changed(({ outbound }) => void (outbound['per_connection_buffer_limit_bytes'] = 10_485_759)),
    where: OUTBOUND,
    wrong: /HTTP\/1 may have 10485759 bytes/,
  },
  {
    id: 'buffer_small',
    name: 'left out, which is 1 MiB',
    config: changed(({ outbound }) => void delete outbound['per_connection_buffer_limit_bytes']),
    where: OUTBOUND,
    wrong: /may have 1048576 bytes/,
  },
  {
    id: 'buffer_small',
    name: 'the window of HTTP/2',
    config: manager('http2_protocol_options', { initial_stream_window_size: 65_536 }),
    where: OUTBOUND,
    wrong: /HTTP\/2 may have 65536 bytes/,
  },
  {
    id: 'direction_missing',
    name: 'not said',
    config: said('x-plumbline-direction', undefined),
    where: OUTBOUND,
    wrong: /does not say which way/,
  },
  {
    id: 'direction_wrong',
    name: 'inbound on the outbound listener',
    config: said('x-plumbline-direction', 'inbound'),
    where: OUTBOUND,
    wrong: /is inbound, and this is where outbound traffic flows/,
  },
  {
    id: 'direction_wrong',
    name: 'inbound, where only the name of the listener tells',
    config: changed(({ outbound }) => {
      delete outbound['traffic_direction']
      service(outbound).initial_metadata[0] = { key: 'x-plumbline-direction', value: 'inbound' }
    }),
    where: OUTBOUND,
    wrong: /is inbound, and this is where outbound traffic flows/,
  },
  {
    id: 'direction_wrong',
    name: 'no word that there is',
    config: said('x-plumbline-direction', 'egress'),
    where: OUTBOUND,
    wrong: /is "egress"/,
  },
  {
    id: 'direction_wrong',
    name: 'said twice',
    config: changed(
      ({ outbound }) =>
        void service(outbound).initial_metadata.push({ key: 'x-plumbline-direction', value: 'inbound' }),
    ),
    where: OUTBOUND,
    wrong: /said twice/,
  },
  {
    id: 'direction_same',
    name: 'copied to a listener that says nothing of itself',
    config: changed(({ resources, inbound, outbound }) => {
      const plain = JSON.parse(JSON.stringify(inbound)) as Tree
      delete plain['traffic_direction']
      resources.listeners.splice(0, 2, { ...plain, name: 'first' }, { ...plain, name: 'second' })
      expect(outbound['name']).toBe('outbound')
    }),
    where: 'all listeners',
    wrong: /never sees outbound traffic/,
    byHand: true,
  },
  {
    id: 'metadata_from_request',
    name: 'the direction from a header',
    config: said('x-plumbline-direction', '%REQ(x-direction)%'),
    where: OUTBOUND,
    wrong: /x-plumbline-direction is taken from the request/,
  },
  {
    id: 'metadata_from_request',
    name: 'the workload from a header',
    config: said('x-plumbline-workload', '%REQ(x-workload)%'),
    where: OUTBOUND,
    wrong: /x-plumbline-workload is taken from the request/,
  },
  {
    id: 'routing_claim',
    name: 'routes to one server',
    config: changed(({ outbound }) => void (actionOf(outbound)['cluster'] = 'agent')),
    where: OUTBOUND,
    wrong: /route \/ to agent/,
    byHand: true,
  },
  {
    id: 'routing_claim',
    name: 'routes to the address that the agent dialled',
    config: changed(({ outbound, resources }) => {
      actionOf(outbound)['cluster'] = 'original'
      resources.clusters.push({ name: 'original', type: 'ORIGINAL_DST', lb_policy: 'CLUSTER_PROVIDED' })
    }),
    where: OUTBOUND,
    wrong: /route \/ to original/,
    byHand: true,
  },
  {
    id: 'token_missing',
    name: 'a port, no TLS, no token',
    config: changed(({ inbound, outbound, cluster }) => {
      toPort(cluster)
      for (const listener of [inbound, outbound]) {
        service(listener).initial_metadata = service(listener).initial_metadata.filter(
          (entry) => entry['key'] !== 'x-plumbline-token',
        )
      }
    }),
    known: { ...KNOWN, needs: { ...NEEDS, token: false } },
    where: OUTBOUND,
    wrong: /127.0.0.1:9090 without TLS and without a token/,
  },
  {
    id: 'token_missing',
    name: "Plumbline's own configuration",
    config: SHIPPED,
    known: { ...KNOWN, needs: { ...NEEDS, token: false, listeners: [{ address: '0.0.0.0:9090' }] } },
    where: 'Plumbline on 0.0.0.0:9090',
    wrong: /no token and no certificate/,
    byHand: true,
  },
  {
    id: 'token_unsent',
    name: 'wanted and not sent',
    config: said('x-plumbline-token', undefined),
    where: OUTBOUND,
    wrong: /the filter sends none/,
  },
  {
    id: 'reset_flood',
    name: 'no cure, an old Node',
    config: changed(withoutCures),
    where: CLUSTER,
    wrong: /Plumbline's Node is 20.19.0/,
  },
  {
    id: 'reset_flood',
    name: 'a connection that is renewed too late',
    config: changed((parts) => {
      withoutCures(parts)
      optionsOf(parts.cluster)['common_http_protocol_options'] = { max_requests_per_connection: 1001 }
    }),
    known: { ...KNOWN, nodeVersion: undefined },
    where: CLUSTER,
    wrong: /which Node Plumbline runs on is not known/,
  },
  {
    id: 'cluster_unusable',
    name: 'not there',
    config: changed(({ cluster }) => void (cluster['name'] = 'plumbeline')),
    where: CLUSTER,
    wrong: /it is not there/,
    byHand: true,
  },
  {
    id: 'cluster_unusable',
    name: 'HTTP/1',
    config: changed(({ cluster }) => void delete optionsOf(cluster)['explicit_http_config']),
    where: CLUSTER,
    wrong: /gRPC needs HTTP\/2/,
  },
  {
    id: 'streams_differ',
    name: 'left to the default',
    config: changed(({ cluster }) => void delete cluster['circuit_breakers']),
    where: CLUSTER,
    wrong: /up to 1024 exchanges at once, Plumbline takes 1000/,
  },
  {
    id: 'paths_unlike',
    name: 'paths as they come',
    config: manager('normalize_path', false),
    where: OUTBOUND,
    wrong: /one thing to Plumbline/,
  },
  {
    id: 'paths_unlike',
    name: 'escaped slashes as they come',
    config: manager('path_with_escaped_slashes_action', 'KEEP_UNCHANGED'),
    where: OUTBOUND,
    wrong: /one thing to Plumbline/,
  },
  {
    id: 'retries',
    name: 'of one route',
    config: changed(({ outbound }) => void (actionOf(outbound)['retry_policy'] = { retry_on: '5xx' })),
    where: OUTBOUND,
    wrong: /sent several times, on virtual host by_host, route \//,
    byHand: true,
  },
  {
    id: 'reply_rewritten',
    name: 'all bodies',
    config: manager('local_reply_config', { body_format: { text_format: 'no' } }),
    where: OUTBOUND,
    wrong: /body_format, for every reply/,
    byHand: true,
  },
  {
    id: 'reply_rewritten',
    name: 'a status of ours',
    config: manager('local_reply_config', { mappers: [statusMapper('EQ', 403)] }),
    where: OUTBOUND,
    wrong: /mapper 1/,
    byHand: true,
  },
  {
    id: 'envoy_admin_open',
    name: 'on the network',
    config: changed(({ config }) => {
      config['admin'] = { address: { socket_address: { address: '0.0.0.0', port_value: 9901 } } }
    }),
    where: "Envoy's admin",
    wrong: /listens on 0.0.0.0:9901/,
    byHand: true,
  },
]

function toPort(cluster: Tree): void {
  cluster['load_assignment'] = {
    endpoints: [
      { lb_endpoints: [{ endpoint: { address: { socket_address: { address: '127.0.0.1', port_value: 9090 } } } }] },
    ],
  }
}

function optionsOf(cluster: Tree): Tree {
  const options = cluster['typed_extension_protocol_options'] as Tree
  return options['envoy.extensions.upstreams.http.v3.HttpProtocolOptions'] as Tree
}

function withoutCures({ config, cluster }: Parts): void {
  delete config['layered_runtime']
  delete optionsOf(cluster)['common_http_protocol_options']
}

function statusMapper(op: string, status: number): Tree {
  return {
    filter: { status_code_filter: { comparison: { op, value: { default_value: status } } } },
    body: { inline_string: 'no' },
  }
}

test('the shipped file has nothing to mend', () => {
  expect(found(SHIPPED)).toEqual([])
})

test('every check of the configuration is shown here to find something', () => {
  expect(Object.keys(CONFIGURATION_CHECKS).filter((id) => !ROWS.some((row) => row.id === id))).toEqual([])
})

describe.each(ROWS)('$id: $name', ({ id, config, where, wrong, known, byHand }) => {
  test('is found, and nothing else is', () => {
    const findings = found(config, known)
    expect([...new Set(findings.map((finding) => finding.id))]).toEqual([id])
    expect(findings).toContainEqual(
      expect.objectContaining({ id, where, wrong: expect.stringMatching(wrong) as string }),
    )
    for (const { mend } of findings) expect(mend.lines).not.toBe('')
  })

  // Some lines have to be fitted in by hand.
  if (byHand === true) return
  test('is mended by the lines that it prints', () => {
    const mended = found(config, known).reduce(applyMend, config)
    expect(found(mended, known)).toEqual([])
  })
})

/** Set-ups that look alike and are right. */
const RIGHT: [name: string, config: string, known?: Known][] = [
  ['the filter is switched off where Envoy answers itself', changed(offWhereEnvoyAnswers)],
  ['the filter is off and each route switches it on', changed(onByRoute)],
  ['no list of modes, which allows all', set('allowed_override_modes', [])],
  ['more time than is needed', set('message_timeout', '60s')],
  ['a larger buffer', changed(({ outbound }) => void (outbound['per_connection_buffer_limit_bytes'] = 99_999_999))],
  ['only the runtime flag', changed(({ cluster }) => void delete optionsOf(cluster)['common_http_protocol_options'])],
  ['only renewed connections', changed(({ config }) => void delete config['layered_runtime'])],
  ['a Node that bears resets', changed(withoutCures), { ...KNOWN, nodeVersion: '24.1.0' }],
  ['a port, and a token', changed(({ cluster }) => toPort(cluster))],
  [
    'a direction that the address says',
    said('x-plumbline-direction', undefined),
    {
      ...KNOWN,
      needs: { ...NEEDS, listeners: [{ address: 'unix:/run/plumbline/plumbline.sock', direction: 'outbound' }] },
    },
  ],
  ['a mapper for a status that is none of ours', manager('local_reply_config', { mappers: [statusMapper('EQ', 404)] })],
  ['a name that leads to one server', changed(oneName)],
  ['a tunnel that ends in a listener of its own', changed(tunnelled)],
  ['keys in the other way to write them', camelCased(SHIPPED)],
]

function offWhereEnvoyAnswers({ outbound }: Parts): void {
  for (const { routes } of hostsOf(outbound)) {
    const [refuse] = routes
    if (refuse !== undefined) refuse['typed_per_filter_config'] = { 'envoy.filters.http.ext_proc': { disabled: true } }
  }
}

function onByRoute({ outbound }: Parts): void {
  ;(filtersOf(outbound)[0] as Tree)['disabled'] = true
  const config = { '@type': PER_ROUTE, overrides: {} }
  for (const host of hostsOf(outbound)) host['typed_per_filter_config'] = { 'envoy.filters.http.ext_proc': config }
}

function tunnelled({ resources, outbound }: Parts): void {
  const inside = JSON.parse(JSON.stringify(outbound)) as Tree
  resources.listeners.push({ ...inside, name: 'tunnel', internal_listener: {} })
  const address = { envoy_internal_address: { server_listener_name: 'tunnel' } }
  const load_assignment = { endpoints: [{ lb_endpoints: [{ endpoint: { address } }] }] }
  resources.clusters.push({ name: 'tunnel', type: 'STATIC', load_assignment })
  const route = { cluster: 'tunnel', upgrade_configs: [{ upgrade_type: 'CONNECT', connect_config: {} }] }
  hostsOf(outbound)
    .at(-1)
    ?.routes.unshift({
      match: { connect_matcher: {} },
      route,
      typed_per_filter_config: { 'envoy.filters.http.ext_proc': { disabled: true } },
    })
}

function oneName({ outbound }: Parts): void {
  const [host] = hostsOf(outbound)
  for (const route of host?.routes ?? []) if ('route' in route) route['route'] = { cluster: 'agent' }
}

function camelCased(json: string): string {
  return json.replace(/"([a-z]+(?:_[a-z0-9]+)+)":/g, (_, key: string) => {
    return `"${key.replace(/_([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase())}":`
  })
}

test.each(RIGHT)('%s: nothing is found', (_name, config, known = KNOWN) => {
  // The inbound filter of a configuration whose address says outbound is another matter.
  const addressed = known.needs?.listeners[0]?.direction !== undefined
  expect(found(config, known).filter(({ where }) => !addressed || where === OUTBOUND)).toEqual([])
})
