import { z } from 'zod'
import { listenAddress, tcpAddress } from './addresses.ts'
import { choice, duration, flag, integer, list, strictObject, text } from './fields.ts'

const MIB = 1024 * 1024
const SECOND = 1000
const HOUR = 3600 * SECOND
const DAY = 24 * HOUR

export const DEFAULT_EXT_PROC_ADDRESS = '127.0.0.1:9090'

/** Files in PEM: what this server shows, and the authority whose clients it takes. */
const TLS_FIELDS = {
  cert: text({ nonEmpty: true }),
  key: text({ nonEmpty: true }),
  client_ca: text({ nonEmpty: true }),
} as const

/** What `docs/configuration.md` lists: every section with its keys. */
export const SECTIONS = {
  listener: {
    ext_proc_addr: listenAddress().optional(),
    inbound_addr: listenAddress().optional(),
    outbound_addr: listenAddress().optional(),
    workload: text({ nonEmpty: true }).optional(),
    token_file: text({ nonEmpty: true }).optional(),
    tls: strictObject(TLS_FIELDS).optional(),
    health_addr: tcpAddress().optional(),
    routing: choice(['host']).optional(),
    body_deadline_ms: integer(100, HOUR).default(60 * SECOND),
    verdict_deadline_ms: integer(100, HOUR).optional(),
    drain_deadline_ms: integer(0, HOUR).default(30 * SECOND),
    max_streams: integer(1, 1_000_000).default(1000),
    max_receive_bytes: integer(64 * 1024, 1024 * MIB).default(16 * MIB),
    max_body_bytes: integer(1024, 1024 * MIB).default(10 * MIB),
    max_body_ratio: integer(1, 10_000).default(100),
    max_held_bytes: integer(1024, 64 * MIB).default(MIB),
    hold_deadline_ms: integer(1000, HOUR).default(300 * SECOND),
    max_bodies_bytes: integer(64 * 1024, 64 * 1024 * MIB).default(256 * MIB),
  },
  session: {
    enabled: flag().default(true),
    ttl: duration(SECOND, 30 * DAY).default(HOUR / 2),
    max_events: integer(1, 100_000).default(500),
    max_sessions: integer(1, 1_000_000).default(10_000),
    linger: duration(0, DAY).default(60 * SECOND),
    max_tombstones: integer(0, 10_000_000).default(100_000),
    tombstone_ttl: duration(0, 30 * DAY).default(DAY),
  },
  admin: {
    address: tcpAddress().default('127.0.0.1:9094'),
    token_file: text({ nonEmpty: true }).optional(),
    recent_exchanges: integer(0, 100_000).default(1000),
  },
  log: { level: choice(['debug', 'info', 'warn', 'error']).default('info') },
} as const

/** An entry is looked at by itself, so that what is wrong in one hides nothing in the next. */
const chain = strictObject({ plugins: list(z.unknown()).default([]) })

// Also looked at when a field is wrong (then its value is no text and no number), so that all is reported at once.
const listener = strictObject(SECTIONS.listener).superRefine(
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
    if (value.max_receive_bytes <= value.max_body_bytes) {
      issue('max_receive_bytes', 'must be larger than max_body_bytes, since one message holds a whole body')
    }
    if (value.max_bodies_bytes < value.max_receive_bytes) {
      issue('max_bodies_bytes', 'must be at least max_receive_bytes, or no large body ever fits')
    }
  },
  { when: () => true },
)

export const topSchema = strictObject({
  pipeline: strictObject({ inbound: chain.prefault({}), outbound: chain.prefault({}) }),
  listener: listener.prefault({}),
  session: strictObject(SECTIONS.session).prefault({}),
  admin: strictObject(SECTIONS.admin).prefault({}),
  log: strictObject(SECTIONS.log).prefault({}),
})

export type Top = z.output<typeof topSchema>

/** One entry of a chain, written out. A bare name is the same as `{ name }`. */
export const entrySchema = strictObject({
  name: text({ nonEmpty: true }),
  id: text({ nonEmpty: true }).optional(),
  on_error: choice(['enforce', 'observe', 'off']).default('enforce'),
  config: z.unknown().optional(),
})
