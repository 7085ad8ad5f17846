import { parseArgs } from 'node:util'
import { LOADS } from './loads.ts'
import type { Load } from './loads.ts'
import { ROWS } from './rows.ts'
import type { Row } from './rows.ts'

export interface Options {
  readonly rounds: number
  /** Of each measurement. */
  readonly seconds: number
  readonly clients: number
  readonly rows: readonly Row[]
  readonly loads: readonly Load[]
  /** Where the figures go as JSON, besides the table. */
  readonly json: string | undefined
  /** Only the table of streams. */
  readonly streams: boolean
  /** Only the table of decisions without a model. */
  readonly decisions: boolean
  /** Instead of the table: where a row's processor spends its time. */
  readonly profile: boolean
}

export const USAGE = `npm run bench -- [options]

  --rounds N      how often each row is measured; the table shows medians (5)
  --seconds N     how long each measurement takes (2)
  --clients N     requests at once (8)
  --row ID        only this row; may be repeated (${ROWS.map((row) => row.id).join(', ')})
  --load ID       only this load; may be repeated (${LOADS.map((load) => load.id).join(', ')})
  --streams       only the table of streams
  --decisions     only the table of decisions that the embedded judge and reflector take
  --json FILE     writes all figures there as well
  --profile       shows where the processors of these rows spend their time, in place of the table`

export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '2' },
      clients: { type: 'string', default: '8' },
      row: { type: 'string', multiple: true, default: [] },
      load: { type: 'string', multiple: true, default: [] },
      streams: { type: 'boolean', default: false },
      decisions: { type: 'boolean', default: false },
      json: { type: 'string' },
      profile: { type: 'boolean', default: false },
    },
  })
  return {
    rounds: positive('rounds', values.rounds),
    seconds: positive('seconds', values.seconds),
    clients: positive('clients', values.clients),
    rows: chosen('row', ROWS, values.row),
    loads: chosen('load', LOADS, values.load),
    streams: values.streams,
    decisions: values.decisions,
    json: values.json,
    profile: values.profile,
  }
}

function positive(name: string, text: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new Error(`--${name} must be a number above 0.`)
  return value
}

/** Those that were named, in their own order; all when none was. */
function chosen<T extends { readonly id: string }>(what: string, all: readonly T[], ids: readonly string[]): T[] {
  const unknown = ids.find((id) => !all.some((one) => one.id === id))
  if (unknown !== undefined) throw new Error(`There is no ${what} "${unknown}".`)
  return all.filter((one) => ids.length === 0 || ids.includes(one.id))
}
