import type { Action } from '../../core/action.ts'
import type { Exchange } from '../../core/exchange.ts'
import { overridesMethod } from '../../http/overrides.ts'

/** Verbs that a tool's name may begin with when it only looks. */
const READING_VERBS: ReadonlySet<string> = new Set(['get', 'list', 'read', 'search', 'fetch', 'find'])

/** Whether the action only reads. What is not known to is treated as if it wrote. */
export function onlyReads(action: Action, x: Exchange): boolean {
  switch (action.kind) {
    case 'tool-call': {
      const [verb] = wordsOfName(action.tool)
      // What a parser knows (a server's annotation) can only take this away.
      return action.effect !== 'write' && verb !== undefined && READING_VERBS.has(verb)
    }
    case 'unclassified':
      return (x.request.method === 'GET' || x.request.method === 'HEAD') && !overridesMethod(x.request.headers)
    case 'request':
    case 'inference':
    case 'mechanics':
      return action.effect === 'read'
  }
}

/** `searchInbox`, `search_inbox` and `mail/search-inbox` are made of the same words. */
export function wordsOfName(name: string): readonly string[] {
  return name
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}
