import type { Ruling } from '../../core/ruling.ts'
import type { Exemption } from '../kit/exemptions.ts'
import { IBAC_CODES, type IbacCode } from './codes.ts'

type Details = Readonly<Record<string, unknown>>

/** Every reason with which the record says no, and what the caller is told then. */
const CODE_OF_DENIAL = {
  blocked: 'ibac.blocked',
  oversize: 'ibac.blocked',
  judge_uncertain: 'ibac.judge_uncertain',
  judge_unavailable: 'ibac.judge_unavailable',
  no_intent: 'ibac.no_intent',
  no_session: 'ibac.no_session',
  ambiguous_session: 'ibac.ambiguous_session',
} as const satisfies Record<string, IbacCode>

export type Denial = keyof typeof CODE_OF_DENIAL

export type Skip =
  Exemption | 'preflight' | 'protocol_mechanics' | 'unclassified' | 'inference_bypass' | 'no_user_context'

/** What the record holds beside the reason. */
export interface Noted {
  readonly details: Details
  readonly cached?: boolean
}

export function aligned(noted: Noted): Ruling {
  return { allow: true, run: { action: 'allow', reason: 'aligned', ...noted } }
}

export function skipped(reason: Skip): Ruling {
  return { allow: true, run: { action: 'skip', reason } }
}

export function denied(reason: Denial, noted?: Noted): Ruling {
  const code = CODE_OF_DENIAL[reason]
  const { status, message } = IBAC_CODES[code]
  return {
    allow: false,
    no: { code, status, message },
    run: { action: 'deny', reason, ...noted },
  }
}
