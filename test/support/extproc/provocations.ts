import { setTimeout as sleep } from 'node:timers/promises'
import type { ExchangeHandler } from '../../../src/core/handler.ts'
import type { Asked } from '../clients.ts'
import type { Arrival } from '../upstream.ts'
import { CONTINUE, NO_EDITS, refusal, WANT_BODY } from './handlers.ts'
import type { Script } from './stand-in.ts'
import { BOTH_BUFFERED } from './std-envoy.ts'

/** What came of one request. */
export interface Outcome {
  /** 0: the connection ended without a whole answer. */
  readonly status: number
  readonly text: string
  readonly arrival: Arrival | undefined
  /** The upstream received anything at all of it, whole or not. */
  readonly touched: boolean
  /** Bytes of its body that the processor was shown. */
  readonly shownBytes: number
}

/** A way to be taken for consent. Those with one number have one cause. */
export interface Provocation {
  readonly name: string
  /** The way of a server that does not know better. */
  readonly script: Script
  /** The filter's setting under which it opens, where the usual one is not enough. */
  readonly filter?: Readonly<Record<string, unknown>>
  readonly http?: Readonly<Record<string, unknown>>
  readonly bufferLimitBytes?: number
  readonly request?: Partial<Asked>
  /** The body leaves the client this much later than the head. */
  readonly bodyAfterMs?: number
  /** Whether it passed although nobody said yes. */
  readonly opened: (outcome: Outcome) => boolean
  /** With the filter that we ship. */
  readonly shipped: 'opens' | 'closed by our filter'
  /** The same provocation for our own server: what its handler does, and what comes of it. */
  readonly ours: { readonly handler: Partial<ExchangeHandler>; readonly status: number; readonly text?: string }
}

export const SECRET = 'SECRET-ANSWER'

// ---- handlers that would open a lesser server ----

const boom = (): never => {
  throw new Error('provoked')
}
const no = { kind: 'refuse', answer: refusal('test.refused') } as const
const bodyRefused = { requestBody: async () => no }
const headEdit = (name: string, value: string): Partial<ExchangeHandler> => ({
  requestHead: async () => ({ kind: 'continue', edits: { set: [[name, value]], remove: [] }, body: 'whole' }),
})

// ---- outcomes ----

const arrived = ({ arrival }: Outcome): boolean => arrival !== undefined
const leaked = ({ text }: Outcome): boolean => text.includes(SECRET)
const answered = ({ status, text }: Outcome): boolean => status === 200 && text.includes(SECRET)

const FULL_DUPLEX = {
  processing_mode: {
    ...BOTH_BUFFERED,
    request_body_mode: 'FULL_DUPLEX_STREAMED',
    response_body_mode: 'FULL_DUPLEX_STREAMED',
  },
}

