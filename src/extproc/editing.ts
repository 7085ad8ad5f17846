import type { Piece, Reply } from './messages.ts'

/*
 * An answer that is edited: what comes from upstream and what goes to the client are two streams of their own, so no
 * piece is owed an answer, and the editor alone says when the answer ends.
 */

export interface Editing {
  readonly at: 'editing'
  /** What was seen of the upstream's end. Envoy may say it twice; the first time counts. */
  readonly upstream: 'open' | 'ended' | 'trailers'
  /** Something was written. */
  readonly begun: boolean
}

type EditOrder =
  | { readonly kind: 'feed'; readonly bytes: Uint8Array; readonly last: boolean }
  | { readonly kind: 'reply'; readonly reply: Reply }

export interface EditStep {
  readonly lane: Editing | { readonly at: 'done'; readonly how: 'edited' }
  readonly orders: readonly EditOrder[]
}

export const NOT_BEGUN: Editing = { at: 'editing', upstream: 'open', begun: false }

/** What Envoy's own processors send at most; well under every limit of a message. */
const MAX_PIECE_BYTES = 62_000
const EDITED = { at: 'done', how: 'edited' } as const
const EMPTY = new Uint8Array(0)

export function editedBody(lane: Editing, bytes: Uint8Array, last: boolean): EditStep {
  if (lane.upstream !== 'open') return { lane, orders: [] }
  return { lane: last ? { ...lane, upstream: 'ended' } : lane, orders: [{ kind: 'feed', bytes, last }] }
}

export function editedTrailers(lane: Editing): EditStep {
  if (lane.upstream !== 'open') return { lane, orders: [] }
  return { lane: { ...lane, upstream: 'trailers' }, orders: [{ kind: 'feed', bytes: EMPTY, last: true }] }
}

export function written(lane: Editing, bytes: Uint8Array): EditStep {
  const count = Math.ceil(bytes.length / MAX_PIECE_BYTES)
  const orders = Array.from({ length: count }, (_, i) => {
    const part = bytes.subarray(i * MAX_PIECE_BYTES, (i + 1) * MAX_PIECE_BYTES)
    return piece(part, { last: false, first: i === 0 && !lane.begun })
  })
  return { lane: lane.begun || count === 0 ? lane : { ...lane, begun: true }, orders }
}

export function finished(lane: Editing): EditStep {
  // The trailers carry the end then, and they are owed an answer.
  const reply: EditOrder =
    lane.upstream === 'trailers'
      ? { kind: 'reply', reply: { kind: 'trailers', half: 'response' } }
      : piece(EMPTY, { last: true, first: !lane.begun })
  return { lane: EDITED, orders: [reply] }
}

function piece(bytes: Uint8Array, place: Pick<Piece, 'last' | 'first'>): EditOrder {
  return { kind: 'reply', reply: { kind: 'piece', bytes, ...place } }
}
