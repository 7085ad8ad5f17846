import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Server, Socket } from 'node:net'

/** What may be asked of the admin address; all of it only reads. */
export interface AdminRoute {
  /** `/healthz`; one that ends in `/` has everything below it. */
  readonly path: string
  /** What it tells is for those who show the token (`admin.token_file`): who was blocked, and why. */
  readonly secret?: true
  answer(request: AdminRequest): AdminAnswer | Promise<AdminAnswer>
}

export interface AdminRequest {
  /** What follows the route's path; empty for one that is met exactly. Percent-decoded. */
  readonly rest: string
  readonly query: URLSearchParams
}

/** JSON, or text of the type that is named. */
export type AdminAnswer =
  | { readonly status: number; readonly json: Readonly<Record<string, unknown>> }
  | { readonly status: number; readonly text: string; readonly type: string }

export interface AdminOptions {
  /** `host:port`; port 0 for any. */
  readonly address: string
  readonly routes: readonly AdminRoute[]
  /** Whether the value of an Authorization header opens the secret routes; `unset`: nothing does. */
  readonly authorize: (authorization: string | undefined) => 'yes' | 'no' | 'unset'
}

export interface AdminServer {
  /** The address as bound. */
  start(): Promise<string>
  stop(): Promise<void>
}

const REQUEST_MS = 5000
const MAX_CONNECTIONS = 64

export function createAdminServer({ address, routes, authorize }: AdminOptions): AdminServer {
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS }, (request, response) => {
    void answer(request, routes, authorize).then((found) => send(response, found))
  })
  keepNewest(server, MAX_CONNECTIONS)
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

/**
 * Whoever comes one too many takes the place of who has been here longest. To turn the new ones away would let an agent on
 * the same loopback hold all places, and a probe that finds none has the process ended.
 */
function keepNewest(server: Server, most: number): void {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    const [oldest] = open
    if (oldest === undefined || open.size <= most) return
    open.delete(oldest)
    oldest.destroy()
  })
}

/** The last colon ends the host; an IPv6 host stands in brackets. */
function splitAddress(address: string): { readonly host: string; readonly port: number } {
  const colon = address.lastIndexOf(':')
  return { host: address.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(address.slice(colon + 1)) }
}

const problem = (status: number, error: string, message?: string): AdminAnswer => ({
  status,
  json: { error, ...(message === undefined ? {} : { message }) },
})

async function answer(
  request: IncomingMessage,
  routes: readonly AdminRoute[],
  authorize: AdminOptions['authorize'],
): Promise<AdminAnswer> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return problem(405, 'method_not_allowed')
  const [path = '/', query = ''] = (request.url ?? '/').split('?', 2)
  const route = routes.find((each) => (each.path.endsWith('/') ? path.startsWith(each.path) : path === each.path))
  if (route === undefined) return problem(404, 'not_found')
  if (route.secret === true) {
    const may = authorize(request.headers.authorization)
    if (may === 'unset')
      return problem(403, 'no_token_configured', 'set admin.token_file: what this tells is not for all')
    if (may === 'no') return problem(401, 'unauthorized', 'send "authorization: Bearer TOKEN" of admin.token_file')
  }
  const rest = decoded(path.slice(route.path.length))
  if (rest === undefined) return problem(400, 'bad_request')
  try {
    return await route.answer({ rest, query: new URLSearchParams(query) })
  } catch {
    return problem(500, 'internal')
  }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Node leaves the body out for HEAD. */
function send(response: ServerResponse, found: AdminAnswer): void {
  const json = 'json' in found
  const bytes = Buffer.from(json ? `${JSON.stringify(found.json)}\n` : found.text)
  response.writeHead(found.status, {
    'content-type': json ? 'application/json' : found.type,
    'content-length': bytes.length,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(found.status === 405 ? { allow: 'GET, HEAD' } : {}),
    ...(found.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
  })
  response.end(bytes)
}
