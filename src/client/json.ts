import { Agent, errors, type Dispatcher } from 'undici'
import { readJson } from '../json/strict.ts'
import { readBounded } from './bounded.ts'

/** Why there is no JSON to work with. Names nothing of the other side's text, which nobody vouches for. */
export type Failure =
  /** No connection, or it broke before the whole answer was there. */
  | { readonly kind: 'unreachable'; readonly why: string }
  /** The caller's signal ended it: its time was over, or the answer is no longer wanted. */
  | { readonly kind: 'aborted' }
  /** An answer, and not a 2xx. A redirect is one of these: it is never followed. */
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'too_large'; readonly limitBytes: number }
  /** A 2xx whose body is no JSON that every reader would read alike. */
  | { readonly kind: 'not_json'; readonly why: string }

export type JsonResult =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly failure: Failure }

export interface JsonClient {
  /** Never rejects. The signal covers connecting, sending, waiting and reading. */
  post(url: URL, headers: Readonly<Record<string, string>>, body: unknown, signal: AbortSignal): Promise<JsonResult>
  /** No question follows. Connections that are kept for reuse end now, not when their servers would have it. */
  close(): void
}

export interface JsonClientOptions {
  /** The most bytes of an answer that are read. */
  readonly maxResponseBytes: number
  /** Connections to one origin; each carries one request at a time. */
  readonly connections: number
}

/** Shorter than servers keep an idle connection: one that closes while a question is on its way is a lost question. */
const KEEP_ALIVE_MS = 4_000
/** Longer than a caller waits. Ends attempts that lead nowhere, so that the next question tries again. */
const CONNECT_MS = 10_000

/**
 * JSON over HTTP within bounds, on connections of its own: no proxy of the environment, no redirects, no global agent
 * that somebody else may have replaced.
 */
export function createJsonClient(options: JsonClientOptions): JsonClient {
  const agent = new Agent({
    connections: options.connections,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connect: { timeout: CONNECT_MS },
    // The caller's signal bounds these; a second clock would only make failures harder to name.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return {
    post: async (url, headers, body, signal) => {
      try {
        return await post(agent, options.maxResponseBytes, url, headers, body, signal)
      } catch (cause) {
        return failed(signal.aborted ? { kind: 'aborted' } : { kind: 'unreachable', why: transportFault(cause) })
      }
    },
    close: () => {
      agent.close().catch(ignore)
    },
  }
}

async function post(
  agent: Agent,
  limitBytes: number,
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: unknown,
  signal: AbortSignal,
): Promise<JsonResult> {
  signal.throwIfAborted()
  const answer: Dispatcher.ResponseData = await agent.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: 'POST',
    headers: { accept: 'application/json', ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  })
  if (answer.statusCode < 200 || answer.statusCode > 299) {
    // An error page is of no use and may never end.
    answer.body.on('error', ignore).destroy()
    return failed({ kind: 'status', status: answer.statusCode })
  }
  const bytes = await readBounded(answer.body, limitBytes)
  if (bytes === undefined) return failed({ kind: 'too_large', limitBytes })
  const json = readJson(bytes)
  return json.ok ? { ok: true, value: json.value } : failed({ kind: 'not_json', why: json.why })
}

function failed(failure: Failure): JsonResult {
  return { ok: false, failure }
}

function ignore(): void {
  // Destroying an answer that is still coming reports itself as an error, and what closes has nobody left to tell.
}

/** The system's or the library's code alone: a message could carry what the peer sent. */
function transportFault(cause: unknown): string {
  if (cause instanceof errors.UndiciError) return cause.code
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code
  return 'connection failed'
}
