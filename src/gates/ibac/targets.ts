import { parse } from 'tldts'
import type { Action } from '../../core/action.ts'
import type { Exchange } from '../../core/exchange.ts'
import { canonicalHost } from '../../http/hosts.ts'
import { contentOf } from './body.ts'
import { leaves } from './leaves.ts'
import { namesIn } from './names.ts'

/** Something that an action goes to or points at. Names are in lower case. */
export interface Target {
  readonly kind: 'host' | 'mail' | 'id'
  readonly name: string
}

/** What an action goes to and points at; undefined when its content cannot be read. */
export function targetsOf(action: Action, x: Exchange): readonly Target[] | undefined {
  const said = saidBy(action, x)
  if (said === undefined) return undefined
  const targets = targetsIn(said)
  // A server on its parser's own hosts is the agent's own tool box, not somewhere that data goes to.
  return action.home === 'own' ? targets : [{ kind: 'host', name: x.request.host }, ...targets]
}

export function targetsIn(text: string): readonly Target[] {
  const { urls, mails, hosts, ids } = namesIn(text)
  return [
    ...[...urls.map(hostOfUrl), ...hosts.map(canonicalHost).filter(looksLikeHost)].map(target('host')),
    ...mails.map(target('mail')),
    ...[...ids, ...urls.flatMap(idsOfUrl)].map(target('id')),
  ]
}

function target(kind: Target['kind']): (name: string) => Target {
  return (name) => ({ kind, name: name.toLowerCase() })
}

function saidBy(action: Action, x: Exchange): string | undefined {
  switch (action.kind) {
    case 'tool-call':
    case 'request':
      return joined(action.args)
    case 'inference':
      return action.firstUserText
    case 'mechanics':
    case 'unclassified':
      return saidByRequest(x)
  }
}

function saidByRequest(x: Exchange): string | undefined {
  const content = contentOf(x)
  const line = [decoded(x.request.path), decoded(x.request.query)]
  switch (content.kind) {
    case 'none':
      return joined(line)
    case 'keyed':
      return joined([line, content.value])
    case 'text':
      return joined([line, content.text])
    case 'opaque':
      return undefined
  }
}

/** A line break between texts, lest two of them read as one name. */
function joined(value: unknown): string {
  return [...leaves(value)].join('\n')
}

/** What stands behind percent signs, where that can be said: `%2e` hides no host. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

function hostOfUrl(url: string): string {
  const [authority = ''] = afterScheme(url).split(/[/?#]/u, 1)
  return canonicalHost(authority.slice(authority.lastIndexOf('@') + 1))
}

function idsOfUrl(url: string): readonly string[] {
  return namesIn(decoded(afterScheme(url).replace(/^[^/?#]*/u, ''))).ids
}

function afterScheme(url: string): string {
  return url.slice(url.indexOf('://') + '://'.length)
}

/** Not every word with a dot in it is a host: `report.final` is none, `evil.com` is. */
function looksLikeHost(host: string): boolean {
  const { isIp, isIcann, isPrivate } = parse(host, { allowPrivateDomains: true })
  return isIp === true || isIcann === true || isPrivate === true || !host.includes('.')
}
