import { Counter, Gauge, type Registry } from 'prom-client'

/** What a process says of itself at the moment it is asked, by name. */
export type Figures = Readonly<Record<string, number>>

interface Shown {
  /** Of the figure. */
  readonly from: string
  readonly name: string
  readonly help: string
  /** It never falls while the process lives. */
  readonly total?: true
}

const SHOWN: readonly Shown[] = [
  { from: 'ready', name: 'plumbline_ready', help: '1 while new exchanges are taken, else 0' },
  {
    from: 'failsOpenSettings',
    name: 'plumbline_fails_open_settings',
    help: 'Settings in force under which something passes unchecked',
  },
  { from: 'openStreams', name: 'plumbline_open_streams', help: 'Exchanges that are open' },
  { from: 'maxStreams', name: 'plumbline_max_streams', help: 'listener.max_streams' },
  { from: 'streams', name: 'plumbline_streams_total', help: 'Exchanges that Envoy opened', total: true },
  {
    from: 'lostConnections',
    name: 'plumbline_lost_connections_total',
    help: 'Connections of Envoy that broke with exchanges in flight',
    total: true,
  },
  { from: 'connections', name: 'plumbline_connections', help: 'Connections from Envoys' },
  {
    from: 'refusedByToken',
    name: 'plumbline_streams_refused_by_token_total',
    help: 'Exchanges turned away without the right token',
    total: true,
  },
  {
    from: 'refusedByLimit',
    name: 'plumbline_streams_refused_by_limit_total',
    help: 'Exchanges turned away at listener.max_streams',
    total: true,
  },
  {
    from: 'bodyBytes',
    name: 'plumbline_body_bytes',
    help: 'Request bodies, and what Envoy has not taken of edited answers, in memory',
  },
  {
    from: 'heldBytes',
    name: 'plumbline_held_bytes',
    help: 'Answers in memory: held back for their calls, or being read',
  },
  {
    from: 'maxBodiesBytes',
    name: 'plumbline_max_bodies_bytes',
    help: 'listener.max_bodies_bytes, the limit of each of both',
  },
  { from: 'sessions', name: 'plumbline_sessions', help: 'Sessions' },
  { from: 'inFlight', name: 'plumbline_sessions_in_flight', help: 'Sessions with an open inbound exchange' },
  { from: 'maxSessions', name: 'plumbline_max_sessions', help: 'session.max_sessions' },
  { from: 'tombstones', name: 'plumbline_tombstones', help: 'Sessions that are gone and still known to have been' },
]

/** Shows the figures that `now` has; one that it has not is not shown at all. */
export function showFigures(registry: Registry, now: () => Figures): void {
  for (const { from, name, help, total } of SHOWN) {
    const options = { name, help, registers: [registry] }
    if (total === true) {
      new Counter({
        ...options,
        collect() {
          this.reset()
          const value = now()[from]
          if (value !== undefined) this.inc(value)
        },
      })
    } else {
      new Gauge({
        ...options,
        collect() {
          const value = now()[from]
          if (value === undefined) this.remove()
          else this.set(value)
        },
      })
    }
  }
}
