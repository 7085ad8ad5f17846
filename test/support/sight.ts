import type { Upstream } from './upstream.ts'

/** All that a server can tell of what reached it. */
export interface Sight {
  readonly arrivals: number
  readonly connections: number
  readonly bytes: number
}

/** Equal before and after: nothing arrived in between, not even a connection. */
export function sightOf(server: Upstream): Sight {
  return { arrivals: server.arrivals.length, connections: server.connections(), bytes: server.bytes() }
}
