import type { Failure } from '../../client/json.ts'
import type { Asked, FailureKind } from '../../core/telemetry.ts'

/** A failure as the record names it: nothing of the peer's text. */
export function failureName(failure: Failure): string {
  switch (failure.kind) {
    case 'unreachable':
      return `unreachable (${failure.why})`
    case 'aborted':
      return TIME_OUT
    case 'status':
      return `status ${failure.status}`
    case 'too_large':
      return `answer over ${failure.limitBytes} bytes`
    case 'not_json':
      return `no JSON (${failure.why})`
  }
}

export const TIME_OUT = 'time-out'

const KINDS = {
  unreachable: 'unreachable',
  aborted: 'timed_out',
  status: 'status',
  too_large: 'too_large',
  not_json: 'not_json',
} as const satisfies Record<Failure['kind'], FailureKind>

/** A failure as it is counted. */
export function askedInVain({ kind }: Pick<Failure, 'kind'>): Asked {
  return { outcome: 'failed', failure: KINDS[kind] }
}

/** Why a limiter did not start the question. */
export function notAskedName(why: 'full' | 'expired'): string {
  return why === 'full' ? 'queue full' : 'time-out in the queue'
}

/** The same, as it is counted. */
export function notAsked(why: 'full' | 'expired'): Asked {
  return { outcome: 'failed', failure: why === 'full' ? 'queue_full' : 'queue_timeout' }
}
