import type { Body, Exchange } from '../../core/exchange.ts'
import type { ReadResult } from '../../core/plugin.ts'
import { unlabelledCoding } from '../../http/decode.ts'
import { charsetsNamed, mediaType } from '../../http/media.ts'
import { loosestPath } from '../../http/paths.ts'
import { isUtf8Label } from '../../json/charset.ts'
import { peek, type Peek } from '../../json/peek.ts'

/** What the top level of a body shows: of the decoded bytes and, where they differ, of the bytes as they were sent. */
export function glimpses(x: Exchange, body: Body): readonly Peek[] {
  const charsets = charsetsNamed(x.request.headers)
  const look = (bytes: Uint8Array) =>
    charsets.length === 0 ? [peek(bytes)] : charsets.map((charset) => peek(bytes, charset))
  switch (body.kind) {
    case 'none':
    case 'unread':
      return []
    case 'whole':
      return body.raw === body.bytes ? look(body.bytes) : [...look(body.bytes), ...look(body.raw)]
    case 'over-limit':
    case 'undecodable':
      return look(body.raw)
  }
}

/**
 * Whether a request may be meant for one of the paths. It asks for every way in which a server could read the path, so
 * it is for claiming a message, never for trusting one.
 */
export function mayStandOn(x: Exchange, paths: (path: string) => boolean): boolean {
  const { path, canonicalPath } = x.request
  const plain = canonicalPath ?? path
  const loosest = loosestPath(path)
  return withOrWithoutSlash(plain, paths) || (loosest !== plain && withOrWithoutSlash(loosest, paths))
}

/**
 * Whether every server agrees that a request stands on one of the paths, with or without a trailing slash. As it is
 * written, too: the way there (`/secret/../mcp`) could be the message.
 */
export function standsOn(x: Exchange, paths: (path: string) => boolean): boolean {
  const { path, canonicalPath } = x.request
  return canonicalPath !== undefined && withOrWithoutSlash(canonicalPath, paths) && withOrWithoutSlash(path, paths)
}

function withOrWithoutSlash(path: string, paths: (path: string) => boolean): boolean {
  return paths(path) || (path.length > 1 && path.endsWith('/') && paths(path.slice(0, -1)))
}

type Unreadable = Extract<ReadResult, { kind: 'unreadable' }>

/**
 * A claimed body whose bytes cannot even be looked at as UTF-8 text: what it becomes. Undefined where there are bytes to
 * read, or no body.
 */
export function unreadableBytes(x: Exchange, body: Body): Unreadable | undefined {
  if (body.kind === 'over-limit')
    return { kind: 'unreadable', code: 'plumbline.too_large', why: 'longer than the limit' }
  if (body.kind === 'undecodable') return { kind: 'unreadable', code: 'plumbline.unsupported_encoding', why: body.why }
  if (body.kind !== 'whole') return undefined
  const media = mediaType(x.request.headers)
  if (media === 'several')
    return { kind: 'unreadable', code: 'plumbline.unreadable', why: 'more than one content type' }
  if (!isUtf8Label(media?.charset)) {
    return { kind: 'unreadable', code: 'plumbline.unsupported_encoding', why: 'a character set other than UTF-8' }
  }
  const coding = unlabelledCoding(body.bytes)
  return coding === undefined
    ? undefined
    : { kind: 'unreadable', code: 'plumbline.unsupported_encoding', why: `${coding} without content-encoding` }
}
