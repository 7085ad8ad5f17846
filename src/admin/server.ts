import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What `/readyz` tells. Never what a session holds. */
export interface Readiness {
  readonly state: 'starting' | 'ready' | 'draining'
  /** Settings in force under which something passes unchecked. */
  readonly failsOpen: readonly string[]
  readonly warnings: readonly string[]
  readonly figures: Readonly<Record<string, number>>
}

export interface AdminOptions {
  /** `host:port`; port 0 for any. */
  readonly address: string
  readonly readiness: () => Readiness
}

export interface AdminServer {
  /** The address as bound. */
  start(): Promise<string>
  stop(): Promise<void>
}

const REQUEST_MS = 5000
const MAX_CONNECTIONS = 64

export function createAdminServer({ address, readiness }: AdminOptions): AdminServer {
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS }, (request, response) => {
    answer(request, response, readiness)
  })
  server.maxConnections = MAX_CONNECTIONS
  const { host, port } = splitAddress(address)
  return {
    start: async () =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, host, () => {
          server.off('error', reject)
          resolve(address.replace(/:\d+$/, `:${(server.address() as AddressInfo).port}`))
        })
      }),
    stop: async () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The last colon ends the host; an IPv6 host stands in brackets. */
function splitAddress(address: string): { readonly host: string; readonly port: number } {
  const colon = address.lastIndexOf(':')
  return { host: address.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(address.slice(colon + 1)) }
}

function answer(request: IncomingMessage, response: ServerResponse, readiness: () => Readiness): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD')
    return send(response, 405, { error: 'method_not_allowed' })
  }
  const path = (request.url ?? '/').split('?', 1)[0]
  if (path === '/healthz') return send(response, 200, { status: 'alive' })
  if (path !== '/readyz') return send(response, 404, { error: 'not_found' })
  const { state, failsOpen, warnings, figures } = readiness()
  send(response, state === 'ready' ? 200 : 503, { status: state, fails_open: failsOpen, warnings, figures })
}

/** Node leaves the body out for HEAD. */
function send(response: ServerResponse, status: number, body: Readonly<Record<string, unknown>>): void {
  const bytes = Buffer.from(`${JSON.stringify(body)}\n`)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': bytes.length,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  response.end(bytes)
}
