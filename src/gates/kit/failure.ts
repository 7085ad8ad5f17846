import type { Failure } from '../../client/json.ts'

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

/** Why a limiter did not start the question. */
export function notAskedName(why: 'full' | 'expired'): string {
  return why === 'full' ? 'queue full' : 'time-out in the queue'
}
