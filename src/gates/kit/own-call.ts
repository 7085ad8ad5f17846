import type { Exchange } from '../../core/exchange.ts'
import { canonicalHost } from '../../http/hosts.ts'

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

/**
 * Recognises a question of ours that comes back through the gateway, by the header that marks it. Anybody can send the
 * mark, so it counts only on the way to the very place that we ask: there it buys nothing but a question.
 */
export function ownCalls(asked: URL, header: string): (x: Exchange) => boolean {
  const host = canonicalHost(asked.host)
  const port = portOf(asked.host, asked.protocol)
  return ({ routesByHost, request }) =>
    routesByHost &&
    request.headers.one(header) === '1' &&
    request.method === 'POST' &&
    request.host === host &&
    portOf(request.authority, `${request.scheme}:`) === port &&
    request.path === asked.pathname &&
    request.canonicalPath !== undefined &&
    request.query === ''
}

function portOf(authority: string, protocol: string): string | undefined {
  return /(?<=^[^:]*|\]):(\d+)$/u.exec(authority)?.[1] ?? DEFAULT_PORTS[protocol]
}
