import type { Exchange } from '../../core/exchange.ts'
import { canonicalHost } from '../../http/hosts.ts'

/** Marks each question to the judge, so that one which comes back through the gateway is known. */
export const SENTINEL_HEADER = 'x-ibac-judge'

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

/**
 * Recognises a question to the judge. Anybody can send the mark, so it counts only on the way to the judge itself: there
 * it buys nothing but a question.
 */
export function ownCalls(judge: URL): (x: Exchange) => boolean {
  const host = canonicalHost(judge.host)
  const port = portOf(judge.host, judge.protocol)
  return ({ routesByHost, request }) =>
    routesByHost &&
    request.headers.one(SENTINEL_HEADER) === '1' &&
    request.method === 'POST' &&
    request.host === host &&
    portOf(request.authority, `${request.scheme}:`) === port &&
    request.path === judge.pathname &&
    request.canonicalPath !== undefined &&
    request.query === ''
}

function portOf(authority: string, protocol: string): string | undefined {
  return /(?<=^[^:]*|\]):(\d+)$/u.exec(authority)?.[1] ?? DEFAULT_PORTS[protocol]
}
