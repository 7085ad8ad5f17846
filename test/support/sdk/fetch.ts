import { Agent, fetch as plainFetch, ProxyAgent } from 'undici'
import type { Dispatcher, RequestInit } from 'undici'
import type { Closable } from '../closing.ts'

/** One exchange of a client, as the client saw it. */
export interface Fetched {
  readonly method: string
  readonly url: string
  /** Undefined until the head of the answer is there. */
  answer: { readonly status: number; readonly requestId: string } | undefined
  /** The method of a JSON-RPC call. */
  readonly call: string | undefined
}

/** `fetch` for a client that others wrote, and all that it fetched. */
export interface WatchedFetch extends Closable {
  readonly fetch: typeof fetch
  readonly fetched: readonly Fetched[]
}

/** Through a forward proxy, by absolute URLs, as plain HTTP is proxied. */
export function proxiedFetch(proxyPort: number): WatchedFetch {
  return watch(new ProxyAgent({ uri: `http://127.0.0.1:${proxyPort}`, proxyTunnel: false }))
}

export function directFetch(): WatchedFetch {
  return watch(new Agent())
}

function watch(dispatcher: Dispatcher): WatchedFetch {
  const fetched: Fetched[] = []
  const watched = async (url: string | URL, init: RequestInit = {}) => {
    const one: Fetched = { method: init.method ?? 'GET', url: String(url), answer: undefined, call: callIn(init.body) }
    fetched.push(one)
    const answer = await plainFetch(url, { ...init, dispatcher })
    one.answer = { status: answer.status, requestId: answer.headers.get('x-request-id') ?? '' }
    return answer
  }
  // The same function of the same library as Node's own; only its types are declared twice.
  return { fetch: watched as unknown as typeof fetch, fetched, close: () => dispatcher.destroy() }
}

function callIn(body: RequestInit['body']): string | undefined {
  if (typeof body !== 'string' || !body.startsWith('{')) return undefined
  const message = JSON.parse(body) as { method?: string; jsonrpc?: string; result?: unknown }
  return message.method ?? (message.jsonrpc === undefined ? undefined : 'response')
}
