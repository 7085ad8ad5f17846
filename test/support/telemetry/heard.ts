import type { ExchangeRecord } from '../../../src/core/record.ts'
import type { Telemetry } from '../../../src/core/telemetry.ts'

/** What a telemetry heard, in its order. */
export interface Heard extends Telemetry {
  readonly events: (readonly [what: string, ...facts: readonly unknown[]])[]
  readonly records: ExchangeRecord[]
}

export function hearing(): Heard {
  const events: Heard['events'] = []
  const records: ExchangeRecord[] = []
  return {
    events,
    records,
    begins: (caller, head, traceparent) => {
      events.push(['begins', caller?.direction, head?.host, traceparent !== undefined])
      return {
        asks: ({ what, endpoint, model }) => {
          events.push(['asks', what, endpoint.pathname, model])
          return (how) => void events.push(['answered', how])
        },
        recalls: (what, found) => void events.push(['recalls', what, found]),
        decides: (ms) => void events.push(['decides', typeof ms]),
        ends: (record) => {
          events.push(['ends'])
          records.push(record)
        },
      }
    },
  }
}
