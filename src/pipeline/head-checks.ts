import type { Head } from '../core/exchange.ts'

/**
 * CONNECT or an upgrade: what follows is no HTTP message, so no parser can read it. Envoy makes an upgrade of HTTP/2's
 * extended CONNECT, and takes `Upgrade: h2c` off by itself; what still has the header here asked for something else.
 */
export function isTunnel(head: Head): boolean {
  return head.method === 'CONNECT' || head.headers.has('upgrade')
}

const GRPC_PATH = /^\/[A-Za-z_][\w.]*\/[A-Za-z_]\w*$/

/** A gRPC call: its body is a stream of protobuf frames that may never end. */
export function isGrpc(head: Head): boolean {
  const types = head.headers.all('content-type')
  return types.some((t) => t.toLowerCase().startsWith('application/grpc')) && GRPC_PATH.test(head.path)
}

const REQUEST_ID = /^[\x21-\x7e]{1,128}$/

/** Envoy's `x-request-id`, when there is exactly one that a log line can carry. */
export function requestIdOf(head: Head): string | undefined {
  const id = head.headers.one('x-request-id')
  return id !== undefined && REQUEST_ID.test(id) ? id : undefined
}
