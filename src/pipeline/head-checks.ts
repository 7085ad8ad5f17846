import type { Head } from '../core/exchange.ts'

/**
 * CONNECT or an upgrade: what follows is no HTTP message, so no parser can read it. Envoy makes an upgrade of HTTP/2's
 * extended CONNECT, and takes `Upgrade: h2c` off by itself; what still has the header here asked for something else.
 */
export function isTunnel(head: Head): boolean {
  return head.method === 'CONNECT' || head.headers.has('upgrade')
}

/** `/pkg.Service/Method`. The service's own name has a capital letter, which tells it from paths such as `/mcp/message`. */
const GRPC_PATH = /^\/(?:[A-Za-z_]\w*\.)*[A-Z]\w*\/[A-Za-z_]\w*$/
const GRPC_TYPE = /^application\/grpc(?:-web(?:-text)?)?(?:\+[\w.-]+)?\s*(?:;.*)?$/i

/**
 * A gRPC call: its body is a stream of protobuf frames that may never end. All of it has to fit, since such a body is not
 * read: servers that do not look at the content type would find anything in it.
 */
export function isGrpc(head: Head): boolean {
  return head.method === 'POST' && GRPC_PATH.test(head.path) && GRPC_TYPE.test(head.headers.one('content-type') ?? '')
}

const REQUEST_ID = /^[\x21-\x7e]{1,128}$/

/** Envoy's `x-request-id`, when there is exactly one that a log line can carry. */
export function requestIdOf(head: Head): string | undefined {
  const id = head.headers.one('x-request-id')
  return id !== undefined && REQUEST_ID.test(id) ? id : undefined
}
