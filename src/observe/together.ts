import type { ExchangeRecord } from '../core/record.ts'
import type { Asked, Checker, ExchangeWatch, Outside, Telemetry } from '../core/telemetry.ts'

type OnFault = (cause: unknown) => void

/**
 * Several that count and trace, as one. What they do wrong stays with them: an exchange is not lost for a number, and
 * `onFault` gets the cause.
 */
export function together(all: readonly Telemetry[], onFault: OnFault): Telemetry {
  return {
    begins: (caller, head, traceparent) =>
      new Watches(
        askEach(all, (one) => one.begins(caller, head, traceparent), onFault),
        onFault,
      ),
  }
}

/** One for each exchange: a class, since closures for each method cost more than the counting. */
class Watches implements ExchangeWatch {
  readonly #watches: readonly ExchangeWatch[]
  readonly #onFault: OnFault

  constructor(watches: readonly ExchangeWatch[], onFault: OnFault) {
    this.#watches = watches
    this.#onFault = onFault
  }

  asks(outside: Outside): (how: Asked) => void {
    const ends = askEach(this.#watches, (one) => one.asks(outside), this.#onFault)
    return (how) => {
      tellEach(ends, (end) => end(how), this.#onFault)
    }
  }

  recalls(what: Checker, found: boolean): void {
    tellEach(this.#watches, (one) => one.recalls(what, found), this.#onFault)
  }

  decides(ms: number): void {
    tellEach(this.#watches, (one) => one.decides(ms), this.#onFault)
  }

  ends(record: ExchangeRecord): void {
    tellEach(this.#watches, (one) => one.ends(record), this.#onFault)
  }
}

/** What each gives; whoever throws gives nothing. */
function askEach<T, R>(list: readonly T[], ask: (one: T) => R, onFault: OnFault): readonly R[] {
  const given: R[] = []
  for (const one of list) {
    try {
      given.push(ask(one))
    } catch (cause) {
      onFault(cause)
    }
  }
  return given
}

function tellEach<T>(list: readonly T[], tell: (one: T) => void, onFault: OnFault): void {
  for (const one of list) {
    try {
      tell(one)
    } catch (cause) {
      onFault(cause)
    }
  }
}
