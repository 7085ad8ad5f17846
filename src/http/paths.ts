/** A path that every server takes as it stands: no other character needs thought. */
const PLAIN = /^(?:\/[A-Za-z0-9_~!$&'()*+,=:@-][A-Za-z0-9_~!$&'()*+,=:@.-]*)*\/?$/

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The path decoded once, slashes merged, dot segments resolved. Undefined where servers could differ about it: bad
 * escapes, an encoded slash, backslash, zero or percent sign, path parameters, raw control or non-ASCII characters.
 */
export function canonicalPath(path: string): string | undefined {
  if (!path.startsWith('/')) return undefined
  if (PLAIN.test(path)) return path
  const decoded = decodeOnce(path)
  // Some servers cut `;` and what follows off a segment, so that `/a/..;/b` is `/b` for them.

  if (decoded === undefined || /[\\%;?#\u0000-\u001f\u007f]/.test(decoded)) return undefined
  return resolveDots(decoded)
}

function decodeOnce(path: string): string | undefined {
  if (/[^!-~]|%(?![0-9A-Fa-f]{2})|%2f/i.test(path)) return undefined
  if (!path.includes('%')) return path
  const bytes = path.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  try {
    return UTF8.decode(Buffer.from(bytes, 'latin1'))
  } catch {
    return undefined
  }
}

function resolveDots(path: string): string {
  const kept: string[] = []
  const segments = path.split('/')
  for (const segment of segments) {
    if (segment === '..') kept.pop()
    else if (segment !== '' && segment !== '.') kept.push(segment)
  }
  const last = segments.at(-1)
  const folder = last === '' || last === '.' || last === '..'
  return kept.length === 0 ? '/' : `/${kept.join('/')}${folder ? '/' : ''}`
}

const ROUNDS = 3

/**
 * The path as the most forgiving server would take it: decoded until nothing changes, backslashes turned, parameters cut
 * off, in lower case. For saying "this may be meant for that path", never for trusting it.
 */
export function loosestPath(path: string): string {
  if (PLAIN.test(path)) return path.toLowerCase()
  let text = path
  for (let round = 0; round < ROUNDS; round++) {
    text = text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  }

  const cut = text.replace(/\\/g, '/').replace(/;[^/]*|\u0000.*/g, '')
  return resolveDots(cut.toLowerCase())
}
