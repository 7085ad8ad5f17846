import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { CANARY_HEADER, CANARY_HOST } from '../../core/canary.ts'
import type { Direction } from '../../core/exchange.ts'
import type { ExchangeRecord } from '../../core/record.ts'
import { type Diagnosis, together, unchecked, NOTHING } from '../examine.ts'
import { wayOf } from './answers.ts'
import { judgeCanary, judgeClosing, judgeLarge } from './judge.ts'
import { type CanaryAnswer, sendCanary } from './send.ts'

/** The records of the running Plumbline. */
export interface Exchanges {
  byId(requestId: string): Promise<readonly ExchangeRecord[]>
}

export interface CanaryOptions {
  readonly url: URL
  /** Undefined where they cannot be asked for. */
  readonly exchanges: Exchanges | undefined
  /** Undefined where it is not known. */
  readonly maxBodyBytes: number | undefined
}

/** Two calls in one message: the protocols have abolished it, and no parser of ours reads it. */
const batch = (filling: string) =>
  JSON.stringify([
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'plumbline_canary', arguments: { filling } } },
    { jsonrpc: '2.0', id: 2, method: 'tools/list' },
  ])

/** Everything goes to a name that no name server knows: what passes ends there. */
export async function outboundCanaries({ url, exchanges, maxBodyBytes }: CanaryOptions): Promise<Diagnosis> {
  const send = async (filling: string) => {
    const requestId = randomUUID()
    const target = `http://${CANARY_HOST}/plumbline-canary/${requestId}`
    const headers = { accept: 'application/json, text/event-stream', 'x-request-id': requestId }
    const answer = await sendCanary({
      method: 'POST',
      to: url,
      target,
      host: CANARY_HOST,
      headers,
      body: batch(filling),
    })
    return { answer, requestId }
  }
  const { answer, requestId } = await send('')
  const way = wayOf(answer)
  const records = await recordsOf(exchanges, answer, requestId)
  const first = judgeCanary({ direction: 'outbound', way, records })
  const closing = await closingCanary('outbound', url)
  if (maxBodyBytes === undefined) return together([first, closing])
  if (way.kind !== 'refused' || way.code !== 'plumbline.unreadable') {
    const why = 'the small one was not refused as unreadable, so a large one might go on'
    return together([first, closing, { ...NOTHING, unchecked: unchecked(['canary_too_large'], why) }])
  }
  const bytes = maxBodyBytes - MARGIN_BYTES
  const large = await send('x'.repeat(Math.max(0, bytes - batch('').length)))
  return together([first, closing, judgeLarge(wayOf(large.answer), bytes)])
}

/** `just below` the limit. */
const MARGIN_BYTES = 256

/** Asks the agent for a task that it does not have. */
export async function inboundCanaries({ url, exchanges }: CanaryOptions): Promise<Diagnosis> {
  const requestId = randomUUID()
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: requestId,
    method: 'tasks/get',
    params: { id: `plumbline-canary-${requestId}` },
  })
  const target = `${url.pathname}${url.search}`
  const headers = { accept: 'application/json', 'x-request-id': requestId }
  const answer = await sendCanary({ method: 'POST', to: url, target, host: url.host, headers, body })
  const records = await recordsOf(exchanges, answer, requestId)
  const first = judgeCanary({ direction: 'inbound', way: wayOf(answer), records })
  return together([first, await closingCanary('inbound', url)])
}

async function closingCanary(direction: Direction, url: URL): Promise<Diagnosis> {
  const path = `/plumbline-canary/${randomUUID()}`
  const target = direction === 'outbound' ? `http://${CANARY_HOST}${path}` : path
  const headers = { [CANARY_HEADER]: 'close' }
  return judgeClosing(
    direction,
    wayOf(await sendCanary({ method: 'GET', to: url, target, host: CANARY_HOST, headers })),
  )
}

/** A record is written when its exchange has ended, which may be a moment after the answer came. */
const LOOKS = 20
const BETWEEN_LOOKS_MS = 100

/** Envoy may have given the exchange an id of its own, which stands in its answer. */
async function recordsOf(
  exchanges: Exchanges | undefined,
  answer: CanaryAnswer,
  sentId: string,
): Promise<readonly ExchangeRecord[] | undefined> {
  if (exchanges === undefined || answer.kind === 'none') return exchanges === undefined ? undefined : []
  for (let look = 0; look < LOOKS; look += 1) {
    const found = await exchanges.byId(answer.requestId ?? sentId)
    if (found.length > 0) return found
    await pause(BETWEEN_LOOKS_MS)
  }
  return []
}
