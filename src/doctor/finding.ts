import type { CheckId } from './catalogue.ts'

/** Where the lines of a mend belong. */
export type Place =
  | 'filter' // `typed_config` of the ext_proc filter
  | 'chain' // `http_filters`
  | 'manager' // `typed_config` of the HTTP connection manager
  | 'listener'
  | 'cluster'
  | 'route'
  | 'bootstrap'
  | 'plumbline' // Plumbline's own configuration
  | 'elsewhere'

/** What is wrong, where, and what to write instead. */
export interface Finding {
  readonly id: CheckId
  /** In the words of the configuration: `listener outbound`. */
  readonly where: string
  readonly wrong: string
  readonly mend: Mend
  /** The listener whose configuration it is, for machines. */
  readonly listener?: string
}

export interface Mend {
  readonly at: Place
  /** YAML, or one sentence for what no line mends. */
  readonly lines: string
}

/** A check that could not be made although its options were given. */
export interface Unchecked {
  readonly id: CheckId
  readonly why: string
}
