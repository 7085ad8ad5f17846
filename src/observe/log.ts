import { type DestinationStream, destination, type LoggerOptions, pino } from 'pino'
import { printable } from '../core/printable.ts'
import type { ExchangeRecord } from '../core/record.ts'

type Facts = Readonly<Record<string, unknown>>

export interface Log {
  debug(facts: Facts, message: string): void
  info(facts: Facts, message: string): void
  warn(facts: Facts, message: string): void
  error(facts: Facts, message: string): void
  /** The same log, with these facts in every line. */
  child(facts: Facts): Log
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** All that leaves the process for people and tools to read: JSON, one line each. */
export interface Observer {
  readonly log: Log
  /** The one line of an exchange. Gives the record as it is written there. */
  readonly record: (record: ExchangeRecord) => string
  /** From now on; what was made of the log before (`child`) keeps the level that it had. */
  setLevel(level: LogLevel): void
  /** Writes what is not written yet; before the process ends. */
  flush(): void
}

/** Lines that a reader is too slow for. Beyond it lines are dropped: a gate does not grow or stop for its log. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024

/** A write of its own for each line costs more than the line. So lines wait for each other, this much or this long. */
const BATCH_BYTES = 8 * 1024
const BATCH_MS = 50

const FORMAT: LoggerOptions = {
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (label) => ({ level: label }) },
}

export interface Output extends DestinationStream {
  flushSync?(): void
}

/** Writes to standard output, or to `to`. */
export function createObserver(level: LogLevel, to?: Output): Observer {
  const output: Output = to ?? standardOutput()
  // Whoever follows the log has a terminal, and lines quote what clients and servers say.
  const write = (line: string): void => void output.write(printable(line))
  const log = pino({ ...FORMAT, level }, { write })
  return {
    log,
    setLevel: (next) => {
      log.level = next
    },
    // Records are no diagnostics: whatever `log.level` is, what happened is written down.
    record: (record) => {
      const json = JSON.stringify(record)
      write(lineOf(json))
      return json
    },
    flush: () => output.flushSync?.(),
  }
}

/** In the form of the log's lines, written whole: a logger looks at each member by itself. */
function lineOf(json: string): string {
  return `{"level":"info","time":"${new Date().toISOString()}",${json.slice(1, -1)},"msg":"exchange"}\n`
}

function standardOutput(): Output {
  const batch = { minLength: BATCH_BYTES, periodicFlush: BATCH_MS, maxLength: MAX_WAITING_BYTES }
  return destination({ dest: 1, sync: false, ...batch })
}
