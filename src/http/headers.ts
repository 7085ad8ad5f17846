import type { AnswerHead, Head, HeaderPair, HeaderView } from '../core/exchange.ts'
import { canonicalHost } from './hosts.ts'
import { canonicalPath } from './paths.ts'

/** Sorted by name when somebody first asks: many heads are only passed on. */
export function headerView(pairs: readonly HeaderPair[]): HeaderView {
  let known: ReadonlyMap<string, readonly string[]> | undefined
  const byName = () => (known ??= sortByName(pairs))
  return {
    pairs,
    one(name) {
      const values = byName().get(name)
      return values?.length === 1 ? values[0] : undefined
    },
    all: (name) => byName().get(name) ?? [],
    has: (name) => byName().has(name),
  }
}

function sortByName(pairs: readonly HeaderPair[]): ReadonlyMap<string, readonly string[]> {
  const byName = new Map<string, string[]>()
  for (const [name, value] of pairs) {
    const values = byName.get(name)
    if (values === undefined) byName.set(name, [value])
    else values.push(value)
  }
  return byName
}

/** Pseudo headers apart from the headers that a peer sent. */
function split(pairs: readonly HeaderPair[]): { pseudo: HeaderView; headers: HeaderView } {
  const pseudo: HeaderPair[] = []
  const headers: HeaderPair[] = []
  for (const pair of pairs) (pair[0].startsWith(':') ? pseudo : headers).push(pair)
  return { pseudo: headerView(pseudo), headers: headerView(headers) }
}

export function requestHead(pairs: readonly HeaderPair[], bodyless: boolean): Head {
  const { pseudo, headers } = split(pairs)
  const authority = pseudo.one(':authority') ?? headers.one('host') ?? ''
  const target = pseudo.one(':path') ?? ''
  const mark = target.indexOf('?')
  const path = mark === -1 ? target : target.slice(0, mark)
  return {
    method: pseudo.one(':method') ?? '',
    scheme: pseudo.one(':scheme') ?? '',
    authority,
    host: canonicalHost(authority),
    path,
    canonicalPath: canonicalPath(path),
    query: mark === -1 ? '' : target.slice(mark + 1),
    headers,
    bodyless,
  }
}

export function answerHead(pairs: readonly HeaderPair[], bodyless: boolean): AnswerHead {
  const { pseudo, headers } = split(pairs)
  const status = pseudo.one(':status') ?? ''
  return { status: /^\d{3}$/.test(status) ? Number(status) : 0, headers, bodyless }
}
