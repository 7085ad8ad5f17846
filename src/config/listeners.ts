import type { Direction } from '../core/exchange.ts'
import type { Config } from './load.ts'
import { DEFAULT_EXT_PROC_ADDRESS } from './schema.ts'

export interface Listener {
  readonly address: string
  /** Said by the address itself, for gateways whose filter cannot say it. */
  readonly direction?: Direction
}

/** One listener whose filter says the direction, or one for each direction. */
export function listenersOf({ ext_proc_addr, inbound_addr, outbound_addr }: Config['listener']): Listener[] {
  const two: Listener[] = []
  if (inbound_addr !== undefined) two.push({ address: inbound_addr, direction: 'inbound' })
  if (outbound_addr !== undefined) two.push({ address: outbound_addr, direction: 'outbound' })
  return two.length > 0 ? two : [{ address: ext_proc_addr ?? DEFAULT_EXT_PROC_ADDRESS }]
}

const LOOPBACK = /^(?:127(?:\.\d+){3}|localhost|\[::1\]):\d+$/i

/** Whether a `host:port` is reached from this machine, or this pod, alone. */
export function isLoopback(address: string): boolean {
  return LOOPBACK.test(address)
}
