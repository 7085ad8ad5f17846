import { Minimatch, type MinimatchOptions } from 'minimatch'
import { canonicalHost, isHost } from './hosts.ts'

export type GlobKind = 'host' | 'path' | 'tool'

/** Only `*`, `?` and `[…]`, none of which crosses a slash; a leading dot is nothing special. */
const OPTIONS: MinimatchOptions = {
  nobrace: true,
  noext: true,
  noglobstar: true,
  nonegate: true,
  nocomment: true,
  dot: true,
  platform: 'linux',
}

export const GLOB_CHARACTERS = 253

/** Names that nobody lists: a glob that matches one of them matches about everything. */
const PROBES: Readonly<Record<GlobKind, readonly string[]>> = {
  host: ['q7.example', '10.9.8.7', 'x', 'a.b.c.test'],
  path: ['/q7', '/a/b'],
  tool: ['q7', 'do_it'],
}

const INSTEAD: Readonly<Record<GlobKind, string>> = {
  host: 'name the hosts, such as "keycloak.infra.svc" or "otel-collector.*"',
  path: 'name the paths, such as "/healthz" or "/status/*"',
  tool: 'name the tools, such as "list_*", or leave the list out',
}

/** Why a glob is refused at start, and what to write instead. */
export function footgun(pattern: string, kind: GlobKind): string | undefined {
  if (pattern.trim() === '') return `is ${pattern === '' ? 'empty' : 'blank'}; ${INSTEAD[kind]}`
  if (pattern.length > GLOB_CHARACTERS) return `is longer than ${GLOB_CHARACTERS} characters; ${INSTEAD[kind]}`
  if (kind === 'path' && !pattern.startsWith('/')) return `${show(pattern)} must begin with "/"; ${INSTEAD[kind]}`
  if (kind === 'host' && pattern.includes('/')) return `${show(pattern)} is no host: leave out scheme and path`
  if (hasOpenSet(pattern))
    return `${show(pattern)} has a "[" without its "]"; close it, or write "\\[" for the character`
  const matches = compileGlobs([pattern], kind)
  const probe = PROBES[kind].find(matches)
  return probe === undefined
    ? undefined
    : `${show(pattern)} matches nearly everything (${show(probe)}, for one); ${INSTEAD[kind]}`
}

const CLOSED_SET = /\[[!^]?(?:\][^\]]*|(?:\[:\w+:\]|[^\]])+)\]/g

/** A set that is not closed within its part of a path would be taken for the character itself, and match nothing. */
function hasOpenSet(pattern: string): boolean {
  return pattern.split('/').some((part) => part.replaceAll(/\\./g, '').replaceAll(CLOSED_SET, '').includes('['))
}

const show = (text: string) => JSON.stringify(text)

/** Hosts are compared in lower case, without port and one trailing dot on both sides. */
export function compileGlobs(patterns: readonly string[], kind: GlobKind): (subject: string) => boolean {
  const globs = patterns.map((pattern) => new Minimatch(kind === 'host' ? hostPattern(pattern) : pattern, OPTIONS))
  if (kind !== 'host') return (name) => globs.some((glob) => glob.match(name))
  return (authority) => {
    const host = canonicalHost(authority)
    return isHost(host) && globs.some((glob) => glob.match(host))
  }
}

/** `[::1]` is an address here, any other bracket a set of characters. */
function hostPattern(pattern: string): string {
  return canonicalHost(pattern)
}
