/** Who has to act on a code. */
export type Fault = 'peer' | 'operator' | 'plugin' | 'us'

export interface CodeInfo {
  readonly status: number
  readonly fault: Fault
  /** What the caller is told. */
  readonly message: string
}

/** The framework's own codes: a closed list. Plugins list theirs in their type (`codes`). `docs/errors.md` has them all. */
export const PLUMBLINE_CODES = {
  'plumbline.unreadable': { status: 400, fault: 'peer', message: 'The message cannot be read unambiguously.' },
  'plumbline.body_timeout': { status: 408, fault: 'peer', message: 'The request body did not end in time.' },
  'plumbline.too_large': { status: 413, fault: 'peer', message: 'The message is larger than the limit.' },
  'plumbline.unsupported_encoding': {
    status: 415,
    fault: 'peer',
    message: 'The encoding or character set of the message is not supported.',
  },
  'plumbline.unsupported_protocol': {
    status: 403,
    fault: 'peer',
    message: 'This protocol cannot be checked here: send plain HTTP, and let Envoy originate TLS.',
  },
  'plumbline.no_direction': {
    status: 500,
    fault: 'operator',
    message: 'The gateway does not say which way the traffic flows.',
  },
  'plumbline.wrong_mode': {
    status: 500,
    fault: 'operator',
    message: 'The gateway does not show the message bodies that have to be checked.',
  },
  'plumbline.overloaded': { status: 503, fault: 'us', message: 'Too much is in flight. Try again.' },
  'plumbline.deadline': { status: 503, fault: 'us', message: 'No decision in time.' },
  'plumbline.plugin_failed': { status: 503, fault: 'plugin', message: 'A check failed.' },
  'plumbline.unreadable_answer': { status: 502, fault: 'peer', message: 'The answer cannot be checked.' },
  'plumbline.shutting_down': { status: 503, fault: 'us', message: 'Shutting down. Try again.' },
} as const satisfies Record<string, CodeInfo>

export type PlumblineCode = keyof typeof PLUMBLINE_CODES
