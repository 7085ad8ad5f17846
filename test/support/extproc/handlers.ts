import { PLUMBLINE_CODES } from '../../../src/core/errors.ts'
import type { PlumblineCode } from '../../../src/core/errors.ts'
import type { BodyReply, Caller, Ending, ExchangeHandler, HeadReply, OpenExchange } from '../../../src/core/handler.ts'
import type { Answer } from '../../../src/core/ruling.ts'

export const NO_EDITS = { set: [], remove: [] } as const
export const CONTINUE: BodyReply = { kind: 'continue', edits: NO_EDITS }
export const WANT_BODY: HeadReply = { kind: 'continue', edits: NO_EDITS, body: 'whole' }
export const EXEMPT: HeadReply = { kind: 'continue', edits: NO_EDITS, body: 'none' }

export function refusal(code: string, status = 403): Answer {
  return {
    status,
    headers: [['content-type', 'application/json']],
    body: Buffer.from(JSON.stringify({ error: code })),
    details: code,
  }
}

function coded(code: PlumblineCode): Answer {
  return refusal(code, PLUMBLINE_CODES[code].status)
}

export interface Recording {
  readonly open: OpenExchange
  readonly callers: readonly (Caller | undefined)[]
  /** What was called, exchange after exchange. */
  readonly calls: readonly string[]
  readonly endings: readonly Ending[]
  readonly causes: readonly unknown[]
}

/** Lets everything pass after seeing its body, unless told otherwise, and writes down what it was asked. */
export function recordingHandler(overrides: Partial<ExchangeHandler> = {}): Recording {
  const callers: (Caller | undefined)[] = []
  const calls: string[] = []
  const endings: Ending[] = []
  const causes: unknown[] = []
  const plain: ExchangeHandler = {
    requestHead: async () => WANT_BODY,
    requestBody: async () => CONTINUE,
    answerHead: () => ({ kind: 'none' }),
    answerBody: async () => ({ kind: 'continue' }),
    editAnswer: () => ({ feed: () => undefined }),
    answerChunk: () => undefined,
    giveUp: (code) => coded(code),
    fail: () => coded('plumbline.plugin_failed'),
    end: () => undefined,
  }
  const handler = { ...plain, ...overrides }
  const open: OpenExchange = (caller) => {
    callers.push(caller)
    return {
      requestHead: (pairs, bodyless) => {
        calls.push(`requestHead ${bodyless ? 'bodyless' : 'with body'}`)
        return handler.requestHead(pairs, bodyless)
      },
      requestBody: (raw) => {
        calls.push(`requestBody ${Buffer.from(raw).toString()}`)
        return handler.requestBody(raw)
      },
      answerHead: (pairs, bodyless, rewritable) => {
        calls.push(`answerHead ${pairs.find(([name]) => name === ':status')?.[1]}`)
        return handler.answerHead(pairs, bodyless, rewritable)
      },
      answerBody: (raw) => {
        calls.push(`answerBody ${Buffer.from(raw).toString()}`)
        return handler.answerBody(raw)
      },
      editAnswer: (sink) => handler.editAnswer(sink),
      answerChunk: (raw, last) => {
        calls.push(`answerChunk ${Buffer.from(raw).toString()}${last ? ' last' : ''}`)
        return handler.answerChunk(raw, last)
      },
      giveUp: (code) => {
        calls.push(`giveUp ${code}`)
        return handler.giveUp(code)
      },
      fail: (cause) => {
        causes.push(cause)
        return handler.fail(cause)
      },
      end: (how, canary) => {
        endings.push(how)
        handler.end(how, canary)
      },
    }
  }
  return { open, callers, calls, endings, causes }
}

export const SILENT_LOG = { info: () => undefined, warn: () => undefined, error: () => undefined }
