import { isUnixSocket, listenAddress, tcpAddress } from './addresses.ts'
import { byDefault, choice, integer, strictObject, text } from './fields.ts'
import { HOUR, MIB, SECOND } from './units.ts'

export const DEFAULT_EXT_PROC_ADDRESS = '127.0.0.1:9090'

const TLS_FIELDS = {
  cert: text({ nonEmpty: true }).describe('File in PEM: the certificate that this server shows, with its chain.'),
  key: text({ nonEmpty: true }).describe('File in PEM: the key of that certificate.'),
  client_ca: text({ nonEmpty: true }).describe('File in PEM: the authorities whose clients (Envoy) are taken.'),
} as const

export const LISTENER_FIELDS = {
  ext_proc_addr: byDefault(listenAddress().optional(), DEFAULT_EXT_PROC_ADDRESS).describe(
    "Where Envoy's ext_proc filter connects: `host:port` (port 0: any), or `unix:/absolute/path` of less than 100 " +
      'bytes, in a folder that exists; only the user who runs Plumbline, and root, can open that socket.',
  ),
  inbound_addr: listenAddress()
    .optional()
    .describe(
      'With `outbound_addr`, for gateways whose filter cannot send `x-plumbline-direction`: the address says the ' +
        'direction. Then `ext_proc_addr` must not be set.',
    ),
  outbound_addr: listenAddress().optional().describe('See `inbound_addr`; the two must differ.'),
  workload: text({ nonEmpty: true })
    .optional()
    .describe(
      "The agent, where the filter does not send `x-plumbline-workload` (the filter's word wins). Without either it " +
        'is `default`: one agent per process.',
    ),
  token_file: text({ nonEmpty: true })
    .optional()
    .describe('A file with one line of printable ASCII, which the filter must send as `x-plumbline-token`.'),
  tls: strictObject(TLS_FIELDS).optional().describe('Mutual TLS on TCP addresses. All three files are needed.'),
  health_addr: tcpAddress()
    .optional()
    .describe('`host:port` with the standard gRPC health service alone, without TLS, for a kubelet.'),
  routing: choice(['host'])
    .optional()
    .describe(
      '`host`: the Host header decides where Envoy sends a request. Without it, and without ' +
        '`x-plumbline-routing: host` from the filter, nothing that trusts a host holds.',
    ),
  body_deadline_ms: integer(100, HOUR)
    .default(60 * SECOND)
    .describe('A request body that has not ended by then is refused: 408 `plumbline.body_timeout`.'),
  verdict_deadline_ms: integer(100, HOUR)
    .optional()
    .describe(
      'From the complete request, or proposed call, to our word on it, for both directions; then 503 ' +
        '`plumbline.deadline`. Not set: the time-outs together of the gates that look at requests, or of those that ' +
        "look at completions, whichever is longer, plus 2000. Envoy's `message_timeout` has to be longer still: " +
        '`plumbline validate` prints it.',
    ),
  drain_deadline_ms: integer(0, HOUR)
    .default(30 * SECOND)
    .describe(
      'How long open exchanges may take after SIGTERM; then those that wait for an answer get 503 ' +
        '`plumbline.shutting_down`.',
    ),
  max_streams: integer(1, 1_000_000)
    .default(1000)
    .describe("Exchanges at once, as in Envoy's circuit breaker; one more is refused."),
  max_receive_bytes: integer(64 * 1024, 1024 * MIB)
    .default(16 * MIB)
    .describe('One gRPC message (16 MiB); larger than `max_body_bytes`.'),
  max_body_bytes: integer(1024, 1024 * MIB)
    .default(10 * MIB)
    .describe('A body, after its content-encoding is undone (10 MiB); then 413 `plumbline.too_large`.'),
  max_body_ratio: integer(1, 10_000)
    .default(100)
    .describe(
      'Decoded bytes for each encoded byte; a body that unfolds further is refused like one that is too large.',
    ),
  max_held_bytes: integer(1024, 64 * MIB)
    .default(MIB)
    .describe(
      'What one streamed answer may hold back until the calls in it are judged (1 MiB); beyond it the answer ends ' +
        'with words that say so, or passes whole where every gate that looks at it fails open.',
    ),
  hold_deadline_ms: integer(1000, HOUR)
    .default(300 * SECOND)
    .describe(
      'How long bytes of a streamed answer may be held: until the model has finished the call, and until it is ' +
        'judged; then as with `max_held_bytes`.',
    ),
  max_bodies_bytes: integer(64 * 1024, 64 * 1024 * MIB)
    .default(256 * MIB)
    .describe(
      'All request bodies in memory together (256 MiB); then 503 `plumbline.overloaded`. Pieces of edited answers ' +
        'that Envoy has not taken yet count too; such an answer then breaks off. As much again for answers that are ' +
        'being read; beyond it reading stops (`answer_truncated`), the answers go on.',
    ),
} as const

// Also looked at when a field is wrong (then its value is no text and no number), so that all is reported at once.
export const listenerField = strictObject(LISTENER_FIELDS).superRefine(
  (value, context) => {
    const issue = (key: keyof typeof value, message: string) => {
      context.addIssue({ code: 'custom', path: [key], message })
    }
    const two = value.inbound_addr !== undefined || value.outbound_addr !== undefined
    if (two && value.ext_proc_addr !== undefined) {
      issue('ext_proc_addr', 'must not stand beside inbound_addr or outbound_addr; keep one or the other')
    }
    if (
      typeof value.outbound_addr === 'string' &&
      value.outbound_addr === value.inbound_addr &&
      !value.outbound_addr.endsWith(':0')
    ) {
      issue('outbound_addr', 'must differ from inbound_addr: the address says the direction')
    }
    const addresses = [value.ext_proc_addr ?? DEFAULT_EXT_PROC_ADDRESS, value.inbound_addr, value.outbound_addr]
    const listening = (two ? addresses.slice(1) : addresses.slice(0, 1)).filter((each) => typeof each === 'string')
    if (value.tls !== undefined && listening.length > 0 && listening.every(isUnixSocket)) {
      issue('tls', 'is for TCP addresses, and only Unix sockets are listened on; leave it out, or listen on host:port')
    }
    if (value.max_receive_bytes <= value.max_body_bytes) {
      issue('max_receive_bytes', 'must be larger than max_body_bytes, since one message holds a whole body')
    }
    if (value.max_bodies_bytes < value.max_receive_bytes) {
      issue('max_bodies_bytes', 'must be at least max_receive_bytes, or no large body ever fits')
    }
  },
  { when: () => true },
)