export const PROVOCATIONS: readonly Provocation[] = [
  {
    name: '1 clean end, owed to the request head',
    script: { requestHeaders: (hand) => hand.endCleanly() },
    opened: arrived,
    shipped: 'opens',
    ours: { handler: { requestHead: boom }, status: 503 },
  },
  {
    name: '1 clean end, owed to the request body',
    script: { requestBody: (hand) => hand.endCleanly() },
    opened: arrived,
    shipped: 'opens',
    ours: { handler: { requestBody: boom }, status: 503 },
  },
  {
    name: '1 clean end, owed to request trailers',
    script: { requestTrailers: (hand) => hand.endCleanly() },
    request: { trailers: { 'x-t': '1' } },
    opened: arrived,
    shipped: 'opens',
    ours: { handler: { requestBody: async () => undefined as never }, status: 503 },
  },
  {
    name: '1 clean end, owed to the answer head',
    script: { responseHeaders: (hand) => hand.endCleanly() },
    opened: leaked,
    shipped: 'opens',
    ours: { handler: { answerHead: boom }, status: 503 },
  },
  {
    name: '1 clean end, owed to the answer body',
    script: { responseBody: (hand) => hand.endCleanly() },
    opened: leaked,
    shipped: 'opens',
    ours: { handler: { answerHead: () => undefined as never }, status: 503 },
  },
  {
    name: '2 clean end behind the head, before there is a body',
    script: {
      requestHeaders: (hand) => {
        hand.goOn()
        hand.endCleanly()
      },
    },
    bodyAfterMs: 1000,
    opened: arrived,
    shipped: 'opens',
    // Its body deadline is over before the body comes.
    ours: { handler: {}, status: 408 },
  },
  {
    name: '3 clean end with the head withheld, the body streamed both ways',
    filter: FULL_DUPLEX,
    script: { requestHeaders: () => undefined, requestBody: (hand) => hand.endCleanly() },
    opened: ({ arrival }) => arrival?.body.length === 0,
    shipped: 'closed by our filter',
    ours: { handler: { requestHead: async () => new Promise(() => undefined) }, status: 504 },
  },
  {
    name: '4 clean end amid an answer that is streamed',
    script: {
      responseHeaders: (hand) => hand.reply({ responseHeaders: {}, modeOverride: overrideOf(2, 1) }),
      responseBody: (hand) => hand.endCleanly(),
    },
    opened: leaked,
    shipped: 'opens',
    ours: { handler: { answerHead: boom }, status: 503 },
  },
  {
    name: '4 clean end amid an answer that is streamed both ways',
    script: {
      responseHeaders: (hand) => hand.reply({ responseHeaders: {}, modeOverride: overrideOf(2, 4) }),
      responseBody: (hand) => hand.endCleanly(),
    },
    // The pieces that came first are lost, the later ones pass.
    opened: ({ status, text }) => status === 200 && text.includes('-END') && !text.includes(SECRET),
    shipped: 'opens',
    // The head has left by then; what the client sees is a break.
    ours: {
      handler: {
        answerHead: () => ({ kind: 'edit', edits: NO_EDITS }),
        editAnswer: () => ({ feed: boom }),
      },
      status: 200,
      text: '',
    },
  },
  {
    name: '5 an empty mode override',
    script: {
      requestHeaders: (hand) => hand.reply({ requestHeaders: {}, modeOverride: {} }),
      requestBody: (hand) => hand.refuse(),
    },
    opened: arrived,
    shipped: 'opens',
    ours: {
      handler: {
        requestHead: async () => ({ kind: 'continue', edits: NO_EDITS, body: undefined }) as never,
        ...bodyRefused,
      },
      status: 403,
    },
  },
  {
    name: '5 a mode override with one body mode left out',
    script: {
      requestHeaders: (hand) => hand.reply({ requestHeaders: {}, modeOverride: { responseBodyMode: 1 } }),
      requestBody: (hand) => hand.refuse(),
    },
    opened: arrived,
    shipped: 'opens',
    ours: {
      handler: {
        requestHead: async () => ({ ...WANT_BODY, modes: { response: 'streamed' } }) as never,
        ...bodyRefused,
      },
      status: 403,
    },
  },
  {
    name: '6 CONTINUE_AND_REPLACE of a request without a body to replace it',
    script: {
      requestHeaders: (hand) => hand.reply({ requestHeaders: { response: { status: 1 } } }),
      requestBody: (hand) => hand.refuse(),
    },
    opened: arrived,
    shipped: 'opens',
    ours: {
      handler: { requestHead: async () => ({ ...WANT_BODY, status: 1 }) as never, ...bodyRefused },
      status: 403,
    },
  },
  {
    name: '6 CONTINUE_AND_REPLACE of an answer without a body to replace it',
    script: {
      responseHeaders: (hand) => hand.reply({ responseHeaders: { response: { status: 1 } } }),
      responseBody: (hand) => hand.refuse(),
    },
    opened: leaked,
    shipped: 'opens',
    ours: { handler: { answerHead: boom }, status: 503 },
  },
  {
    name: '7 streamed_response for a body that came whole',
    script: {
      responseBody: (hand) =>
        hand.reply({
          responseBody: {
            response: { bodyMutation: { streamedResponse: { body: Buffer.from('redacted'), endOfStream: true } } },
          },
        }),
    },
    opened: answered,
    shipped: 'opens',
    ours: {
      handler: {
        answerHead: () => ({ kind: 'whole' }),
        answerBody: async () => ({ kind: 'replace', edits: NO_EDITS, body: Buffer.from('redacted') }),
      },
      status: 200,
      text: 'redacted',
    },
  },
  {
    name: '8 the verdict on a body before the body was shown',
    script: {
      requestHeaders: async (hand) => {
        // Until Envoy holds the body.
        await sleep(200)
        hand.goOn()
        hand.reply({ requestBody: {} })
      },
      requestBody: (hand) => hand.refuse(),
    },
    opened: arrived,
    shipped: 'opens',
    ours: {
      handler: {
        requestHead: async () => {
          await sleep(200)
          return WANT_BODY
        },
        ...bodyRefused,
      },
      status: 403,
    },
  },
  {
    name: '9 a header edit that Envoy does not allow',
    script: {
      requestHeaders: (hand) =>
        hand.reply({ requestHeaders: { response: setHeader({ key: 'host', rawValue: Buffer.from('safe.test') }) } }),
    },
    opened: ({ arrival }) => arrival !== undefined && !arrival.headers.some(([, value]) => value === 'safe.test'),
    shipped: 'closed by our filter',
    ours: { handler: headEdit('host', 'safe.test'), status: 503 },
  },
  {
    name: '10 a header in `value`',
    script: {
      requestHeaders: (hand) =>
        hand.reply({ requestHeaders: { response: setHeader({ key: 'x-verdict', value: 'checked' }) } }),
    },
    request: { headers: { 'x-verdict': 'forged' } },
    opened: ({ arrival }) => arrival !== undefined && headerOf(arrival, 'x-verdict') !== 'checked',
    shipped: 'opens',
    ours: { handler: headEdit('x-verdict', 'checked'), status: 200 },
  },
  {
    name: '11 a content-length without its body',
    script: {
      requestHeaders: (hand) =>
        hand.reply({ requestHeaders: { response: setHeader({ key: 'content-length', rawValue: Buffer.from('3') }) } }),
    },
    opened: ({ arrival }) => arrival !== undefined && arrival.body.length === 3,
    shipped: 'opens',
    ours: { handler: headEdit('content-length', '3'), status: 503 },
  },
  {
    name: '12 a request body that is streamed',
    script: {
      requestHeaders: (hand) => hand.reply({ requestHeaders: {}, modeOverride: overrideOf(1, 2) }),
      requestBody: (hand) => hand.refuse(),
    },
    bodyAfterMs: 200,
    opened: ({ touched }) => touched,
    shipped: 'closed by our filter',
    ours: { handler: bodyRefused, status: 403 },
  },
  {
    name: '13 a request body that is shown in part',
    filter: { processing_mode: { ...BOTH_BUFFERED, request_body_mode: 'BUFFERED_PARTIAL' } },
    bufferLimitBytes: 65_536,
    script: {},
    request: { body: Array.from({ length: 30 }, () => Buffer.alloc(10_000, 'x')) },
    opened: ({ arrival, shownBytes }) => arrival !== undefined && arrival.body.length > shownBytes,
    shipped: 'closed by our filter',
    ours: {
      handler: {
        requestBody: async (raw) => (raw.length === 300_000 ? CONTINUE : no),
      },
      status: 200,
    },
  },
  {
    name: '14 observability mode',
    filter: {
      observability_mode: true,
      processing_mode: { ...BOTH_BUFFERED, request_body_mode: 'STREAMED', response_body_mode: 'NONE' },
    },
    script: { requestHeaders: (hand) => hand.refuse() },
    opened: arrived,
    shipped: 'closed by our filter',
    ours: { handler: { requestHead: async () => no }, status: 403 },
  },
  {
    name: '15 clean end on an upgrade',
    http: { upgrade_configs: [{ upgrade_type: 'websocket' }] },
    request: {
      body: [],
      method: 'GET',
      headers: { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-key': 'x', 'sec-websocket-version': '13' },
    },
    script: { requestHeaders: (hand) => hand.endCleanly() },
    opened: ({ touched }) => touched,
    shipped: 'closed by our filter',
    ours: { handler: { requestHead: boom }, status: 403 },
  },
  {
    name: '16 an answer of its own without a status',
    script: { requestHeaders: (hand) => hand.reply({ immediateResponse: { body: Buffer.from('refused') } }) },
    opened: ({ status }) => status === 200,
    shipped: 'opens',
    ours: {
      handler: { requestHead: async () => ({ kind: 'refuse', answer: { ...refusal('test.refused'), status: 0 } }) },
      status: 500,
    },
  },
]

/** A complete override with these numbers of body modes. */
function overrideOf(requestBodyMode: number, responseBodyMode: number): object {
  return {
    requestHeaderMode: 1,
    responseHeaderMode: 1,
    requestBodyMode,
    responseBodyMode,
    requestTrailerMode: 1,
    responseTrailerMode: 1,
  }
}

function setHeader(header: object): object {
  return { headerMutation: { setHeaders: [{ header }] } }
}

function headerOf(arrival: Arrival, name: string): string | undefined {
  return arrival.headers.find(([key]) => key.toLowerCase() === name)?.[1]
}
