import type { ExchangeWatch, Telemetry } from '../core/telemetry.ts'

/**
 * Several that count and trace, as one. What they do wrong stays with them: an exchange is not lost for a number, and
 * `onFault` gets the cause.
 */
export function together(all: readonly Telemetry[], onFault: (cause: unknown) => void): Telemetry {
  const each = <T>(list: readonly T[], tell: (one: T) => void): void => {
    for (const one of list) {
      try {
        tell(one)
      } catch (cause) {
        onFault(cause)
      }
    }
  }
  return {
    begins: (caller, head, traceparent): ExchangeWatch => {
      const watches: ExchangeWatch[] = []
      each(all, (one) => watches.push(one.begins(caller, head, traceparent)))
      return {
        asks: (outside) => {
          const ends: ReturnType<ExchangeWatch['asks']>[] = []
          each(watches, (one) => ends.push(one.asks(outside)))
          return (how) => {
            each(ends, (end) => {
              end(how)
            })
          }
        },
        recalls: (what, found) => {
          each(watches, (one) => {
            one.recalls(what, found)
          })
        },
        decides: (ms) => {
          each(watches, (one) => {
            one.decides(ms)
          })
        },
        ends: (record) => {
          each(watches, (one) => {
            one.ends(record)
          })
        },
      }
    },
  }
}
