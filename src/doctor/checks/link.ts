import { nodeKnowsResetLimits } from '../../extproc/reset-flood.ts'
import type { Running } from '../envoy/setup.ts'
import { at, numberAt, textAt, type Tree, treeOf, treesAt } from '../envoy/tree.ts'
import type { Finding } from '../finding.ts'
import { bases } from './attachment.ts'
import { type Check, clusterOf, type Subject } from './subject.ts'

const GRACEFUL = 'envoy.reloadable_features.ext_proc_graceful_grpc_close'
/** What Node takes for an attack, at once on one connection. */
const RESETS = 1000
const HTTP_OPTIONS = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions'

const httpOptions = (cluster: Tree | undefined): Tree =>
  treeOf(at(cluster, 'typed_extension_protocol_options', HTTP_OPTIONS))

const HTTP2 = 'explicit_http_config: { http2_protocol_options: {} }'

/** A cluster's options of HTTP, as they are written. */
function httpOptionLines(...options: readonly string[]): string {
  const inside = [`'@type': type.googleapis.com/${HTTP_OPTIONS}`, ...options].map((line) => `    ${line}`)
  return ['typed_extension_protocol_options:', `  ${HTTP_OPTIONS}:`, ...inside].join('\n')
}

/** One finding for a cluster, however many filters lead there. */
function ofEachCluster(
  look: (cluster: Tree | undefined, name: string, subject: Subject) => Finding | undefined,
): Check {
  return (subject) => {
    const all = bases(subject.processors).filter(({ cluster }) => cluster !== undefined)
    const byName = new Map(all.map((processor) => [processor.cluster ?? '', clusterOf(subject, processor)]))
    return [...byName].flatMap(([name, cluster]) => look(cluster, name, subject) ?? [])
  }
}

export const resetFlood: Check = ofEachCluster((cluster, name, { setup, nodeVersion }) => {
  const most =
    numberAt(httpOptions(cluster), 'common_http_protocol_options', 'max_requests_per_connection') ??
    numberAt(cluster, 'max_requests_per_connection')
  const renewed = most !== undefined && most > 0 && most <= RESETS
  const bears = nodeVersion !== undefined && nodeKnowsResetLimits(nodeVersion)
  if (renewed || setup.runtime[GRACEFUL] === 'true' || bears) return undefined
  const node =
    nodeVersion === undefined ? 'which Node Plumbline runs on is not known' : `Plumbline's Node is ${nodeVersion}`
  return {
    id: 'reset_flood',
    where: `cluster ${name}`,
    wrong: `Envoy ends each exchange with a reset, and Node before 22.11 takes ${RESETS} of them for an attack: it drops the connection with everything in flight (${node})`,
    mend: {
      at: 'cluster',
      lines: httpOptionLines('common_http_protocol_options: { max_requests_per_connection: 900 }', HTTP2),
    },
  }
})

export const clusterUnusable: Check = ofEachCluster((cluster, name, { setup }) => {
  if (cluster === undefined) {
    if (!setup.allClusters) return undefined
    const lines = `clusters:\n  - name: ${name} # as in envoy/sidecar.yaml`
    const wrong = 'the filter leads to it, and it is not there: everything is answered 503'
    return { id: 'cluster_unusable', where: `cluster ${name}`, wrong, mend: { at: 'bootstrap', lines } }
  }
  const options = httpOptions(cluster)
  const speaks = [
    at(options, 'explicit_http_config', 'http2_protocol_options'),
    at(options, 'use_downstream_protocol_config'),
    at(options, 'auto_config'),
    at(cluster, 'http2_protocol_options'),
  ]
  if (speaks.some((each) => each !== undefined)) return undefined
  return {
    id: 'cluster_unusable',
    where: `cluster ${name}`,
    wrong: 'it speaks HTTP/1, and gRPC needs HTTP/2: everything is answered 503',
    mend: {
      at: 'cluster',
      lines: httpOptionLines(HTTP2),
    },
  }
})

const DEFAULT_MAX_REQUESTS = 1024

export const streamsDiffer: Check = ofEachCluster((cluster, name, { needs }) => {
  if (needs === undefined || cluster === undefined) return undefined
  const threshold = treesAt(cluster, 'circuit_breakers', 'thresholds').find(
    (each) => (textAt(each, 'priority') ?? 'DEFAULT') === 'DEFAULT',
  )
  const most = numberAt(threshold, 'max_requests') ?? DEFAULT_MAX_REQUESTS
  if (most === needs.maxStreams) return undefined
  return {
    id: 'streams_differ',
    where: `cluster ${name}`,
    wrong: `Envoy sends up to ${most} exchanges at once, Plumbline takes ${needs.maxStreams} (listener.max_streams): what is beyond either is answered 503`,
    mend: {
      at: 'cluster',
      lines: `circuit_breakers:\n  thresholds:\n    - { max_requests: ${needs.maxStreams}, max_pending_requests: ${needs.maxStreams} }`,
    },
  }
})

const OLDEST = [1, 36] as const

/** The version that runs, which no configuration tells. */
export function envoyOld({ version }: Running): readonly Finding[] {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return []
  return [
    {
      id: 'envoy_old',
      where: `Envoy ${version}`,
      wrong:
        'older than 1.36: answers that Envoy does not expect may let a request through, and status_on_error is not known',
      mend: { at: 'elsewhere', lines: 'Run Envoy 1.36 or newer (Istio 1.28, Envoy Gateway 1.6, or newer).' },
    },
  ]
}

/** What went wrong since Envoy started, by its own counters. */
export function passedUnjudged({ counters }: Running): readonly Finding[] {
  const passed = sumOf(counters, '.failure_mode_allowed')
  if (passed === 0) return []
  return [
    {
      id: 'passed_unjudged',
      where: 'Envoy',
      wrong: `since it started it has let ${passed} exchanges pass without a verdict (failure_mode_allowed)`,
      mend: { at: 'filter', lines: 'failure_mode_allow: false' },
    },
  ]
}

export function exchangesLost({ counters }: Running, { processors }: Subject): readonly Finding[] {
  const lost = [...new Set(bases(processors).map(({ cluster }) => cluster))].map((name) =>
    sumOf(counters, `cluster.${name}.upstream_cx_destroy_remote_with_active_rq`),
  )
  const parts = [
    [sumOf(counters, '.message_timeouts'), 'times it waited for a verdict in vain (message_timeouts)'],
    [lost.reduce((sum, each) => sum + each, 0), 'connections to Plumbline broke while something was in flight'],
  ] as const
  const told = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`)
  if (told.length === 0) return []
  return [
    {
      id: 'exchanges_lost',
      where: 'Envoy',
      wrong: `since it started: ${told.join('; ')}`,
      mend: {
        at: 'elsewhere',
        lines:
          "Each such exchange was refused. A restart of Plumbline explains some; else see timeout_short, reset_flood, and Plumbline's log.",
      },
    },
  ]
}

const sumOf = (counters: Running['counters'], end: string) =>
  Object.entries(counters).reduce((sum, [name, count]) => (name.endsWith(end) ? sum + count : sum), 0)
