import type { Exchange } from '../../core/exchange.ts'
import type { SessionView } from '../../core/session.ts'
import { NO_WATCH, type ExchangeTelemetry } from '../../core/telemetry.ts'

/** A session of which only the intent counts. */
export function sessionWith(intent: string): SessionView {
  return {
    id: 'eval',
    intents: () => [intent],
    destinations: new Set(),
    heard: [],
    results: { list: [], incomplete: false },
    conversation: () => undefined,
  }
}

/** An exchange around a call that is not on its way anywhere yet, so that nothing of it but the call can be judged. */
export function exchangeFor(session: SessionView, telemetry: ExchangeTelemetry = NO_WATCH): Exchange {
  const headers = { pairs: [], one: () => undefined, all: () => [], has: () => false }
  return {
    direction: 'outbound',
    workload: 'eval',
    routesByHost: false,
    requestId: 'eval',
    traceId: undefined,
    request: {
      method: 'POST',
      scheme: 'http',
      authority: 'model.example',
      host: 'model.example',
      path: '/',
      canonicalPath: '/',
      query: '',
      headers,
      bodyless: false,
    },
    body: { kind: 'none' },
    answer: undefined,
    identity: undefined,
    session: { certainty: 'exact', method: 'handle', candidates: [session] },
    conversation: undefined,
    notes: { has: () => false },
    telemetry,
  }
}
