import type { Direction } from '../core/exchange.ts'

/** What a configuration of Plumbline needs of Envoy. */
export interface Needs {
  readonly messageTimeoutMs: Readonly<Record<Direction, number>>
  readonly maxBodyBytes: number
  readonly maxStreams: number
  readonly listeners: readonly {
    readonly address: string
    /** Said by the address itself, where the filter cannot. */
    readonly direction?: Direction
  }[]
  readonly token: boolean
  readonly tls: boolean
  /** `routing: host` is claimed for every filter. */
  readonly routesByHost: boolean
  /** SHA-256 of the file. */
  readonly digest: string
}

/** All that checks of Envoy's configuration look at. */
export interface Known {
  readonly needs: Needs | undefined
  /** Of Node that the running Plumbline says it runs on. */
  readonly nodeVersion: string | undefined
}
