import { timingSafeEqual } from 'node:crypto'
import type { Direction } from '../core/exchange.ts'
import type { Caller } from '../core/handler.ts'

/** What a listener says of everyone who connects to it, where the filter cannot. */
export interface ListenerFacts {
  readonly direction?: Direction
}

/** What is believed of a stream, or taken for granted. A reload of the configuration may change it. */
export interface Trust {
  /** Whether a filter that shows this may speak; without it everybody who reaches a listener is believed. */
  readonly knowsToken?: TokenCheck
  /** Of a filter that names none. Without it, what the client's certificate names. */
  readonly defaultWorkload?: string
  /** The Host header decides where bytes go, whether the filter says so or not. */
  readonly routing?: 'host'
}

export type TokenCheck = (said: string | undefined) => boolean

/**
 * Reads one value of the gRPC metadata: the filter's static `initial_metadata`, which no client of the proxy can set.
 * Undefined when it is absent or was sent more than once.
 */
export type SaidByFilter = (name: string) => string | undefined

/** One agent per process. */
const ONLY_WORKLOAD = 'default'

/** Undefined when nothing says a direction, or the listener and the filter say different ones. */
export function callerOf(
  said: SaidByFilter,
  listener: ListenerFacts,
  trust: Trust,
  certified: () => string | undefined,
): Caller | undefined {
  const direction = directionOf(said('x-plumbline-direction'), listener.direction)
  if (direction === undefined) return undefined
  const workload = said('x-plumbline-workload') ?? ''
  return {
    direction,
    workload: workload === '' ? (trust.defaultWorkload ?? certified() ?? ONLY_WORKLOAD) : workload,
    routesByHost: trust.routing === 'host' || said('x-plumbline-routing') === 'host',
  }
}

function directionOf(said: string | undefined, listener: Direction | undefined): Direction | undefined {
  if (said === undefined) return listener
  if (said !== 'inbound' && said !== 'outbound') return undefined
  return listener === undefined || listener === said ? said : undefined
}

/** Compares in a time that tells nothing of the token but its length. */
export function tokenCheck(token: Uint8Array | string): TokenCheck {
  const expected = Buffer.from(token)
  if (expected.length === 0) throw new Error('the token must not be empty')
  return (said) => {
    if (said === undefined) return false
    const given = Buffer.from(said)
    return given.length === expected.length && timingSafeEqual(given, expected)
  }
}
