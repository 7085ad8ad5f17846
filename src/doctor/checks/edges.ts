import type { Finding } from '../finding.ts'
import { forwardings } from '../envoy/routes.ts'
import { addressText } from '../envoy/build.ts'
import type { Running } from '../envoy/setup.ts'
import { at, enumAt, isOn, isTree, numberAt, textAt, type Tree, treesAt } from '../envoy/tree.ts'
import { bases, fewOf } from './attachment.ts'
import { type Check, findingAt } from './subject.ts'

const UNTOUCHED = ['IMPLEMENTATION_SPECIFIC_DEFAULT', 'KEEP_UNCHANGED'] as const
const SLASHES = [...UNTOUCHED, 'REJECT_REQUEST', 'UNESCAPE_AND_REDIRECT', 'UNESCAPE_AND_FORWARD'] as const

export const pathsUnlike: Check = ({ processors }) =>
  bases(processors).flatMap((processor) => {
    const { options } = processor.manager
    const slashes = enumAt(options, SLASHES, 'path_with_escaped_slashes_action')
    const underscores = textAt(options, 'common_http_protocol_options', 'headers_with_underscores_action') ?? 'ALLOW'
    const lines = [
      ...(isOn(options, 'normalize_path') ? [] : ['normalize_path: true']),
      ...(isOn(options, 'merge_slashes') ? [] : ['merge_slashes: true']),
      ...(isTouched(slashes) ? [] : ['path_with_escaped_slashes_action: REJECT_REQUEST']),
      ...(underscores === 'ALLOW'
        ? ['common_http_protocol_options:\n  headers_with_underscores_action: REJECT_REQUEST']
        : []),
    ]
    if (lines.length === 0) return []
    return [
      findingAt(processor, 'paths_unlike', {
        wrong: 'a path or a header name may be one thing to Plumbline and another to the server behind',
        mend: { at: 'manager', lines: lines.join('\n') },
      }),
    ]
  })

const isTouched = (action: (typeof SLASHES)[number]) => action !== UNTOUCHED[0] && action !== UNTOUCHED[1]

/** One finding for a filter chain, however many of its routes do so. */
export const retries: Check = ({ processors }) =>
  bases(processors).flatMap((processor) => {
    const again = forwardings(processor.manager)
      .filter(({ route, host }) => retried(at(route, 'route', 'retry_policy') ?? host['retry_policy']))
      .map(({ where }) => where.slice(processor.manager.where.length + 2))
    if (again.length === 0) return []
    return [
      findingAt(processor, 'retries', {
        wrong: `what was judged once may be sent several times, on ${fewOf(again)}`,
        mend: { at: 'route', lines: 'route: {} # without retry_policy; in Istio: retries: { attempts: 0 }' },
      }),
    ]
  })

const retried = (policy: unknown): boolean =>
  isTree(policy) && (textAt(policy, 'retry_on') ?? '') !== '' && numberAt(policy, 'num_retries') !== 0

/** Statuses of our refusals. */
const REFUSED = [400, 403, 408, 413, 415, 500, 502, 503]

export const replyRewritten: Check = ({ processors }) =>
  bases(processors).flatMap((processor) => {
    const config = at(processor.manager.options, 'local_reply_config')
    const rewrites = [
      ...(at(config, 'body_format') === undefined ? [] : ['body_format, for every reply']),
      ...treesAt(config, 'mappers').flatMap((mapper, index) => (meetsRefusals(mapper) ? [`mapper ${index + 1}`] : [])),
    ]
    if (rewrites.length === 0) return []
    return [
      findingAt(processor, 'reply_rewritten', {
        wrong: `local_reply_config may rewrite refusals, which then lose their reason or their shape: ${rewrites.join(', ')}`,
        mend: {
          at: 'manager',
          lines: "local_reply_config: {} # or mappers whose filter asks for response.code_details of Envoy's own",
        },
      }),
    ]
  })

/** One that changes something, and whose filter does not go by Envoy's own reason. */
function meetsRefusals(mapper: Tree): boolean {
  const changes = ['status_code', 'body', 'body_format_override'].some((key) => mapper[key] !== undefined)
  const filter = JSON.stringify(mapper['filter'] ?? {})
  if (!changes || filter.includes('code_details') || filter.includes('response_flag_filter')) return false
  const comparison = at(mapper, 'filter', 'status_code_filter', 'comparison')
  const value = numberAt(comparison, 'value', 'default_value')
  if (value === undefined) return true
  const op = enumAt(comparison, ['EQ', 'GE', 'LE', 'NE'], 'op')
  return REFUSED.some((status) => compare(status, op, value))
}

function compare(status: number, op: 'EQ' | 'GE' | 'LE' | 'NE', value: number): boolean {
  switch (op) {
    case 'EQ':
      return status === value
    case 'GE':
      return status >= value
    case 'LE':
      return status <= value
    case 'NE':
      return status !== value
  }
}

const LOOPBACK = /^(?:unix:|127\.|localhost:|\[?::1\]?:|without address)/

export const envoyAdminOpen: Check = ({ setup }) => {
  const address = addressText(setup.admin['address'])
  if (LOOPBACK.test(address)) return []
  return [
    {
      id: 'envoy_admin_open',
      where: "Envoy's admin",
      wrong: `it listens on ${address}: whoever reaches it can end Envoy or change how it runs`,
      mend: {
        at: 'bootstrap',
        lines: 'admin:\n  address: { pipe: { path: /run/plumbline/envoy-admin.sock, mode: 384 } }',
      },
    },
  ]
}

/** The successor is asked for no name and no user: any program in Envoy's network gets the sockets, and takes its callers. */
export function hotRestart({ hotRestart: offered }: Running): readonly Finding[] {
  if (!offered) return []
  return [
    {
      id: 'hot_restart',
      where: 'Envoy',
      wrong:
        'hot restart is on: every program in its network, the agent beside it too, can ask it for its listening sockets and take connections past Plumbline',
      mend: { at: 'elsewhere', lines: 'Start Envoy with --disable-hot-restart.' },
    },
  ]
}
