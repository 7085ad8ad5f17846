import type { Parser, ReadResult } from '../../../src/core/plugin.ts'
import type { Lesson } from '../../../src/core/session.ts'
import { answered, exchangeOf } from './exchange.ts'

/** What a parser read of what a client sent and got. */
export interface Seen {
  readonly requests: ReadResult[]
  readonly answers: Lesson[]
}

/** A `fetch` for a vendor's client, which gets this answer: the parser reads what it sends and, meanwhile, what it gets. */
export function readingFetch(
  parser: Parser,
  answer: string,
  contentType: string,
): { readonly fetch: typeof fetch; readonly seen: Seen } {
  const seen: Seen = { requests: [], answers: [] }
  const reading: typeof fetch = (url, init) => {
    const { pathname, search } = new URL(url instanceof Request ? url.url : url)
    const { x, body } = exchangeOf({
      host: 'model.test',
      path: pathname + search,
      headers: [...new Headers(init?.headers)],
      body: init?.body ?? undefined,
      method: init?.method ?? 'GET',
    })
    const result = parser.read(x, body)
    seen.requests.push(result)
    const reader = parser.readAnswer(answered(x, contentType), result.kind === 'read' ? result : undefined)
    const bytes = new TextEncoder().encode(answer)
    if (reader !== undefined) seen.answers.push(...reader.feed(bytes), ...reader.end('complete').lessons)
    return Promise.resolve(new Response(bytes, { headers: { 'content-type': contentType } }))
  }
  return { fetch: reading, seen }
}
