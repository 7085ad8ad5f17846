import type { CodeInfo } from '../../core/errors.ts'

/** What ibac refuses with. The messages are all that a caller is told: no reason of a judge, no intent. */
export const IBAC_CODES = {
  'ibac.blocked': { status: 403, fault: 'peer', message: 'This action does not serve what the user asked for.' },
  'ibac.judge_uncertain': {
    status: 403,
    fault: 'operator',
    message: 'It could not be decided whether this action serves what the user asked for.',
  },
  'ibac.judge_unavailable': {
    status: 503,
    fault: 'operator',
    message: 'The judge that must allow this action cannot be reached. Try again.',
  },
  'ibac.no_intent': {
    status: 403,
    fault: 'operator',
    message: 'The user of this session has not asked for anything yet.',
  },
  'ibac.no_session': {
    status: 403,
    fault: 'operator',
    message: 'This action belongs to no session of a user, or to one that is gone.',
  },
  'ibac.ambiguous_session': {
    status: 403,
    fault: 'operator',
    message: 'This action could belong to several sessions. Pass on the trace context or the session handle.',
  },
} as const satisfies Record<string, CodeInfo>

export type IbacCode = keyof typeof IBAC_CODES
