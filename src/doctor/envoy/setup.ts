import type { Direction } from '../../core/exchange.ts'
import type { Tree } from './tree.ts'

/** What stands on each listener of an Envoy, whether it was read from a file or asked of the running one. */
export interface Setup {
  readonly listeners: readonly Listener[]
  readonly clusters: ReadonlyMap<string, Tree>
  /** False where more of them come from elsewhere: what is not here may be there. */
  readonly allClusters: boolean
  readonly runtime: Readonly<Record<string, string>>
  /** Of the bootstrap; its admin is what we look at. */
  readonly admin: Tree
  /** Parts that this source does not hold, in words. */
  readonly unread: readonly string[]
}

export interface Listener {
  readonly name: string
  readonly options: Tree
  readonly managers: readonly Manager[]
  /** Names of the filter chains that speak no HTTP. */
  readonly opaque: readonly string[]
}

/** One HTTP connection manager: a filter chain of a listener. */
export interface Manager {
  readonly where: string
  readonly listener: string
  readonly options: Tree
  readonly filters: readonly HttpFilter[]
  readonly routes: Tree
}

export interface HttpFilter {
  readonly name: string
  readonly options: Tree
  /** Off unless a route switches it on. */
  readonly disabled: boolean
}

/** What the running Envoy says beside its configuration. */
export interface Running {
  readonly version: string
  /** It would hand its listening sockets to a successor. */
  readonly hotRestart: boolean
  readonly counters: Readonly<Record<string, number>>
}

/** An ext_proc filter that leads to Plumbline, as it acts on all routes or on those of one override. */
export interface Processor {
  readonly where: string
  readonly listener: Listener
  readonly manager: Manager
  readonly filter: HttpFilter
  readonly options: Tree
  readonly cluster: string | undefined
  /** Every value that the filter says under a name. */
  readonly said: ReadonlyMap<string, readonly string[]>
  /** What listener, name or routes tell; undefined where nothing does. */
  readonly expected: Direction | undefined
}
