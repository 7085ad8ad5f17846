import { CANARY_HEADER, CANARY_HOST } from '../core/canary.ts'
import type { HeaderPair } from '../core/exchange.ts'

const CLOSE = 'close'
/** As a Host header may write it: any case, a trailing dot, a port. */
const AUTHORITY = new RegExp(`^${CANARY_HOST.replaceAll('.', '\\.')}\\.?(?::\\d*)?$`, 'i')

/** Whether a request's head asks that its stream be ended with an error. What is said twice is not said. */
export function asksToClose(pairs: readonly HeaderPair[]): boolean {
  const authority = one(pairs, ':authority')
  return authority !== undefined && AUTHORITY.test(authority) && one(pairs, CANARY_HEADER) === CLOSE
}

function one(pairs: readonly HeaderPair[], wanted: string): string | undefined {
  let found: string | undefined
  for (const [name, value] of pairs) {
    if (name !== wanted) continue
    if (found !== undefined) return undefined
    found = value
  }
  return found
}
