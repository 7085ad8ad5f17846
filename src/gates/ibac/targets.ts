import type { Action } from '../../core/action.ts'
import type { Exchange } from '../../core/exchange.ts'
import { canonicalHost } from '../../http/hosts.ts'
import { kindOfHost } from '../kit/public-suffix.ts'
import { contentOf, type Content } from './body.ts'
import { joinedLeaves } from './leaves.ts'
import { namesIn } from './names.ts'
import { isProposed } from './proposed.ts'
import { SEARCHED_CHARACTERS } from './shorten.ts'

/** Something that an action goes to or points at. Names are in lower case. */
export interface Target {
  readonly kind: 'host' | 'mail' | 'id'
  readonly name: string
}

/** What an action goes to and points at; undefined when its content cannot be read. */
export function targetsOf(action: Action, x: Exchange): readonly Target[] | undefined {
  const targets = saidBy(action, x)
  if (targets === undefined) return undefined
  // A server on its parser's own hosts is the agent's own tool box, not somewhere that data goes to.
  return action.home === 'own' || isProposed(action) ? targets : [host(x.request.host), ...targets]
}

function saidBy(action: Action, x: Exchange): readonly Target[] | undefined {
  switch (action.kind) {
    case 'tool-call':
    case 'request':
      return targetsInWhole(joined(action.args))
    case 'inference':
      return targetsInWhole(joined([action.firstUserText, action.beside]))
    case 'mechanics':
    case 'unclassified':
      return saidByRequest(x)
  }
}

function saidByRequest(x: Exchange): readonly Target[] | undefined {
  const content = contentOf(x)
  if (content.kind === 'opaque') return undefined
  const inBody = targetsInWhole(textOf(content))
  return inBody === undefined ? undefined : [...behindHost(x.request.path, x.request.query, URL_NESTING), ...inBody]
}

function textOf(content: Exclude<Content, { readonly kind: 'opaque' }>): string {
  switch (content.kind) {
    case 'none':
      return ''
    case 'keyed':
      return joined(content.value)
    case 'text':
      return content.text
  }
}

function targetsInWhole(text: string): readonly Target[] | undefined {
  return text.length > SEARCHED_CHARACTERS ? undefined : targetsIn(text)
}

/** URLs in URLs are followed so deep. */
const URL_NESTING = 3

/** Of a text that is too long, those in its beginning. */
export function targetsIn(text: string, nesting = URL_NESTING): readonly Target[] {
  const { urls, mails, hosts, ids } = namesIn(text.slice(0, SEARCHED_CHARACTERS))
  return [
    ...urls.flatMap((url) => targetsOfUrl(url, nesting)),
    ...hosts.map(canonicalHost).filter(looksLikeHost).map(host),
    ...mails.map((mail): Target => ({ kind: 'mail', name: mail.toLowerCase() })),
    ...ids.map(idTarget),
  ]
}

function targetsOfUrl(url: string, nesting: number): readonly Target[] {
  const [, authority = '', path = '', query = ''] = /^[^:]*:\/\/([^/?#]*)([^?]*)\??(.*)$/su.exec(url) ?? []
  return [host(canonicalHost(authority.slice(authority.lastIndexOf('@') + 1))), ...behindHost(path, query, nesting)]
}

function behindHost(path: string, query: string, nesting: number): readonly Target[] {
  const inPath = namesIn(decoded(path))
  // A name that is nowhere known stands for what was not followed.
  if (nesting === 0) return inPath.urls.length === 0 && query === '' ? inPath.ids.map(idTarget) : [host('')]
  return [
    // A bare host in a path is more often a file: `/README.md`.
    ...inPath.urls.flatMap((url) => targetsOfUrl(url, nesting - 1)),
    ...inPath.ids.map(idTarget),
    ...targetsIn(decoded(query), nesting - 1),
  ]
}

function host(name: string): Target {
  return { kind: 'host', name: name.toLowerCase() }
}

function idTarget(id: string): Target {
  return { kind: 'id', name: id.toLowerCase() }
}

function joined(value: unknown): string {
  return joinedLeaves(value, SEARCHED_CHARACTERS)
}

/** What stands behind percent signs, where that can be said: `%2e` hides no host. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

/** Not every word with a dot in it is a host: `report.final` is none, `evil.com` is. */
function looksLikeHost(host: string): boolean {
  const { isIp, isPublic } = kindOfHost(host)
  return isIp || isPublic || !host.includes('.')
}
