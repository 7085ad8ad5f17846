import { z } from 'zod'
import type { Direction } from '../core/exchange.ts'
import { tcpAddress } from './addresses.ts'
import { choice, duration, flag, integer, list, strictObject, text } from './fields.ts'
import { LISTENER_FIELDS, listenerField } from './listener-fields.ts'
import { meant } from './meaning.ts'
import { DAY, HOUR, SECOND } from './units.ts'

export { DEFAULT_EXT_PROC_ADDRESS } from './listener-fields.ts'

/** What `docs/configuration.md` lists: every section with its keys. */
export const SECTIONS = {
  listener: LISTENER_FIELDS,
  session: {
    enabled: flag().default(true).describe('Without sessions no intent is known.'),
    ttl: duration(SECOND, 30 * DAY)
      .default(HOUR / 2)
      .describe('How long a session lives after its last use.'),
    max_events: integer(1, 100_000).default(500).describe("Texts that a session holds beside the user's intents."),
    max_sessions: integer(1, 1_000_000)
      .default(10_000)
      .describe('Beyond it the one idle longest goes; one in flight never.'),
    linger: duration(0, DAY)
      .default(60 * SECOND)
      .describe('How long a session counts as active after its last exchange.'),
    max_tombstones: integer(0, 10_000_000).default(100_000).describe('Ended sessions that are still known as lost.'),
    tombstone_ttl: duration(0, 30 * DAY)
      .default(DAY)
      .describe('How long an ended session is known as lost.'),
  },
  admin: {
    address: tcpAddress()
      .default('127.0.0.1:9094')
      .describe('`/healthz` (alive) and `/readyz` (ready, with settings that fail open, and warnings).'),
    token_file: text({ nonEmpty: true })
      .optional()
      .describe(
        'A file with the token that opens `/v1`, shown as `authorization: Bearer …`; without it `/v1` is closed.',
      ),
    recent_exchanges: integer(0, 100_000)
      .default(1000)
      .describe('Exchanges that `/v1/exchanges` and `plumbline explain` still know.'),
  },
  log: {
    level: choice(['debug', 'info', 'warn', 'error'])
      .default('info')
      .describe('The least that is logged. The record of each exchange is written at every level.'),
  },
} as const

/** The whole file. What an entry of a chain looks like depends on the plugins that there are. */
export function configurationOf(entry: (direction: Direction) => z.ZodType) {
  const chain = (direction: Direction) =>
    strictObject({
      plugins: list(entry(direction))
        .default([])
        .describe('Parsers read before gates judge, whatever the list says; within a kind its order holds.'),
    }).prefault({})
  return strictObject({
    pipeline: strictObject({
      inbound: chain('inbound').describe('What comes to the agent.'),
      outbound: chain('outbound').describe('What the agent does.'),
    }).describe('The plugins that look at each exchange, by direction.'),
    listener: listenerField.prefault({}).describe('Where Envoy connects, who it has to be, and how much it may send.'),
    session: strictObject(SECTIONS.session).prefault({}).describe('What is remembered of users and their agents.'),
    admin: strictObject(SECTIONS.admin).prefault({}).describe('For operators and probes.'),
    log: strictObject(SECTIONS.log).prefault({}).describe('JSON lines on standard output.'),
  })
}

/** An entry is looked at by itself, so that what is wrong in one hides nothing in the next. */
export const topSchema = configurationOf(() => z.unknown())

export type Top = z.output<typeof topSchema>

/** What stands in an entry of a chain. */
export const ENTRY_FIELDS = {
  name: text({ nonEmpty: true }).describe('Which plugin.'),
  id: text({ nonEmpty: true })
    .optional()
    .describe(
      'How records and refusals call it, by default its name; unique in its chain. The same plugin may stand twice ' +
        'under two ids.',
    ),
  on_error: choice(['enforce', 'observe', 'off'])
    .default('enforce')
    .describe(
      '`enforce`: its refusals hold. `observe`: it runs, its refusals are only recorded. `off`: it does not run.',
    ),
  config: meant(z.unknown(), { schema: {}, values: 'mapping' }).optional().describe("The plugin's own fields."),
} as const

/** One entry of a chain, written out. A bare name is the same as `{ name }`. */
export const entrySchema = strictObject(ENTRY_FIELDS)
