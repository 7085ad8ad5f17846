import type { Ruling, Run } from '../../core/ruling.ts'
import type { Exemption } from '../kit/exemptions.ts'
import { SPARC_CODES, type SparcCode } from './codes.ts'

export type Skip = Exemption | 'not_a_tool_call' | 'skip_tools' | 'reflect_tools' | 'no_inference_context'

/** What the record holds beside action and reason. */
export type Noted = Pick<Run, 'cached' | 'details' | 'verdict'>

export function skipped(reason: Skip): Ruling {
  return { allow: true, run: { action: 'skip', reason } }
}

export function approved(noted: Noted): Ruling {
  return { allow: true, run: { action: 'allow', reason: 'approved', ...noted } }
}

/** Rejected, and let through all the same: the operator only wants to know. */
export function observed(noted: Noted): Ruling {
  return { allow: true, run: { action: 'observe', reason: 'reject_observed', ...noted } }
}

/** Nobody could say; the operator prefers tools that work. */
export function unchecked(noted: Noted): Ruling {
  const details = { ...noted.details, passed: true }
  return { allow: true, run: { action: 'failed', reason: 'reflector_unavailable', ...noted, details } }
}

export function reflected(clarification: string, noted: Noted): Ruling {
  return {
    allow: false,
    no: { ...rejection('sparc.reflected'), clarification },
    run: { action: 'modify', reason: 'reflected', ...noted },
  }
}

export function denied(reason: 'blocked' | 'reflector_unavailable' | 'no_inference_context', noted: Noted): Ruling {
  return { allow: false, no: rejection(`sparc.${reason}`), run: { action: 'deny', reason, ...noted } }
}

function rejection(code: SparcCode): { readonly code: string; readonly status: number; readonly message: string } {
  const { status, message } = SPARC_CODES[code]
  return { code, status, message }
}
