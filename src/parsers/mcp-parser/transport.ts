import type { Exchange } from '../../core/exchange.ts'
import type { ReadResult } from '../../core/plugin.ts'
import { isPlainlyAddressed, overridesMethod } from '../../http/overrides.ts'
import { plainRefusal } from '../kit/refusal.ts'
import type { Ground } from './ground.ts'
import { hasSession, repeatedHeader } from './mirrored.ts'
import { hostNote } from './notes.ts'

/** Methods of requests that are there for their body. */
const CARRYING = new Set(['POST', 'PUT', 'PATCH'])

/** A request without body: it opens or ends a stream, or is none of ours. */
export function readTransport(x: Exchange, ground: Ground): ReadResult {
  const { method, headers } = x.request
  if (!ground.claimed) return { kind: 'not-mine' }
  const unreadable = (why: string): ReadResult => ({ kind: 'unreadable', code: 'plumbline.unreadable', why })
  if (ground.nearPath && overridesMethod(headers)) return unreadable('a header that changes the method')
  const repeated = repeatedHeader(headers)
  if (repeated !== undefined) return unreadable(`${repeated} more than once`)
  if (CARRYING.has(method)) return unreadable('no message')
  const what = streamMethod(x, ground)
  if (what === undefined) return { kind: 'not-mine' }
  const known = x.routesByHost && x.notes.has(hostNote(x))
  return {
    kind: 'read',
    actions: [{ kind: 'mechanics', what, effect: 'read', home: known ? 'own' : ground.home }],
    method: what,
    sure: true,
    hint: undefined,
    lessons: [],
    details: { method: what },
    refuse: plainRefusal,
  }
}

/** One parameter, short, without room for more than an identifier. */
const SESSION_QUERY = /^sessionId=[\w.~-]{1,128}$/

function streamMethod(x: Exchange, ground: Ground): '$transport/stream' | '$transport/terminate' | undefined {
  const { method, query, headers } = x.request
  const inQuery = SESSION_QUERY.test(query)
  if (!ground.onPath || !isPlainlyAddressed(headers) || (query !== '' && !inQuery)) return undefined
  if (method === 'GET') return '$transport/stream'
  // Without a session to end, DELETE deletes something else.
  return method === 'DELETE' && (hasSession(headers) || inQuery) ? '$transport/terminate' : undefined
}
