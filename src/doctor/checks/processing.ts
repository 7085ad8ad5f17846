import type { Direction } from '../../core/exchange.ts'
import { MODE_PAIRS } from '../../extproc/messages.ts'
import type { Processor } from '../envoy/setup.ts'
import { at, durationAt, enumAt, isOn, isTree, numberAt, type Tree, treesAt } from '../envoy/tree.ts'
import type { Needs } from '../needs.ts'
import { filterLines, ofEach, type Told } from './subject.ts'

const BODY_MODES = ['NONE', 'STREAMED', 'BUFFERED', 'BUFFERED_PARTIAL', 'FULL_DUPLEX_STREAMED', 'GRPC'] as const
const HEAD_MODES = ['DEFAULT', 'SEND', 'SKIP'] as const

export const failOpen = ofEach('fail_open', ({ options }) =>
  isOn(options, 'failure_mode_allow')
    ? {
        wrong: 'failure_mode_allow is true: whenever Plumbline gives no verdict, the request passes',
        mend: filterLines('failure_mode_allow: false'),
      }
    : undefined,
)

export const observesOnly = ofEach('observes_only', ({ options }) =>
  isOn(options, 'observability_mode') || isOn(options, 'async_mode')
    ? {
        wrong: 'observability_mode is true: Envoy shows the traffic and waits for no verdict',
        mend: filterLines('observability_mode: false'),
      }
    : undefined,
)

/** Nothing that Plumbline sends mends a request body that is not shown: it refuses such exchanges. */
export const bodyMode = ofEach('body_mode', ({ options }) => {
  const modes = (['request', 'response'] as const).map((half) => ({
    field: `${half}_body_mode`,
    mode: enumAt(options, BODY_MODES, 'processing_mode', `${half}_body_mode`),
  }))
  const wrong = modes.filter(({ mode }) => mode !== 'BUFFERED')
  if (wrong.length === 0) return undefined
  const why = wrong.map(({ field, mode }) => `${field} is ${mode}: ${WHY[mode === 'BUFFERED' ? 'GRPC' : mode]}`)
  const lines = wrong.map(({ field }) => `  ${field}: BUFFERED`)
  return { wrong: why.join('; '), mend: filterLines(['processing_mode:', ...lines].join('\n')) }
})

const WHY: Readonly<Record<Exclude<(typeof BODY_MODES)[number], 'BUFFERED'>, string>> = {
  NONE: 'the body is never shown; a request is then refused (500 plumbline.wrong_mode), a call in an answer is not seen',
  STREAMED: 'the head goes on before the body is judged',
  BUFFERED_PARTIAL: 'what is longer than the buffer passes unseen',
  FULL_DUPLEX_STREAMED: 'Envoy then takes no override and no time limit holds',
  GRPC: 'Plumbline does not know this mode',
}

export const headMode = ofEach('head_mode', ({ options }) => {
  const skipped = (
    ['request_header_mode', 'response_header_mode', 'request_trailer_mode', 'response_trailer_mode'] as const
  )
    .map((field) => ({ field, mode: enumAt(options, HEAD_MODES, 'processing_mode', field) }))
    // Left out, headers are sent and trailers are not.
    .filter(({ field, mode }) => mode === 'SKIP' || (mode === 'DEFAULT' && field.endsWith('trailer_mode')))
    .map(({ field }) => field)
  if (skipped.length === 0) return undefined
  const why = skipped.some((field) => field.endsWith('trailer_mode'))
    ? ': a body that ends in trailers has no end then'
    : ''
  return {
    wrong: `${skipped.join(', ')}: not SEND${why}`,
    mend: filterLines(['processing_mode:', ...skipped.map((field) => `  ${field}: SEND`)].join('\n')),
  }
})

export const headersHidden = ofEach('headers_hidden', ({ options }) =>
  isTree(options['forward_rules']) && Object.keys(options['forward_rules']).length > 0
    ? {
        wrong: 'forward_rules keeps headers from Plumbline: it may read a message otherwise than the server does',
        mend: filterLines('forward_rules: {}'),
      }
    : undefined,
)

export const bodyEarly = ofEach('body_early', ({ options }) =>
  isOn(options, 'send_body_without_waiting_for_header_response')
    ? {
        wrong: 'send_body_without_waiting_for_header_response is true: Envoy ignores every override of modes then',
        mend: filterLines('send_body_without_waiting_for_header_response: false'),
      }
    : undefined,
)

const MODE_NAMES = {
  none: 'NONE',
  streamed: 'STREAMED',
  buffered: 'BUFFERED',
  full_duplex: 'FULL_DUPLEX_STREAMED',
} as const

/** Pairs as they result when merged with what the filter is configured with. */
const NEEDED_MODES = MODE_PAIRS.map((pair) => ({
  request_body_mode: MODE_NAMES[pair.request],
  response_body_mode: MODE_NAMES[pair.response],
  response_header_mode: 'SEND',
  request_trailer_mode: 'SEND',
  response_trailer_mode: 'SEND',
}))

