import type { CodeInfo } from '../../core/errors.ts'

/** What sparc refuses with. The messages are all that a caller is told, unless its model can read a clarification. */
export const SPARC_CODES = {
  'sparc.reflected': {
    // Where the message has a shape for a clarification, that shape's own status goes out instead.
    status: 403,
    fault: 'peer',
    message: 'This tool call is not supported by the conversation. Correct it, or ask the user.',
  },
  'sparc.blocked': { status: 403, fault: 'peer', message: 'This tool call is not supported by the conversation.' },
  'sparc.reflector_unavailable': {
    status: 503,
    fault: 'operator',
    message: 'The check that this tool call must pass cannot be reached. Try again.',
  },
  'sparc.no_inference_context': {
    status: 503,
    fault: 'operator',
    message: 'The conversation that this tool call must be held against is not known.',
  },
} as const satisfies Record<string, CodeInfo>

export type SparcCode = keyof typeof SPARC_CODES