export const overrideRefused = ofEach('override_refused', ({ options }) => {
  if (!isOn(options, 'allow_mode_override')) {
    return {
      wrong: 'allow_mode_override is not true: streamed answers are held whole, and one with calls in it fails',
      mend: filterLines(['allow_mode_override: true', ALLOWED_LINES].join('\n')),
    }
  }
  const allowed = treesAt(options, 'allowed_override_modes')
  const missing = NEEDED_MODES.filter((needed) => !allowed.some((each) => allows(each, needed)))
  // An empty list allows all.
  if (allowed.length === 0 || missing.length === 0) return undefined
  const pairs = missing.map((mode) => `${mode.request_body_mode}/${mode.response_body_mode}`)
  return {
    wrong: `allowed_override_modes lacks ${pairs.join(', ')} (request/response body): Envoy ignores what is not on the list without a word`,
    mend: filterLines(ALLOWED_LINES),
  }
})

const ALLOWED_LINES = [
  'allowed_override_modes:',
  ...NEEDED_MODES.map(
    (mode) =>
      `  - { ${Object.entries(mode)
        .map(([key, value]) => `${key}: ${value}`)
        .join(', ')} }`,
  ),
].join('\n')

/** Envoy compares all but the mode of request headers. */
function allows(entry: Tree, needed: (typeof NEEDED_MODES)[number]): boolean {
  return Object.entries(needed).every(([field, mode]) => {
    const names = field.endsWith('body_mode') ? BODY_MODES : HEAD_MODES
    return enumAt(entry, names, field) === mode
  })
}

export const refusalDisabled = ofEach('refusal_disabled', ({ options }) =>
  isOn(options, 'disable_immediate_response')
    ? {
        wrong: 'disable_immediate_response is true: every refusal ends as an error without its reason',
        mend: filterLines('disable_immediate_response: false'),
      }
    : undefined,
)

export const mutationLenient = ofEach('mutation_lenient', ({ options }) =>
  isOn(options, 'mutation_rules', 'disallow_is_error')
    ? undefined
    : {
        wrong:
          'mutation_rules.disallow_is_error is not true: a header edit that Envoy will not make is skipped without a word',
        mend: filterLines('mutation_rules: { disallow_is_error: true }'),
      },
)

export const routeCache = ofEach('route_cache', ({ options }) =>
  enumAt(options, ['DEFAULT', 'CLEAR', 'RETAIN'], 'route_cache_action') === 'CLEAR'
    ? {
        wrong: 'route_cache_action is CLEAR: the route is chosen again after the verdict',
        mend: filterLines('route_cache_action: RETAIN'),
      }
    : undefined,
)

const DEFAULT_MESSAGE_TIMEOUT_MS = 200

export const timeoutShort = ofEach('timeout_short', (processor, { needs }) => {
  const set = durationAt(processor.options, 'message_timeout')
  const actual = set ?? DEFAULT_MESSAGE_TIMEOUT_MS
  const needed = needs === undefined ? undefined : neededMs(processor, needs)
  if (needed === undefined) return set === undefined ? unsetTimeout() : undefined
  if (actual >= needed) return undefined
  const is = set === undefined ? 'is not set, so 200 ms' : `is ${actual / 1000}s`
  return {
    wrong: `message_timeout ${is}, and this configuration needs ${needed / 1000}s: Envoy answers 504 while Plumbline still judges`,
    mend: filterLines(`message_timeout: ${needed / 1000}s`),
  }
})

const unsetTimeout = (): Told => ({
  wrong: 'message_timeout is not set, so Envoy waits 200 ms: no judge is as fast',
  mend: filterLines('message_timeout: 7.5s # "plumbline validate FILE" prints what your configuration needs'),
})

function neededMs({ said, expected }: Processor, { messageTimeoutMs }: Needs): number {
  const direction = directionOf(said.get('x-plumbline-direction')?.[0]) ?? expected
  return direction === undefined
    ? Math.max(messageTimeoutMs.inbound, messageTimeoutMs.outbound)
    : messageTimeoutMs[direction]
}

export const directionOf = (text: string | undefined): Direction | undefined =>
  text === 'inbound' || text === 'outbound' ? text : undefined

const DEFAULT_BUFFER_BYTES = 1024 * 1024
/** Since Envoy 1.36. */
const DEFAULT_WINDOW_BYTES = 16 * 1024 * 1024

export const bufferSmall = ofEach('buffer_small', ({ listener, manager }, { needs }) => {
  if (needs === undefined) return undefined
  const buffer = numberAt(listener.options, 'per_connection_buffer_limit_bytes') ?? DEFAULT_BUFFER_BYTES
  const needed = needs.maxBodyBytes
  if (buffer < needed) {
    return {
      wrong: `bodies over HTTP/1 may have ${buffer} bytes, and listener.max_body_bytes is ${needed}: Envoy answers 413 to longer ones, and 500 for answers`,
      mend: { at: 'listener', lines: `per_connection_buffer_limit_bytes: ${needed}` },
    }
  }
  const window =
    numberAt(manager.options, 'http2_protocol_options', 'initial_stream_window_size') ?? DEFAULT_WINDOW_BYTES
  if (window >= needed || at(manager.options, 'codec_type') === 'HTTP1') return undefined
  return {
    wrong: `bodies over HTTP/2 may have ${window} bytes, and listener.max_body_bytes is ${needed}`,
    mend: { at: 'manager', lines: `http2_protocol_options:\n  initial_stream_window_size: ${needed}` },
  }
})
